// An FCIDUMP file read by all threads is what it is read line by line.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

class ParallelReader : public ::testing::Test {
 protected:
  ~ParallelReader() override { least_shared_work = before_; }

  void expect_same_values(const TwoElectron& a, const TwoElectron& b) const {
    ASSERT_EQ(a.pairs(), b.pairs());
    for (int pq = 0; pq < a.pairs(); ++pq) {
      for (int rs = 0; rs < a.pairs(); ++rs) ASSERT_EQ(a.row(pq)[rs], b.row(pq)[rs]);
    }
  }
  /// Read by lines, and by threads where the text allows it.
  template <class Read>
  auto both(const Read& read) const {
    least_shared_work = std::numeric_limits<double>::infinity();
    auto by_lines = read();
    least_shared_work = 0.0;
    return std::pair(std::move(by_lines), read());
  }

 private:
  double before_ = least_shared_work;
};

TEST_F(ParallelReader, GivesTheSameIntegrals) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data())) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".fcidump") || name.ends_with(".bad.fcidump")) continue;
    SCOPED_TRACE(name);
    const auto [lines, threads] = both([&] { return read_fcidump(entry.path()); });
    expect_same_values(*lines.alpha_alpha, *threads.alpha_alpha);
    expect_same_values(*lines.alpha_beta, *threads.alpha_beta);
    for (int p = 0; p < lines.orbitals; ++p) {
      for (int q = 0; q < lines.orbitals; ++q) {
        ASSERT_EQ((*lines.one_electron[beta])(p, q), (*threads.one_electron[beta])(p, q));
      }
    }
    EXPECT_EQ(lines.core_energy, threads.core_energy);
    EXPECT_EQ(lines.orbital_energies, threads.orbital_energies);
    EXPECT_EQ(lines.orbital_irreps, threads.orbital_irreps);
    EXPECT_EQ(lines.warnings, threads.warnings);
    ++files;
  }
  EXPECT_GE(files, 8);
}

TEST_F(ParallelReader, TakesTheSpellingsOfNumbersAndEndsOfLines) {
  const std::string text =
      "&FCI NORB=2,NELEC=2,MS2=0,\n &END\n"
      "\n 0.7D0 1 1 1 1\r\n+6.0E-01\t2 2 1 1  \n\n.2 2 1 2 1\n"
      "6.5d-01 2 2 2 2\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n0.8 0 0 0 0";
  const auto [lines, threads] = both([&] { return read_fcidump(NamedText{"text", text}); });
  expect_same_values(*lines.alpha_alpha, *threads.alpha_alpha);
  EXPECT_EQ((*threads.alpha_alpha)(1, 1, 1, 1), 0.65);
  EXPECT_EQ((*threads.alpha_alpha)(1, 1, 0, 0), 0.6);
  EXPECT_EQ(threads.core_energy, 0.8);
}

TEST_F(ParallelReader, ReadsNumbersToTheLastBit) {
  // Numbers of many digits and few, of either sign, beyond the reach of one rounded operation, and
  // indices of every width.
  const std::vector<std::string> numbers = {"0.1",
                                            "-0.01234567890123456",
                                            "9007199254740993.0",
                                            "123456789012345678e-20",
                                            "1e22",
                                            "1e23",
                                            "-4.35e-13",
                                            "0.000000000000000000001",
                                            "8.5E+01",
                                            "1234567",
                                            "12345678",
                                            "123456789.",
                                            ".25",
                                            "-.5e0",
                                            "7.0000000000000001",
                                            "3.141592653589793238462643",
                                            "2.5e-0005",
                                            "00000000000000000001"};
  std::string text = "&FCI NORB=12,NELEC=2,MS2=0, &END\n";
  int p = 1, q = 1;
  for (const std::string& number : numbers) {
    text += number + "  " + std::to_string(p) + "   " + std::to_string(q) + "\t1    1\n";
    if (++q > p) ++p, q = 1;
  }
  for (int i = 1; i <= 12; ++i)
    text += "0 " + std::to_string(i) + " " + std::to_string(i) + " 0 0\n";
  const auto [lines, threads] = both([&] { return read_fcidump(NamedText{"text", text}); });
  expect_same_values(*lines.alpha_alpha, *threads.alpha_alpha);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(threads.alpha_alpha->row(static_cast<int>(i))[0], std::stod(numbers[i]));
  }
}

TEST_F(ParallelReader, HoldsARepeatOfAZeroAgainstIt) {
  const std::string text =
      "&FCI NORB=2,NELEC=2,MS2=0, &END\n 0.0 1 1 2 2\n-0.0 2 1 2 1\n 0.5 2 2 1 1\n"
      "-1 1 1 0 0\n-1 2 2 0 0\n";
  const auto message = [&]() -> std::string {
    try {
      read_fcidump(NamedText{"text", text});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto [lines, threads] = both(message);
  EXPECT_EQ(lines, threads);
  EXPECT_NE(threads.find("line 2 gives the same quantity as 0"), std::string::npos) << threads;
}

TEST_F(ParallelReader, SaysTheSameOfWhatIsWrong) {
  int refused = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test_data() / "malformed")) {
    if (entry.path().extension() != ".fcidump") continue;
    const auto message = [&]() -> std::string {
      try {
        read_fcidump(entry.path());
      } catch (const InputError& error) {
        return error.what();
      }
      return "";
    };
    const auto [lines, threads] = both(message);
    EXPECT_EQ(lines, threads) << entry.path();
    refused += lines.empty() ? 0 : 1;
  }
  EXPECT_GE(refused, 10);
}

}  // namespace
}  // namespace cisolve
