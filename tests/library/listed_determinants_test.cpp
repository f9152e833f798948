// Lists of determinants in arrays and files, through the library's public headers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "cisolve/cisolve.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

std::filesystem::path nitrogen() {
  return test_data() / "n2_sto3g.fcidump";
}

Hamiltonian over(DeterminantArrays list) {
  DeterminantSettings settings;
  settings.listed = std::make_shared<const DeterminantArrays>(std::move(list));
  return Hamiltonian::read(nitrogen(), settings);
}

Eigenstates solved(const Hamiltonian& hamiltonian) {
  EigenSettings settings;
  settings.tolerance = 1e-8;
  Call<EigenObserver> call;
  call.machine.backend = Device::cpu;
  return lowest_eigenstates(hamiltonian, settings, call);
}

DeterminantMasks cisd() {
  DeterminantSettings settings;
  settings.space = Space::cisd;
  return determinant_masks(Hamiltonian::read(nitrogen(), settings));
}

void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    FAIL() << "no error, expected: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ListedDeterminants, InAnyOrderHaveRowsThatAscend) {
  const DeterminantMasks truncated = cisd();
  DeterminantArrays list{truncated.alpha, truncated.beta};
  std::ranges::reverse(list.alpha);
  std::ranges::reverse(list.beta);
  const Hamiltonian listed = over(list);
  const DeterminantMasks found = determinant_masks(listed);
  ASSERT_EQ(found.alpha.size(), truncated.alpha.size());
  EXPECT_EQ(found.strings, std::pair(std::int64_t{0}, std::int64_t{0}));
  for (std::size_t i = 1; i < found.alpha.size(); ++i) {
    EXPECT_LT(std::pair(found.alpha[i - 1], found.beta[i - 1]),
              std::pair(found.alpha[i], found.beta[i]));
  }
  DeterminantSettings settings;
  settings.space = Space::cisd;
  EXPECT_NEAR(solved(listed).states[0].energy,
              solved(Hamiltonian::read(nitrogen(), settings)).states[0].energy, 1e-10);
}

TEST(ListedDeterminants, OfAProductAreAllPairsOfItsStrings) {
  // Seven of ten orbitals; a word more than is needed, as strings of 128 orbitals have.
  const DeterminantArrays list{
      {0b1101110110, 0, 0b1111111, 0, 0b1011111001, 0}, {0b1110111001, 0, 0b1111111, 0}, 2, true};
  const DeterminantMasks found = determinant_masks(over(list));
  EXPECT_EQ(found.strings, std::pair(std::int64_t{3}, std::int64_t{2}));
  const std::vector<std::uint64_t> alpha{0b1111111, 0b1011111001, 0b1101110110},
      beta{0b1111111, 0b1110111001};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      EXPECT_EQ(found.alpha[2 * a + b], alpha[a]);
      EXPECT_EQ(found.beta[2 * a + b], beta[b]);
    }
  }
  EXPECT_EQ(solved(over(list)).rows, 6);
}

TEST(ListedDeterminants, OfAFileAreThoseOfArrays) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cisolve_strings_" + std::to_string(getpid()) + ".txt");
  std::ofstream(file) << "0001111111\n1011111001\n";
  DeterminantSettings settings;
  settings.strings = file.string();
  const Hamiltonian named = Hamiltonian::read(nitrogen(), settings);
  const std::vector<std::uint64_t> both{0b1111111, 0b1011111001};
  EXPECT_EQ(determinant_masks(named).alpha, determinant_masks(over({both, both, 1, true})).alpha);
  EXPECT_EQ(named.rows(), 4);
  std::filesystem::remove(file);
}

TEST(ListedDeterminants, ErrorsSayWhichStringIsWrong) {
  const std::uint64_t right = 0b1111111;
  expect_error([&] { over({{right, right}, {right}}).rows(); }, "2 alpha and 1 beta");
  expect_error([&] { over({{right}, {0b111111}}).rows(); }, "found 6 beta electrons");
  expect_error([&] { over({{right, 0, 1}, {right, 0}, 2}).rows(); }, "alpha: found 3 words");
  expect_error([&] { over({{right}, {right}, 0}).rows(); }, "expected 0 for each");
  expect_error(
      [&] {
        over({{right, 0, 1}, {right, 0, 0}, 3}).rows();
      },
      "alpha string 1: found an orbital beyond 128");
  expect_error([&] { over({{right}, {right << 4}}).rows(); }, "occupies orbital 11");
  expect_error(
      [&] {
        over({{right, right}, {right, right}}).rows();
      },
      "determinant 2 is also determinant 1");
  expect_error([&] { over({}).rows(); }, "found 0");

  DeterminantSettings settings;
  settings.listed = std::make_shared<const DeterminantArrays>(DeterminantArrays{{right}, {right}});
  settings.strings = "strings.txt";
  expect_error([&] { Hamiltonian::read(nitrogen(), settings).rows(); },
               "input.strings lists determinants, and arrays do, too");
  settings.strings.clear();
  settings.space = Space::cisd;
  expect_error([&] { Hamiltonian::read(nitrogen(), settings).rows(); }, "input.space");
  settings.space = Space::fci;
  expect_error([&] { Hamiltonian::read("generate:ci,rows=50", settings).rows(); },
               "input.determinants chooses determinants");
}

}  // namespace
}  // namespace cisolve
