// Gzip files too long to be unpacked at once are read as they are written plain.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "io/matrix_file.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cisolve {
namespace {

constexpr std::size_t long_text = 40'000'000;

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Blanks at the ends of all lines but the first `head`, so many that the text is long.
std::string padded(const std::string& text, int head) {
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string blanks(long_text / static_cast<std::size_t>(lines), ' ');
  std::string result;
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    result += line + (number > head ? blanks : "") + "\n";
  }
  return result;
}

template <class Call>
std::string fault_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class LongGzip : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(LongGzip, FcidumpFilesAreReadAsPlainOnes) {
  for (const std::string name : {"n2_sto3g", "o2_sto3g_uhf"}) {
    const auto plain = test_data() / (name + ".fcidump");
    const auto packed = write_gzip(folder_ / (name + ".gz"), padded(text_of(plain), 20));
    const Integrals expected = read_fcidump(plain), read = read_fcidump(packed);
    EXPECT_EQ(read.orbitals, expected.orbitals);
    EXPECT_EQ(read.core_energy, expected.core_energy);
    EXPECT_EQ(read.warnings, expected.warnings);
    const int pairs = expected.alpha_alpha->pairs();
    for (int pq = 0; pq < pairs; ++pq) {
      for (int rs = 0; rs < pairs; ++rs) {
        ASSERT_EQ(read.alpha_beta->row(pq)[rs], expected.alpha_beta->row(pq)[rs]);
      }
    }
  }
}

TEST_F(LongGzip, AFaultOfAnFcidumpFileIsNamedWithItsLine) {
  std::string text = text_of(test_data() / "n2_sto3g.fcidump");
  const auto last = std::count(text.begin(), text.end(), '\n');
  const auto packed = folder_ / "f.gz";
  const std::string cut = padded(text + "0.5 1 1\n", 20);
  write_gzip(packed, cut.substr(0, cut.size() - 1));
  const std::string line = packed.string() + ":" + std::to_string(last + 1);
  EXPECT_EQ(fault_of([&] { read_fcidump(packed); }),
            line + ": found 3 fields, expected 5: value i j k l (the file seems cut short)");
  write_gzip(packed, padded(text, 20) + "\n\n0.5 1 1\n");  // blank lines count
  EXPECT_EQ(fault_of([&] {
              read_fcidump(packed);
            }).find(packed.string() + ":" + std::to_string(last + 3) + ": "),
            0u);
  write_gzip(packed, padded(text + "0.5 2 1 1 1\n0.7 1 2 1 1\n", 20));
  EXPECT_NE(fault_of([&] { read_fcidump(packed); }).find(" gives the same quantity as "),
            std::string::npos);
}

TEST_F(LongGzip, WordsBehindTheCoreEnergyGoOverBlocks) {
  // An integral behind words: they took another's place, far behind the first block.
  const std::string text = padded(text_of(test_data() / "n2_sto3g.fcidump"), 20);
  std::string words;
  while (words.size() < long_text / 2) words += "these are words and no integrals\n\n";
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const auto packed = folder_ / "w.gz";
  write_gzip(packed, text + words);
  EXPECT_EQ(fault_of([&] { read_fcidump(packed); }), "no error");
  write_gzip(packed, text + words + "0.5 1 1 1 1\n");
  EXPECT_EQ(fault_of([&] { read_fcidump(packed); }),
            packed.string() + ":" + std::to_string(lines + 1) +
                ": found 6 fields, expected 5: value i j k l");
}

TEST_F(LongGzip, DamageIsNamedWhereverAFileIsReadAgain) {
  const auto packed = folder_ / "d.gz";
  write_gzip(packed, padded(text_of(test_data() / "n2_sto3g.fcidump"), 20));
  std::string bytes = text_of(packed);
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // of its checksum
  std::ofstream(packed, std::ios::binary) << bytes;
  EXPECT_NE(fault_of([&] { read_fcidump(packed); }).find("damaged gzip file"), std::string::npos);
}

TEST_F(LongGzip, MatrixMarketFilesAreReadAsPlainOnes) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n400 400 4000\n";
  for (int e = 0; e < 4000; ++e) {
    const int row = e / 10 + 1, column = row - e % 10;
    text += std::to_string(row) + " " + std::to_string(column > 0 ? column : 401 - 10 + e % 10) +
            " " + std::to_string(e) + ".25\n";
  }
  std::ofstream(folder_ / "a.mtx") << text;
  const auto packed = write_gzip(folder_ / "a.mtx.gz", padded(text, 2));
  const CsrMatrix expected = read_matrix_market(folder_ / "a.mtx", Storage::full);
  const CsrMatrix read = read_matrix_market(packed, Storage::full);
  EXPECT_TRUE(std::ranges::equal(read.row_offsets, expected.row_offsets));
  EXPECT_TRUE(std::ranges::equal(read.column_indices, expected.column_indices));
  EXPECT_TRUE(std::ranges::equal(read.values, expected.values));

  const std::string missing = text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  write_gzip(packed, padded(missing, 2));
  EXPECT_EQ(fault_of([&] { read_matrix_market(packed, Storage::full); }),
            packed.string() + ": file cut short: 3999 of 4000 entries");
  write_gzip(packed, padded(missing + "401 1 1\n", 2));
  EXPECT_NE(fault_of([&] {
              read_matrix_market(packed, Storage::full);
            }).find(packed.string() + ":4002: "),
            std::string::npos);
}

}  // namespace
}  // namespace cisolve
