// Complex integrals over spinors, through the library's public headers.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "cisolve/cisolve.hpp"
#include "tests/support/integrals/random_spinors.hpp"

namespace cisolve {
namespace {

/// One electron in two spinors: h = (1, i; −i, 2), of which the eigenvalues are 3/2 ± √5/2.
struct TwoSpinors {
  std::vector<double> h1{1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 2.0, 0.0};
  std::vector<double> eri = std::vector<double>(32, 0.0);

  SpinorArrays arrays() const { return {2, h1, eri, 1, 0.5}; }
  std::string refusal(const DeterminantSettings& settings = {}) const {
    try {
      Hamiltonian::from_spinors(arrays(), settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(LibrarySpinors, HaveComplexVectors) {
  const auto hamiltonian = Hamiltonian::from_spinors(TwoSpinors().arrays());
  EXPECT_EQ(hamiltonian.rows(), 2);
  EXPECT_EQ(hamiltonian.components(), 2);
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates found = lowest_eigenstates(hamiltonian, settings);
  EXPECT_EQ(found.components, 2);
  EXPECT_EQ(found.vectors.size(), 8u);
  EXPECT_NEAR(found.states[0].energy, 2.0 - std::sqrt(1.25), 1e-10);
  EXPECT_NEAR(found.states[1].energy, 2.0 + std::sqrt(1.25), 1e-10);
  const DeterminantMasks masks = determinant_masks(hamiltonian);
  EXPECT_EQ(masks.alpha, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_THROW(density_matrices(hamiltonian, {found.vectors, 2}, false), InputError);
}

TEST(LibrarySpinors, ErrorsNameTheElements) {
  TwoSpinors wrong;
  wrong.h1[3] += 1e-3;
  EXPECT_NE(wrong.refusal().find("h1, elements (1, 0) and (0, 1)"), std::string::npos)
      << wrong.refusal();
  wrong = {};
  wrong.eri[2 * 3] = 1.0;  // (00|11) without (11|00)
  EXPECT_NE(wrong.refusal().find("(0, 0, 1, 1)"), std::string::npos) << wrong.refusal();
  wrong = {};
  wrong.eri[1] = 1.0;  // (00|00) is real
  EXPECT_NE(wrong.refusal().find("eri, elements (0, 0, 0, 0)"), std::string::npos)
      << wrong.refusal();
  wrong = {};
  wrong.eri[5] = std::nan("");
  EXPECT_EQ(wrong.refusal(), "eri: element 2 is not finite");
  wrong = {};
  wrong.h1.pop_back();
  EXPECT_EQ(wrong.refusal(), "h1: found 7 real numbers, expected 8");
  DeterminantSettings settings;
  settings.electrons = 3;
  EXPECT_EQ(TwoSpinors().refusal(settings), "electrons: found 3, expected 1 to 2");
  settings = {};
  settings.ms2 = 1;
  EXPECT_NE(TwoSpinors().refusal(settings).find("ms2: not of spinors"), std::string::npos);
}

TEST(LibrarySpinors, AreNoTermsOfSums) {
  const auto hamiltonian = Hamiltonian::from_spinors(TwoSpinors().arrays());
  EXPECT_THROW(hamiltonian + hamiltonian, InputError);
}

/// 5 electrons in 10 spinors that are Kramers pairs.
Hamiltonian over_kramers_pairs() {
  constexpr int n = 10;
  const SpinorIntegrals in = random_kramers_spinors(n, 5, 31);
  std::vector<double> h1, eri;
  const auto append = [](std::vector<double>& to, Complex value) {
    to.insert(to.end(), {value.real(), value.imag()});
  };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      append(h1, in.h(p, q));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) append(eri, in.g(p, q, r, s));
      }
    }
  }
  return Hamiltonian::from_spinors({n, h1, eri, 5, in.core_energy});
}

/// Eigenstates of the complex matrix, whose products these are.
void expect_eigenstates(const Hamiltonian& hamiltonian, const Eigenstates& found) {
  const auto rows = static_cast<std::size_t>(found.rows), k = found.states.size();
  ASSERT_EQ(rows, 252u);
  ASSERT_EQ(found.components, 2);
  ASSERT_EQ(found.vectors.size(), 2 * rows * k);
  std::vector<double> image(found.vectors.size());
  Product(hamiltonian).apply(found.vectors, image, static_cast<int>(k));
  const auto element = [&](const std::vector<double>& x, std::size_t row, std::size_t j) {
    return Complex(x[2 * row * k + j], x[(2 * row + 1) * k + j]);
  };
  for (std::size_t j = 0; j < k; ++j) {
    double residual = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
      residual += std::norm(element(image, row, j) -
                            found.states[j].energy * element(found.vectors, row, j));
    }
    EXPECT_LT(std::sqrt(residual), 1e-8);
    EXPECT_NEAR(std::sqrt(residual), found.states[j].residual_norm, 1e-10);
    for (std::size_t i = 0; i <= j; ++i) {
      Complex overlap = 0.0;
      for (std::size_t row = 0; row < rows; ++row) {
        overlap += std::conj(element(found.vectors, row, i)) * element(found.vectors, row, j);
      }
      EXPECT_LT(std::abs(overlap - (i == j ? 1.0 : 0.0)), 1e-10) << i << ", " << j;
    }
  }
}

TEST(LibraryKramersPairs, GiveEigenstatesOfTheComplexMatrix) {
  const Hamiltonian hamiltonian = over_kramers_pairs();
  EXPECT_EQ(hamiltonian.components(), 2);
  for (const int states : {1, 2, 5, 8}) {
    for (const EigenMethod method :
         {EigenMethod::davidson, EigenMethod::lobpcg, EigenMethod::lanczos}) {
      EigenSettings settings;
      settings.states = states;
      settings.method = method;
      settings.tolerance = 1e-8;
      const Eigenstates found = lowest_eigenstates(hamiltonian, settings);
      EXPECT_EQ(found.status, SolveStatus::converged);
      ASSERT_EQ(found.states.size(), static_cast<std::size_t>(states));
      expect_eigenstates(hamiltonian, found);
      EXPECT_NE(found.report.text().find("\"quaternion\""), std::string::npos);
    }
  }
}

TEST(LibraryKramersPairs, BeginFromComplexVectors) {
  const Hamiltonian hamiltonian = over_kramers_pairs();
  EigenSettings settings;
  settings.states = 5;
  settings.tolerance = 1e-8;
  const Eigenstates first = lowest_eigenstates(hamiltonian, settings);
  Call<EigenObserver> call;
  call.start = {first.vectors, 5};  // both states of a pair, which are one vector over quaternions
  const Eigenstates again = lowest_eigenstates(hamiltonian, settings, call);
  expect_eigenstates(hamiltonian, again);
  EXPECT_EQ(again.iterations, 1);
  call.start = {std::span(first.vectors).first(first.vectors.size() - 5), 5};
  EXPECT_THROW(lowest_eigenstates(hamiltonian, settings, call), InputError);
}

}  // namespace
}  // namespace cisolve
