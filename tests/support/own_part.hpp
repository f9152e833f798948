#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backends/ranks/rank_backend.hpp"
#include "backends/ranks/row_partition.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "solvers/p_space.hpp"
#include "spmv/rank_operator.hpp"
#include "tests/support/support.hpp"

namespace cisolve::testing {

/// One rank's part of a problem.
struct OwnPart {
  OwnPart(const std::string& backend_name, Communicator& ranks, const CsrMatrix& a,
          const PSpace& whole, const RowPartition& parts, const std::string& format = "csr")
      : operator_backend(make_backend(backend_name == "cuda" ? "cuda" : "cpu")),
        backend(make_rank_backend(make_backend(backend_name), ranks)),
        p(whole) {
    const Index first = parts.first(ranks.rank()), count = parts.count(ranks.rank());
    std::vector<Index> wanted(count);
    std::iota(wanted.begin(), wanted.end(), first);
    const CsrMatrix rows = selected_rows(a, wanted);
    const std::vector<double> all = diagonal(a);
    op = make_rank_operator(operator_on(backend_name, *operator_backend, format, rows),
                            {all.begin() + first, all.begin() + first + count}, *backend, parts);
    p.sectors = labels_of_rows(whole.sectors, first, count);
  }
  /// X and an image for it on the rank's backend, this rank's rows of them.
  View vectors(const HostMatrix& x) {
    in = MultiVector(*backend, op->rows(), static_cast<int>(x.cols()));
    image = MultiVector(*backend, op->rows(), in.columns());
    upload_own(*backend, x, in.view());
    return in.view();
  }

  std::unique_ptr<Backend> operator_backend;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<LinearOperator> op;
  PSpace p;
  MultiVector in, image;
};

/// Parts that are not equal; the second has no rows, but on a GPU, which no format fills with none.
inline RowPartition uneven_partition(Index rows, int ranks,
                                     const std::string& backend_name = "cpu") {
  RowPartition parts = even_partition(rows, ranks);
  if (ranks > 2) parts.begin[2] = parts.begin[1] + (backend_name == "cuda" ? 1 : 0);
  return parts;
}

}  // namespace cisolve::testing
