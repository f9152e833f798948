#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/support.hpp"

namespace cisolve::testing {

inline PSpace p_space_of(const CsrMatrix& a, int size) {
  PSpace p;
  p.rows = lowest_diagonal_rows(diagonal(a), size);
  p.matrix = principal_submatrix(a, p.rows);
  return p;
}

inline HostVector dense_eigenvalues(const CsrMatrix& a) {
  return symmetric_eigen(to_dense(a)).values;
}

/// Options whose outcome does not depend on how busy the machine is.
inline EigenOptions thorough_options() {
  EigenOptions options;
  options.verify = Verify::thorough;
  return options;
}

/// ‖AX − XΘ‖ ≤ tolerance column by column and XᵀX = 1, computed on the host.
inline void expect_eigenpairs(const CsrMatrix& a, Backend& backend, const EigenResult& result,
                              double tolerance) {
  const HostMatrix x = backend.download(result.vectors.view());
  const Eigen::Map<const HostVector> theta(result.energies.data(),
                                           static_cast<Eigen::Index>(result.energies.size()));
  const HostMatrix residual = to_dense(a) * x - x * theta.asDiagonal();
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    EXPECT_LE(residual.col(j).norm(), tolerance);
    EXPECT_NEAR(residual.col(j).norm(), result.residual_norms[j], 1e-10);
  }
  EXPECT_LE((x.transpose() * x - HostMatrix::Identity(x.cols(), x.cols())).norm(), 1e-10);
}

inline void expect_lowest(const CsrMatrix& a, const EigenResult& result, double tolerance) {
  const HostVector exact = dense_eigenvalues(a);
  for (std::size_t j = 0; j < result.energies.size(); ++j) {
    EXPECT_NEAR(result.energies[j], exact[static_cast<Eigen::Index>(j)], tolerance)
        << "state " << j;
  }
}

/// P-space with sectors, as the application gives it to Davidson.
inline PSpace p_space_with_sectors(const CsrMatrix& a, int size) {
  PSpace p = p_space_of(a, size);
  p.sectors = connected_sectors(a.row_offsets, a.column_indices);
  return p;
}

/// The state that a solve ends with, its vectors in host memory: to be gone on from.
class KeptState {
 public:
  /// For EigenOptions::checkpoint; this object outlives the solve.
  CheckpointHook hook() {
    return [this](int, bool last, const std::function<SolverState()>& state) {
      if (!last) return;
      state_ = state();
      pairs_.resize(state_.vectors);
      for (int j = 0; j < state_.vectors; ++j) state_.read(j, pairs_[j].first, pairs_[j].second);
      state_.read = [this](int j, HostMatrix& x, HostMatrix& ax) {
        std::tie(x, ax) = pairs_.at(j);
      };
    };
  }
  const SolverState& state() const { return state_; }

 private:
  SolverState state_;
  std::vector<std::pair<HostMatrix, HostMatrix>> pairs_;
};

struct Method {
  std::string name;
  EigenMethod method;
};
inline void PrintTo(const Method& method, std::ostream* out) {
  *out << method.name;
}
inline const std::vector<Method> methods{{"davidson", EigenMethod::davidson},
                                         {"lobpcg", EigenMethod::lobpcg},
                                         {"lanczos", EigenMethod::lanczos}};

/// "cpu_davidson": for INSTANTIATE_TEST_SUITE_P over backends and methods.
inline std::string name_of_method_test(
    const ::testing::TestParamInfo<std::tuple<std::string, Method>>& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
}

/// A method on a backend.
class Eigensolver : public ::testing::TestWithParam<std::tuple<std::string, Method>> {
 protected:
  const std::string& backend_name() const { return std::get<0>(GetParam()); }
  EigenResult solve(Backend& backend, const CsrMatrix& a, const PSpace& p, EigenOptions options,
                    const EigenObserver& observer = {}) const {
    const auto op = operator_on(backend_name(), backend, "csr", a);
    options.method = std::get<1>(GetParam()).method;
    return lowest_eigenpairs(*op, backend, p, options, observer);
  }
};

}  // namespace cisolve::testing
