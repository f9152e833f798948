// No damaged input takes the program down: every reader over the files of tests/fuzz/corpus, and
// over mutations of them that are the same in every run. scripts/fuzz.sh searches further.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_targets.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

Bytes contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

fs::path folder_of(const std::string& format) {
  return test_data() / "../fuzz/corpus" / format;
}

std::vector<Bytes> corpus(const std::string& format) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_of(format))) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Bytes> inputs;
  for (const fs::path& file : files) inputs.push_back(contents(file));
  return inputs;
}

/// One to eight changes: of a bit, to an extreme byte, of eight bytes to a number with one bit set,
/// a piece cut out, or a piece of another input put in.
Bytes mutation(Bytes bytes, const Bytes& other, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t change = below(8) + 1; change > 0 && !bytes.empty(); --change) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(below(64) + 1, bytes.size() - at);
    switch (below(5)) {
      case 0:
        bytes[at] ^= static_cast<std::uint8_t>(1 << below(8));
        break;
      case 1:
        bytes[at] = static_cast<std::uint8_t>(below(2) == 0 ? 0 : 255);
        break;
      case 2:
        for (std::size_t i = 0, set = below(64); i < std::min<std::size_t>(8, length); ++i) {
          bytes[at + i] = static_cast<std::uint8_t>(i == set / 8 ? 1 << set % 8 : 0);
        }
        break;
      case 3:
        bytes.erase(bytes.begin() + at, bytes.begin() + at + length);
        break;
      default:
        if (other.empty()) break;
        const std::size_t from = below(other.size());
        const std::size_t taken = std::min(length, other.size() - from);
        bytes.insert(bytes.begin() + at, other.begin() + from, other.begin() + from + taken);
    }
  }
  return bytes;
}

/// A good file of each format: what cannot read it has not been tested by the bad ones.
const std::map<std::string, std::vector<std::string>> good_files{
    {"fcidump", {"h4.fcidump"}},
    {"spinor_fcidump", {"one_of_four.fcidump", "six_columns.fcidump", "words.fcidump"}},
    {"matrix_market",
     {"symmetric.mtx", "symmetric.mtx.gz", "complex.mtx", "complex_hermitian.mtx"}},
    {"npz",
     {"stored.npz", "compressed.npz", "blocks.npz", "diagonals.npz", "complex_rows.npz",
      "complex_blocks.npz"}},
    {"npy", {"vectors.npy"}},
    {"yaml", {"water.yaml"}},
    {"hdf5_csr", {"ci.h5", "gzip.h5", "latest.h5", "complex.h5"}},
    {"hdf5_packed", {"ci.h5", "h4.h5"}},
    {"molden", {"h2.molden", "zeros_left_out.molden"}},
    {"determinants",
     {"letters.txt", "pairs.txt", "whole.txt", "dets.bin", "list.npz", "active.npz"}},
    {"strings", {"bits.txt", "AlphaDets.bin", "both.npz"}},
    {"hdf5_determinants", {"list.h5", "states.h5"}},
    {"trexio", {"h4.trexio"}},
    {"checkpoint", {"h4.h5"}}};

class FuzzCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(FuzzCorpus, AndMutationsOfItAreReadOrRefusedAsBadInput) {
  const fuzz::Target& target = fuzz::target(GetParam());
  const std::vector<Bytes> inputs = corpus(target.name);
  ASSERT_FALSE(inputs.empty());
  for (const Bytes& input : inputs) EXPECT_NO_THROW(target.read(input));
  // HDF5 is read in a process for each file.
  const bool in_process =
      target.name.starts_with("hdf5") || target.name == "trexio" || target.name == "checkpoint";
  const int mutations = in_process ? 250 : 2500;
  std::mt19937_64 random(1);
  for (int i = 0; i < mutations; ++i) {
    const Bytes& base = inputs[random() % inputs.size()];
    const Bytes& other = inputs[random() % inputs.size()];
    const Bytes input = mutation(base, other, random);
    ASSERT_NO_THROW(target.read(input)) << "mutation " << i;
  }
}

TEST_P(FuzzCorpus, HasGoodFilesThatAreRead) {
  const fuzz::Target& target = fuzz::target(GetParam());
  for (const std::string& file : good_files.at(target.name)) {
    EXPECT_TRUE(target.read(contents(folder_of(target.name) / file))) << file;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const fuzz::Target& target : fuzz::targets()) list.push_back(target.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Formats, FuzzCorpus, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
