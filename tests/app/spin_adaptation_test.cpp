// Degenerate levels whose states are mixed on purpose, on every backend there is.
#include "app/states/spin_adaptation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/states/spin.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// A Hubbard ring of four sites without repulsion: two electrons below, two in a degenerate pair of
/// orbitals, so that three singlets and a triplet have one energy.
struct Ring {
  Integrals integrals = hubbard_integrals({4, 1.0, 0.0, 4});
  CiSpace space = make_ci_space(integrals, {});
  SpinPairExcitations excitations = make_pair_excitations(space);
  CsrMatrix matrix = [this] {
    const CiMatrixBuilder builder(integrals, space);
    return builder.fill(builder.count());
  }();
  SpinSquare s_squared(Backend& backend) const {
    return [&](ConstView x, View y) {
      backend.upload(apply_s_squared(space, excitations, backend.download(x)), y);
    };
  }
  SymmetricEigen exact = symmetric_eigen(to_dense(matrix), 4);
};

/// States of definite spin, which the eigenvectors of a degenerate level need not be, mixed so that
/// each has a quarter of every one of them: <S²> = 1/2 in all four.
EigenResult mixed_result(const Ring& ring, Backend& backend) {
  HostMatrix image(ring.exact.vectors.rows(), 4);
  for (Eigen::Index j = 0; j < 4; ++j) {
    image.col(j) = apply_s_squared(ring.space, ring.excitations, ring.exact.vectors.col(j));
  }
  const HostMatrix of_spin = symmetric_eigen(ring.exact.vectors.transpose() * image).vectors;
  const HostMatrix rotation = HostMatrix::Identity(4, 4) - HostMatrix::Constant(4, 4, 0.5);
  EigenResult result;
  result.vectors = on(backend, ring.exact.vectors * of_spin * rotation);
  result.energies.assign(ring.exact.values.data(), ring.exact.values.data() + 4);
  result.residual_norms.assign(4, 1e-12);
  result.converged.assign(4, true);
  return result;
}

std::vector<double> spins(const Ring& ring, const HostMatrix& vectors) {
  std::vector<double> list;
  for (Eigen::Index j = 0; j < vectors.cols(); ++j) {
    const HostVector x = vectors.col(j);
    list.push_back(x.dot(apply_s_squared(ring.space, ring.excitations, x)));
  }
  std::ranges::sort(list);
  return list;
}

class SpinAdaptation : public ::testing::TestWithParam<std::string> {};

TEST_P(SpinAdaptation, ParsSingletsFromTripletsOfOneEnergy) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const Ring ring;
  ASSERT_NEAR(ring.exact.values[0], -4.0, 1e-12);
  ASSERT_NEAR(ring.exact.values[3], -4.0, 1e-12);
  EigenResult result = mixed_result(ring, backend);
  for (const double spin : spins(ring, backend.download(result.vectors.view()))) {
    EXPECT_NEAR(spin, 0.5, 1e-12);
  }

  const auto a = operator_on(GetParam(), backend, "csr", ring.matrix);
  adapt_spin(result, *a, backend, ring.s_squared(backend), 1e-6);
  const HostMatrix x = backend.download(result.vectors.view());
  const std::vector<double> expected{0, 0, 0, 2};
  for (int j = 0; j < 4; ++j) {
    EXPECT_NEAR(spins(ring, x)[j], expected[j], 1e-12);
    EXPECT_LE(result.residual_norms[j], 1e-12);
    EXPECT_GT(result.residual_norms[j], 0.0);
    EXPECT_TRUE(result.converged[j]);
  }
  EXPECT_LE((x.transpose() * x - HostMatrix::Identity(4, 4)).norm(), 1e-12);
  EXPECT_LE((to_dense(ring.matrix) * x + 4.0 * x).norm(), 1e-11);
  EXPECT_EQ(result.operator_applications, 4);
}

TEST_P(SpinAdaptation, LeavesStatesOfDifferentEnergiesAlone) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const Ring ring;
  EigenResult result = mixed_result(ring, backend);
  result.energies = {-4.0, -3.9, -3.8, -3.7};
  const HostMatrix before = backend.download(result.vectors.view());
  const auto a = operator_on(GetParam(), backend, "csr", ring.matrix);
  adapt_spin(result, *a, backend, ring.s_squared(backend), 1e-6);
  EXPECT_EQ(backend.download(result.vectors.view()), before);
  EXPECT_EQ(result.operator_applications, 0);
}

TEST_P(SpinAdaptation, KeepsTheSolversStatesWhereTheResidualWouldMissTheTolerance) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const Ring ring;
  EigenResult result = mixed_result(ring, backend);
  // Energies within the level, but further from −4 than the tolerance allows.
  result.energies = {-4.0 - 5e-8, -4.0, -4.0, -4.0};
  const HostMatrix before = backend.download(result.vectors.view());
  const auto a = operator_on(GetParam(), backend, "csr", ring.matrix);
  adapt_spin(result, *a, backend, ring.s_squared(backend), 1e-11);
  EXPECT_EQ(backend.download(result.vectors.view()), before);
  EXPECT_EQ(result.energies[0], -4.0 - 5e-8);
  EXPECT_EQ(result.residual_norms[0], 1e-12);
}

TEST_P(SpinAdaptation, DoesNotMixDegenerateStatesOfEqualSpin) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const Ring ring;
  EigenResult result = mixed_result(ring, backend);
  const auto a = operator_on(GetParam(), backend, "csr", ring.matrix);
  adapt_spin(result, *a, backend, ring.s_squared(backend), 1e-6);
  const HostMatrix once = backend.download(result.vectors.view());
  adapt_spin(result, *a, backend, ring.s_squared(backend), 1e-6);
  EXPECT_EQ(backend.download(result.vectors.view()), once);
}

INSTANTIATE_TEST_SUITE_P(Backends, SpinAdaptation, ::testing::ValuesIn(backend_names()),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace cisolve
