#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/plan.hpp"
#include "formats/packed_symmetric/packed_symmetric.hpp"
#include "formats/shared/stored_operator.hpp"

// The rows are parted as those of csr_symmetric are, at whole windows of the packed rows' order. A
// part adds to its own rows of Y, and to its buffer behind them.

namespace cisolve {
namespace {

class PackedSymmetricOperator final : public StoredOperator {
 public:
  PackedSymmetricOperator(const std::shared_ptr<const CsrMatrix>& a, Backend& backend)
      : StoredOperator(*a, backend, "packed_symmetric") {
    const auto upper = upper_part(a, "packed_symmetric");
    m_ = to_packed(*upper);
    partition_ = partition_rows(*upper, omp_get_max_threads(), packed_window);
    scratch_ = partition_.make_scratch("packed_symmetric");
    built(m_.bytes(), m_.padding(upper->nonzeros()),
          m_.description(upper->nonzeros()) + ", " + std::to_string(partition_.parts()) +
              " parts, " + std::to_string(partition_.width) + " vectors at once, scratch " +
              format_bytes(partition_.scratch_bytes()));
  }

  /// One product at a time: the buffers are the operator's.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    partition_.for_each_block(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      multiply<k>(alpha, x.slice(first, k), beta, y.slice(first, k));
    });
  }

 private:
  template <int K>
  void multiply(double alpha, ConstView x, double beta, View y) const {
#pragma omp parallel if (shared_out(K))
    {
#pragma omp for schedule(static, 1)
      for (int p = 0; p < partition_.parts(); ++p) add_part<K>(p, alpha, x, beta, y);
#pragma omp for schedule(static)
      for (Index i = partition_.starts[1]; i < m_.rows; ++i) {
        partition_.add_buffers<1, K>(scratch_, i, y);
      }
    }
  }

  /// The part's rows of βY, and what its entries add there and to its buffer.
  template <int K>
  void add_part(int p, double alpha, ConstView x, double beta, View y) const {
    const Index begin = partition_.starts[p], end = partition_.starts[p + 1];
    double* const behind = partition_.buffer<1, K>(scratch_, p);
    std::fill_n(behind, Offset{m_.rows - end} * K, 0.0);
    partition_.scale_part<1, K>(p, beta, y);
    for (Index s = begin; s < end; ++s) {
      const Index i = row_of(m_, s);
      const double* from = x.data + Offset{i} * x.stride;
      double own[K], sum[K] = {};
      for (int j = 0; j < K; ++j) own[j] = alpha * from[j];
      for_each_entry(m_, s, [&](Index column, double value) {
        const double* of_column = x.data + Offset{column} * x.stride;
        for (int j = 0; j < K; ++j) sum[j] += value * of_column[j];
        if (column == i) return;
        double* to =
            column < end ? y.data + Offset{column} * y.stride : behind + Offset{column - end} * K;
        for (int j = 0; j < K; ++j) to[j] += value * own[j];
      });
      double* to = y.data + Offset{i} * y.stride;
      for (int j = 0; j < K; ++j) to[j] += alpha * sum[j];
    }
  }

  PackedMatrix m_;  ///< the triangle
  SymmetricPartition partition_;
  mutable Array<double> scratch_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_packed_symmetric_cpu(std::shared_ptr<const CsrMatrix> a,
                                                          Backend& backend, const FormatOptions&) {
  return std::make_unique<PackedSymmetricOperator>(a, backend);
}

}  // namespace cisolve
