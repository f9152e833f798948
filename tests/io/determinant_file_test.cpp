// Lists of determinants in every format that is read and written, and what is said of wrong ones.
#include "io/determinants/determinant_file.hpp"

#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/array_archive.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<OrbitalString>;
using enum FirstOrbital;

/// Four orbitals: 1 and 2 doubly occupied; 1 doubly, 2 by alpha, 4 by beta; 3 doubly, 1 by both.
const Strings alphas{OrbitalString(0b0011), OrbitalString(0b0011), OrbitalString(0b0101)};
const Strings betas{OrbitalString(0b0011), OrbitalString(0b1001), OrbitalString(0b0101)};

class DeterminantFile : public ::testing::Test {
 protected:
  DeterminantFile()
      : folder_(fs::temp_directory_path() / ("cisolve_determinants_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~DeterminantFile() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  fs::path write_gzip(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    gzFile file = gzopen((folder_ / name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return folder_ / name;
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  void expect_determinants(const fs::path& path, FirstOrbital first = automatic) const {
    const DeterminantList list = read_determinants(path, {4, first}).list;
    EXPECT_EQ(list.alpha, alphas) << path;
    EXPECT_EQ(list.beta, betas) << path;
    EXPECT_FALSE(list.product);
  }
  /// Both as strings say of one text file.
  void expect_lines(const std::string& text, FirstOrbital first = automatic) const {
    expect_determinants(write("list", text), first);
  }
  /// Expects the file's own name in front of the words.
  static void expect_error(const auto& read, const fs::path& path, const std::string& words) {
    try {
      read();
      ADD_FAILURE() << "read, expected: " << words;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(path.string())) << text;
      EXPECT_NE(text.find(words), text.npos) << text;
    }
  }
  static void expect_refused(const fs::path& path, const std::string& words, int orbitals = 4) {
    expect_error([&] { read_determinants(path, {orbitals}); }, path, words);
  }
  static void expect_strings_refused(const fs::path& path, const std::string& words,
                                     int orbitals = 4) {
    expect_error([&] { read_strings(path.string(), {orbitals}); }, path, words);
  }

  fs::path folder_;
};

std::string int32(std::int32_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string dice_file(std::int32_t count, std::int32_t orbitals,
                      const std::vector<std::string>& letters) {
  std::string bytes = int32(count) + int32(orbitals);
  for (const std::string& one : letters) bytes += std::string(8, '\x3f') + one;
  return bytes;
}

/// A number of 16 bytes, the highest first.
std::string big_endian(std::uint64_t high, std::uint64_t low) {
  std::string bytes;
  for (const std::uint64_t word : {high, low}) {
    for (int k = 7; k >= 0; --k) bytes += static_cast<char>(word >> 8 * k & 255);
  }
  return bytes;
}

TEST_F(DeterminantFile, has_letters_alone_in_groups_or_behind_numbers) {
  expect_lines("2200\n2a0b\n2020\n");
  expect_lines("2 2 0 0\r\n\r\n# a comment\r\n  2a 0b\t\r\n2020");
  expect_lines("0.99 2200\n-1e-3 2a0b\n.5D-02   2 0 2 0\n");
  expect_lines("   0       0.9674221       2 2 0 0\n   1  -0.1  2a0b\n 2  0. 2020\n");
  expect_lines("0022\nb0a2\n0202\n", right);
}

TEST_F(DeterminantFile, has_pairs_of_bit_strings_or_both_as_one) {
  expect_lines("0011 0011\n0011 1001\n0101 0101\n");
  expect_lines("1100 1100\n1100 1001\n1010 1010\n", left);
  expect_lines("00110011\n10010011\n01010101\n");
  expect_lines("11001100\n11001001\n10101010\n", left);
  expect_determinants(write_gzip("list.gz", "0011 0011\n0011 1001\n0101 0101\n"));
}

TEST_F(DeterminantFile, has_strings_of_both_spins_or_of_each) {
  const fs::path a = write("a", "0011\n\n0101\n"), b = write("b", "# beta\n1001\n");
  const Strings two{OrbitalString(0b0011), OrbitalString(0b0101)}, one{OrbitalString(0b1001)};
  const DeterminantList both = read_strings(a.string(), {4}).list;
  EXPECT_EQ(both.alpha, two);
  EXPECT_EQ(both.beta, two);
  EXPECT_TRUE(both.product);
  const DeterminantList pair = read_strings(a.string() + "," + b.string(), {4}).list;
  EXPECT_EQ(pair.alpha, two);
  EXPECT_EQ(pair.beta, one);
  const DeterminantList mirrored = read_strings(write("c", "1100\n").string(), {4, left}).list;
  EXPECT_EQ(mirrored.alpha, Strings{OrbitalString(0b0011)});
}

TEST_F(DeterminantFile, says_where_a_line_is_wrong) {
  expect_refused(write("t", "2200\n22x0\n"),
                 ":2: found \"x\", expected a determinant: 4 characters");
  expect_refused(write("t", "2200\n220\n"), ":2: found 3 characters in 1 word");
  expect_refused(write("t", "0.9 22000\n"), ":1: found 5 characters in 1 word");
  expect_refused(write("t", "0011 00111\n"), ":1: found 9 characters in 2 words");
  expect_refused(write("t", "# a\n0011 0011\n1102 0011\n"), ":3: found 8 characters");
  // A string too many is no coefficient.
  expect_refused(write("t", "0011 0011 0011\n"), ":1: found 12 characters in 3 words");
  expect_refused(write("t", "2200 2200\n"), ":1: found 8 characters in 2 words");
  expect_refused(write("t", "7 2200\n"), ":1: found \"7\", expected a determinant");
  expect_refused(write("t", "0111\n"), "lists of strings go with input.strings");
  expect_refused(write("t", "0011 0011\n2200\n"),
                 ":2: found the letters 2, a, b and 0, expected two bit strings");
  expect_refused(write("t", "\n# nothing\n"), ": found no determinants");
  expect_refused(write("t", ""), ": found no determinants");
  expect_refused(folder_ / "none", "no such file");
  expect_refused(folder_, "Is a directory");
  expect_strings_refused(write("t", "0011\n0021\n"), ":2: found \"2\", expected a string of 4");
  expect_strings_refused(write("t", "0011\n00110\n"), ":2: found 5 characters in 1 word");
  expect_strings_refused(write("t", "0011 0011\n"), ":1: found 8 characters in 2 words");
  expect_strings_refused(write("t", "\n"), ": found no strings");
  const std::string zip = bytes_of(write_gzip("t.gz", std::string(40000, '0')));
  expect_refused(write("cut.gz", zip.substr(0, zip.size() / 2)), "gzip");
}

TEST_F(DeterminantFile, of_strings_is_one_name_or_two) {
  EXPECT_TRUE(string_files("").empty());
  EXPECT_EQ(string_files("a,b").size(), 2u);
  for (const std::string names : {",", "a,", ",b", "a,b,c"}) {
    EXPECT_THROW(string_files(names), InputError) << names;
  }
}

TEST_F(DeterminantFile, tells_where_bits_look_mirrored) {
  const auto notes = [&](const std::string& text, FirstOrbital first = automatic) {
    return read_determinants(write("t", text), {5, first}).notes;
  };
  const std::string mirrored = "11000 11000\n10100 11000\n";
  ASSERT_EQ(notes(mirrored).size(), 1u);
  EXPECT_NE(notes(mirrored)[0].find("input.first_orbital: left"), std::string::npos);
  EXPECT_TRUE(notes(mirrored, right).empty());
  EXPECT_TRUE(notes(mirrored, left).empty());
  EXPECT_TRUE(notes("00011 00011\n00101 11000\n").empty());
  EXPECT_TRUE(notes("10001 01010\n").empty());  // as many
  EXPECT_TRUE(notes("00022\n").empty());        // letters
  EXPECT_EQ(read_strings(write("s", "11000\n").string(), {5}).notes.size(), 1u);
}

TEST_F(DeterminantFile, of_dice_has_letters_behind_coefficients) {
  const std::vector<std::string> letters{"2200", "2a0b", "2020"};
  expect_determinants(write("dets.bin", dice_file(3, 4, letters)));
  expect_determinants(write("dets", dice_file(3, 4, letters)));
  const std::string whole = dice_file(3, 4, letters);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    expect_refused(write("cut.bin", whole.substr(0, length)), ": ");
  }
  expect_refused(write("dets.bin", whole + "x"), "found 45 bytes, expected 44 of 3 determinants");
  expect_refused(write("dets.bin", dice_file(3, 5, letters)), "found 5 orbitals, expected 4");
  expect_refused(write("dets.bin", dice_file(0, 4, {})), "found no determinants");
  expect_refused(write("dets.bin", dice_file(-1, 4, {})), "found -1 determinants");
  expect_refused(write("dets.bin", dice_file(2147483647, 4, letters)), "2147483647 determinants");
  expect_refused(write("dets.bin", dice_file(3, 4, {"2200", "2x0b", "2020"})),
                 "determinant 2: found \"x\"");
}

TEST_F(DeterminantFile, of_big_endian_numbers_has_strings) {
  const fs::path a = write("AlphaDets.bin", big_endian(0, 3) + big_endian(0, 5)),
                 b = write("BetaDets.bin", big_endian(0, 9));
  const DeterminantList list = read_strings(a.string() + "," + b.string(), {4}).list;
  EXPECT_EQ(list.alpha, (Strings{OrbitalString(3), OrbitalString(5)}));
  EXPECT_EQ(list.beta, Strings{OrbitalString(9)});
  const fs::path wide = write("wide", big_endian(std::uint64_t{1} << 40, 7));
  EXPECT_EQ(read_strings(wide.string(), {105}).list.alpha[0], OrbitalString(7).with(64 + 40));
  expect_strings_refused(wide, "string 1 occupies orbital 105, expected orbitals 1 to 104", 104);
  expect_strings_refused(write("cut.bin", big_endian(0, 3).substr(1)), "found 15 bytes");
  expect_strings_refused(write("empty.bin", ""), "found no strings");
  std::string turned = big_endian(0, 3);
  std::ranges::reverse(turned);
  expect_strings_refused(write("little.bin", turned), "it looks little-endian");
}

TEST_F(DeterminantFile, of_arrays_has_words_of_any_sign) {
  const auto archive = [&](const std::string& name, const std::vector<NamedArray>& arrays) {
    write_arrays(arrays, "any", folder_ / name, name);
    return folder_ / name;
  };
  for (const std::string ending : {".npz", ".h5"}) {
    const auto path = [&](const std::vector<NamedArray>& arrays) {
      return archive("a" + ending, arrays);
    };
    expect_determinants(path({kept_array("alpha", std::vector<std::int64_t>{3, 3, 5}, {3}),
                              kept_array("beta", std::vector<std::uint64_t>{3, 9, 5}, {3, 1})}));
    // 64 orbitals fill a word; 66 need two.
    const fs::path full =
        path({kept_array("alpha", std::vector<std::int64_t>{-1, 1}, {2}),
              kept_array("beta", std::vector<std::uint64_t>{~std::uint64_t{0} - 1, 2}, {2})});
    const DeterminantList list = read_determinants(full, {64}).list;
    EXPECT_EQ(list.alpha, (Strings{OrbitalString::lowest(64), OrbitalString(1)}));
    EXPECT_EQ(list.beta, (Strings{OrbitalString::lowest(64).without(0), OrbitalString(2)}));
    expect_refused(full, "alpha: found shape (2), expected (n, 2) for 66 orbitals", 66);
    expect_refused(full, "alpha string 1 occupies orbital 64, expected orbitals 1 to 63", 63);
    const fs::path two = path({kept_array("alpha", std::vector<std::int64_t>{1, 2}, {1, 2}),
                               kept_array("beta", std::vector<std::int64_t>{-1, 0, 4, 1}, {2, 2})});
    expect_refused(two, "found 1 alpha and 2 beta strings", 66);
    const DeterminantList product = read_strings(two.string(), {66}).list;
    EXPECT_TRUE(product.product);
    EXPECT_EQ(product.alpha, Strings{OrbitalString(1).with(65)});
    EXPECT_EQ(product.beta, (Strings{OrbitalString::lowest(64), OrbitalString(4).with(64)}));
    expect_error([&] { read_strings(two.string() + "," + two.string(), {66}); }, two,
                 "has strings of both spins");
    expect_refused(path({kept_array("alpha", std::vector<std::int64_t>{1}, {1})}),
                   "found no array beta");
    expect_refused(path({kept_array("alpha", std::vector<std::int64_t>{}, {0}),
                         kept_array("beta", std::vector<std::int64_t>{}, {0})}),
                   "found no determinants");
    expect_refused(path({kept_array("alpha", std::vector<double>{1.0}, {1}),
                         kept_array("beta", std::vector<double>{1.0}, {1})}),
                   "alpha");
  }
}

TEST_F(DeterminantFile, of_a_run_has_strings_over_active_orbitals) {
  using Numbers = std::vector<std::int64_t>;
  const auto path = [&](Numbers active, Numbers frozen) {
    const auto a = static_cast<std::int64_t>(active.size()),
               f = static_cast<std::int64_t>(frozen.size());
    write_arrays(
        {kept_array("alpha", Numbers{1, 1, 2}, {3}), kept_array("beta", Numbers{1, 4, 2}, {3}),
         kept_array("active", std::move(active), {a}),
         kept_array("frozen", std::move(frozen), {f})},
        "any", folder_ / "run.npz", "run.npz");
    return folder_ / "run.npz";
  };
  expect_determinants(path({1, 2, 3}, {0}));
  const DeterminantList of_five = read_determinants(path({4, 0, 2}, {1}), {5}).list;
  EXPECT_EQ(of_five.alpha[0], OrbitalString::of(1, 4));
  EXPECT_EQ(of_five.beta[1], OrbitalString::of(1, 2));
  expect_refused(path({1, 2, 4}, {0}), "an active or frozen orbital is number 4, expected 0 to 3");
  expect_refused(path({1, 2, -1}, {0}), "number -1");
  expect_refused(path({1, 2, 1}, {0}), "orbital 1 is twice");
  expect_refused(path({1, 2}, {0}), "beta string 2 occupies orbital 3, expected orbitals 1 to 2");
}

TEST_F(DeterminantFile, of_quantum_package_is_a_folder) {
  const std::string header = "  3\n                   1                    2 ";
  const auto folder = [&](const std::string& array) {
    fs::remove_all(folder_ / "qp");
    write("qp/determinants/n_det", "          3\n");
    write("qp/determinants/n_int", "          1\n");
    write("qp/determinants/bit_kind", "          8\n");
    write("qp/mo_basis/mo_num", "          4\n");
    write_gzip("qp/determinants/psi_det.gz", array);
    return folder_ / "qp";
  };
  const std::string good = header + "   3 \n   3\n 3\n 3\n 9\n 5\n 5\n";
  expect_determinants(folder(good));
  const fs::path qp = folder_ / "qp", array = qp / "determinants" / "psi_det.gz";
  const auto expect_array_refused = [&](const std::string& text, const std::string& words) {
    folder(text);
    expect_error([&] { read_determinants(qp, {4}); }, array, words);
  };
  expect_array_refused(good.substr(0, good.size() - 3), ":7: the file breaks off");
  expect_array_refused(good + "5\n", ":8: lines follow the last of 3 determinants");
  expect_array_refused(header + " 3 \n x\n", ":3: found \" x\", expected 1 whole number");
  expect_array_refused("2\n 1 2 \n", "found 2 dimensions, expected 3");
  expect_array_refused("3\n 2 2 3 \n", "found extents 2, 2, 3, expected 1, 2");
  folder(header + " 9223372036854775807 \n 3\n");
  expect_refused(qp, "expected at most 2147483647");
  folder(header + " 2147483647 \n 3\n");
  expect_error([&] { read_determinants(qp, {4}); }, qp / "determinants" / "n_det",
               "found 3, expected 2147483647");
  folder(header + " 3 \n 3\n 3\n 3\n 19\n 5\n 5\n");
  expect_refused(qp, "a string of determinant 2 occupies orbital 5");
  folder(good);
  expect_error([&] { read_determinants(qp, {5}); }, qp / "mo_basis" / "mo_num",
               "found 4, expected 5");
  write("qp/determinants/n_det", " 4\n");
  expect_error([&] { read_determinants(qp, {4}); }, qp / "determinants" / "n_det",
               "found 4, expected 3");
  expect_strings_refused(qp, "has determinants");
}

TEST_F(DeterminantFile, of_quantum_package_with_any_change_is_read_or_refused) {
  const std::string good = "  3\n  1  2  3 \n                   3\n 3\n 3\n 9\n 5\n 5\n";
  write("qp/determinants/n_det", " 3\n");
  int read = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char change : {'\0', '9', '-', ' ', '\n', '\xff'}) {
      std::string changed = good;
      changed[at] = change;
      write_gzip("qp/determinants/psi_det.gz", changed);
      try {
        read_determinants(folder_ / "qp", {4});
        ++read;
      } catch (const InputError&) {
      }
    }
  }
  EXPECT_GT(read, 0);
}

TEST_F(DeterminantFile, over_natural_orbitals_says_so) {
  const DeterminantList list{alphas, betas, false};
  for (const std::string name : {"l.txt", "l.npz", "l.h5"}) {
    write_determinants(folder_ / name, name, list, {}, 4);
    EXPECT_TRUE(read_determinants(folder_ / name, {4}).notes.empty()) << name;
    write_determinants(folder_ / name, name, list, {}, 4, HostMatrix::Identity(4, 4));
    expect_determinants(folder_ / name);
    const auto notes = read_determinants(folder_ / name, {4}).notes;
    ASSERT_EQ(notes.size(), 1u) << name;
    EXPECT_NE(notes[0].find("over natural orbitals"), std::string::npos) << notes[0];
  }
}

TEST_F(DeterminantFile, is_written_as_it_is_read) {
  const DeterminantList list{alphas, betas, false};
  for (const std::string name : {"l.txt", "l.npz", "l.h5"}) {
    for (const std::vector<double>& coefficients :
         {std::vector<double>{}, std::vector<double>{0.5, -1e-200, 0.0}}) {
      EXPECT_TRUE(is_determinants_output(name));
      write_determinants(folder_ / name, name, list, coefficients, 4);
      expect_determinants(folder_ / name);
    }
  }
  EXPECT_NE(bytes_of(folder_ / "l.txt").find("5.0000000000000000e-01  2200\n"), std::string::npos);
  EXPECT_FALSE(is_determinants_output("l.bin"));
  const Strings wide{OrbitalString::of(0, 127), OrbitalString::of(63, 64)};
  const DeterminantList product{wide, wide, true};
  for (const std::string name : {"w.txt", "w.npz", "w.h5"}) {
    write_determinants(folder_ / name, name, product, {1, 2, 3, 4}, 128);
    const DeterminantList read = read_determinants(folder_ / name, {128}).list;
    EXPECT_EQ(read.alpha, (Strings{wide[0], wide[0], wide[1], wide[1]})) << name;
    EXPECT_EQ(read.beta, (Strings{wide[0], wide[1], wide[0], wide[1]})) << name;
  }
  write_determinants(folder_ / "w.bin", "w.bin", product, {}, 128);
  EXPECT_EQ(read_strings((folder_ / "w.bin").string(), {128}).list.alpha, wide);
  EXPECT_THROW(write_determinants(folder_ / "v.bin", "v.bin", list, {}, 4), InputError);
  EXPECT_THROW(write_determinants(folder_ / "no" / "l.txt", "l.txt", list, {}, 4), ResourceError);
}

}  // namespace
}  // namespace cisolve
