#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/reference.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/plain_backend.hpp"

namespace cisolve::testing {

/// The backends every suite runs over; "checked" is the CPU behind a device's memory rules.
inline const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names{"cpu", "checked", "cuda"};
  return names;
}

/// And "plain", whose operations are those that Backend writes over its primitives: for tests of
/// the operations.
inline std::vector<std::string> all_backend_names() {
  std::vector<std::string> names = backend_names();
  names.push_back("plain");
  return names;
}

/// Null where there is no such device: skip the test then. One that is there and cannot be used is
/// a failure.
inline std::unique_ptr<Backend> make_backend(const std::string& name) {
  if (!cuda_module_fault().empty()) throw ResourceError(cuda_module_fault());
  if (name == "cpu") return make_cpu_backend();
  if (name == "checked") return make_checked_backend();
  if (name == "plain") return std::make_unique<PlainBackend>();
  return cuda_unavailable_reason().empty() ? make_cuda_backend() : nullptr;
}

#define CISOLVE_BACKEND_OR_SKIP(variable, name)                                \
  const auto variable##_owner = ::cisolve::testing::make_backend(name);        \
  if (!variable##_owner) GTEST_SKIP() << ::cisolve::cuda_unavailable_reason(); \
  ::cisolve::Backend& variable = *variable##_owner

/// The operator on that backend, behind the checked backend's rules where it is that one.
inline std::unique_ptr<LinearOperator> operator_on(const std::string& backend_name,
                                                   Backend& backend, const std::string& format,
                                                   const CsrMatrix& a,
                                                   const FormatOptions& options = {}) {
  const auto shared = std::make_shared<const CsrMatrix>(a);
  if (backend_name != "checked") return make_operator(format, shared, backend, options);
  // The inner operator keeps its arrays on the plain host.
  class Owning final : public ForwardingOperator {
   public:
    Owning(std::shared_ptr<const CsrMatrix> m, const std::string& name, const FormatOptions& o)
        : inner_(checked_operator(make_operator(name, std::move(m), *host_, o))) {}

   private:
    LinearOperator& inner() const override { return *inner_; }
    std::unique_ptr<Backend> host_ = make_cpu_backend();
    std::unique_ptr<LinearOperator> inner_;
  };
  return std::make_unique<Owning>(shared, format, options);
}

inline HostMatrix random_block(Index rows, int columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  return HostMatrix::NullaryExpr(rows, columns, [&] { return normal(engine); });
}

/// A copy of host vectors on a backend.
inline MultiVector on(Backend& backend, const HostMatrix& host) {
  MultiVector v(backend, static_cast<Index>(host.rows()), static_cast<int>(host.cols()));
  backend.upload(host, v.view());
  return v;
}

/// AX on the host, of X on the host.
inline HostMatrix product(Backend& backend, const LinearOperator& a, const HostMatrix& x) {
  const auto device_x = on(backend, x);
  MultiVector y(backend, a.rows(), static_cast<int>(x.cols()));
  a.apply(1.0, device_x.view(), 0.0, y.view());
  return backend.download(y.view());
}

/// The number of threads, put back at the end.
class Threads {
 public:
  explicit Threads(int count) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

/// The matrix whose row i holds random values in the columns that `columns_of(i)` gives.
inline CsrMatrix matrix_of_rows(Index rows, Index columns,
                                const std::function<std::vector<Index>(Index)>& columns_of,
                                unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  CsrMatrix a;
  a.rows = rows;
  a.columns = columns;
  a.row_offsets.push_back(0);
  for (Index i = 0; i < rows; ++i) {
    std::vector<Index> row = columns_of(i);
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const Index j : row) {
      a.column_indices.push_back(j);
      a.values.push_back(normal(engine));
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

/// The symmetric matrix that has entries (i, j) and (j, i) wherever `columns_of(i)` holds j.
inline CsrMatrix symmetric_matrix_of_rows(
    Index rows, const std::function<std::vector<Index>(Index)>& columns_of, unsigned seed = 1) {
  const CsrMatrix drawn = matrix_of_rows(rows, rows, columns_of, seed);
  std::vector<std::map<Index, double>> entries(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Offset e = drawn.row_offsets[i]; e < drawn.row_offsets[i + 1]; ++e) {
      const Index j = drawn.column_indices[e];
      entries[i][j] = entries[j][i] = drawn.values[e];
    }
  }
  CsrMatrix a{rows, rows, {0}, {}, {}};
  for (const auto& row : entries) {
    for (const auto& [j, value] : row) {
      a.column_indices.push_back(j);
      a.values.push_back(value);
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

/// Σ_j |a_ij| |x_jk|, the scale of the rounding error of (AX)_ik.
inline HostMatrix reference_magnitude(CsrMatrix a, const HostMatrix& x) {
  for (double& value : a.values) value = std::abs(value);
  return reference_product(a, x.cwiseAbs());
}

/// Elements within ±1 at about so large a part of the places, the same ones on every call.
inline HostMatrix random_symmetric(Index n, double density) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  HostMatrix a = HostMatrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      if (std::abs(uniform(random)) < density) a(i, j) = a(j, i) = uniform(random);
    }
  }
  return a;
}

/// The nonzeros of a dense matrix.
inline CsrMatrix from_dense(const HostMatrix& dense) {
  CsrMatrix a;
  a.rows = static_cast<Index>(dense.rows());
  a.columns = static_cast<Index>(dense.cols());
  a.row_offsets.push_back(0);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.columns; ++j) {
      if (dense(i, j) == 0.0) continue;
      a.column_indices.push_back(j);
      a.values.push_back(dense(i, j));
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

inline HostMatrix to_dense(const CsrMatrix& a) {
  HostMatrix dense = HostMatrix::Zero(a.rows, a.columns);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      dense(i, a.column_indices[e]) = a.values[e];
    }
  }
  return dense;
}

/// A symmetric matrix like a CI one: an ascending diagonal and small random couplings.
inline CsrMatrix ci_like_matrix(Index rows, int couplings_per_row, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> any(0, rows - 1);
  std::normal_distribution<double> normal;
  HostMatrix dense = HostMatrix::Zero(rows, rows);
  for (Index i = 0; i < rows; ++i) {
    dense(i, i) = -2.0 + 5.0 * i / rows + 0.01 * normal(engine);
    for (int c = 0; c < couplings_per_row; ++c) {
      const Index j = any(engine);
      if (i != j) dense(i, j) = dense(j, i) = 0.05 * normal(engine);
    }
  }
  return from_dense(dense);
}

/// A name GoogleTest takes.
inline std::string test_name(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

}  // namespace cisolve::testing
