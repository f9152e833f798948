// Complex integrals over spinors, through the library's public headers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cisolve/cisolve.hpp"

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

}  // namespace
}  // namespace cisolve
