// Arrays of a format that `cisolve info --dump` writes for other programs.
#include <cstring>

#include "core/dense/host_matrix.hpp"
#include "formats/format.hpp"
#include "io/matrix_file.hpp"
#include "io/npy.hpp"
#include "tests/support/application.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using testing::matrix_of_rows;

/// Rows of 0 to 40 entries, one of them a stored zero.
CsrMatrix sample() {
  CsrMatrix a = matrix_of_rows(70, 50, [](Index i) {
    std::vector<Index> row(i % 7 == 3 ? 0 : i % 41);
    for (std::size_t e = 0; e < row.size(); ++e) row[e] = static_cast<Index>((e * 11 + i) % 50);
    return row;
  });
  a.values[5] = 0.0;
  return a;
}

class DumpApplication : public Application {
 protected:
  DumpApplication() { write_npz(matrix_, folder_ / "a.npz"); }

  void dump(const std::string& format, const std::string& options = "") {
    fs::remove_all(folder_ / "d");
    const Outcome outcome = run("info a.npz --dump d --format " + format + options);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    description_ = json("d/format.json");
  }

  /// The elements of an array file, which must be what format.json says.
  template <class T>
  Array<T> read(const std::string& name, const std::string& type) const {
    const std::string bytes = contents(folder_ / "d" / (name + ".npy"));
    const std::size_t length =
        static_cast<unsigned char>(bytes.at(8)) + 256u * static_cast<unsigned char>(bytes.at(9));
    const NpyHeader header = parse_npy_header(bytes.substr(10, length), name);
    EXPECT_EQ(header.type, type);
    const nlohmann::json& said = description_["arrays"][name];
    EXPECT_EQ(said["type"], type);
    EXPECT_EQ(said["shape"], nlohmann::json(header.shape));
    Array<T> elements((bytes.size() - 10 - length) / sizeof(T));
    if (!elements.empty()) {
      std::memcpy(elements.data(), bytes.data() + 10 + length, elements.size() * sizeof(T));
    }
    return elements;
  }
  Array<Index> indices(const std::string& name) const { return read<Index>(name, "<i4"); }
  Array<Offset> offsets(const std::string& name) const { return read<Offset>(name, "<i8"); }
  Array<double> values(const std::string& name) const { return read<double>(name, "<f8"); }

  void expect_same(const CsrMatrix& a) const {
    EXPECT_EQ(description_["rows"], matrix_.rows);
    EXPECT_EQ(description_["columns"], matrix_.columns);
    EXPECT_EQ(a.row_offsets, matrix_.row_offsets);
    EXPECT_EQ(a.column_indices, matrix_.column_indices);
    EXPECT_EQ(a.values, matrix_.values);
  }

  /// Appends `count` entries to a row, from tables of columns and values.
  static void append(CsrMatrix& a, const Array<Index>& columns, const Array<double>& elements,
                     Offset begin, Offset count) {
    a.column_indices.insert(a.column_indices.end(), columns.begin() + begin,
                            columns.begin() + begin + count);
    a.values.insert(a.values.end(), elements.begin() + begin, elements.begin() + begin + count);
  }

  const CsrMatrix matrix_ = sample();
  nlohmann::json description_;
};

TEST_F(DumpApplication, OfCsrIsTheMatrix) {
  dump("csr");
  expect_same({70, 50, offsets("row_offsets"), indices("column_indices"), values("values")});
}

TEST_F(DumpApplication, OfCooGivesTheMatrixBack) {
  dump("coo");
  CsrMatrix a{70, 50, Array<Offset>(71, 0), indices("column_indices"), values("values")};
  for (const Index i : indices("row_indices")) ++a.row_offsets[i + 1];
  for (Index i = 0; i < 70; ++i) a.row_offsets[i + 1] += a.row_offsets[i];
  expect_same(a);
}

TEST_F(DumpApplication, OfEllGivesTheMatrixBack) {
  dump("ell");
  const Index width = description_["scalars"]["width"];
  EXPECT_EQ(width, 40);
  const Array<Index> columns = indices("column_indices");
  const Array<double> elements = values("values");
  ASSERT_EQ(columns.size(), 70u * width);
  CsrMatrix a{70, 50, {0}, {}, {}};
  for (Index i = 0; i < 70; ++i) {
    // Padding repeats the last column, or is column 0 with value 0 in an empty row.
    const Offset begin = Offset{i} * width;
    Offset count = columns[begin] == 0 && elements[begin] == 0.0 ? 0 : 1;
    while (count > 0 && count < width && columns[begin + count] > columns[begin + count - 1]) {
      ++count;
    }
    append(a, columns, elements, begin, count);
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  expect_same(a);
}

TEST_F(DumpApplication, OfHybridGivesTheMatrixBack) {
  for (const char* by : {"count", "column"}) {
    dump("hybrid", std::string(" --set spmv.boundary.value=9 --set spmv.boundary.by=") + by);
    const Index boundary = description_["scalars"]["boundary"];
    const auto counts = indices("reference_counts"), reference = indices("reference_columns"),
               expansion = indices("expansion_columns");
    const auto starts = offsets("expansion_offsets");
    const auto reference_values = values("reference_values"),
               expansion_values = values("expansion_values");
    EXPECT_EQ(boundary, std::ranges::max(counts));
    CsrMatrix a{70, 50, {0}, {}, {}};
    for (Index i = 0; i < 70; ++i) {
      append(a, reference, reference_values, Offset{i} * boundary, counts[i]);
      append(a, expansion, expansion_values, starts[i], starts[i + 1] - starts[i]);
      a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
    }
    expect_same(a);
  }
}

TEST_F(DumpApplication, OfCsrSymmetricGivesTheMatrixBack) {
  const CsrMatrix whole = testing::symmetric_matrix_of_rows(60, [](Index i) {
    return std::vector<Index>{i, i * i % 60};
  });
  write_npz(whole, folder_ / "a.npz");
  dump("csr_symmetric");
  EXPECT_EQ(description_["storage"], "upper");
  EXPECT_EQ(description_["nonzeros"], whole.nonzeros());
  const auto starts = offsets("row_offsets");
  const auto columns = indices("column_indices");
  const auto elements = values("values");
  ASSERT_EQ(starts.size(), 61u);
  EXPECT_LT(elements.size(), static_cast<std::size_t>(whole.nonzeros()));
  HostMatrix dense = HostMatrix::Zero(60, 60);
  for (Index i = 0; i < 60; ++i) {
    for (Offset e = starts[i]; e < starts[i + 1]; ++e) {
      ASSERT_GE(columns[e], i);
      dense(i, columns[e]) = dense(columns[e], i) = elements[e];
    }
  }
  EXPECT_EQ(dense, testing::to_dense(whole));
}

TEST_F(DumpApplication, EveryFormatDumpsAllOfItsBytes) {
  for (const Format& format : formats()) {
    SCOPED_TRACE(format.name);
    if (format.dump == nullptr) {
      EXPECT_TRUE(format.name.starts_with("cusparse_csr"));
      const Outcome refused = run("info a.npz --dump no --format " + format.name);
      EXPECT_EQ(refused.status, 1);
      expect_says(refused, "has no arrays of its own on the host");
      EXPECT_FALSE(fs::exists(folder_ / "no"));
      continue;
    }
    if (format.symmetric) {
      const Outcome refused = run("info a.npz --dump no --format " + format.name);
      EXPECT_EQ(refused.status, 1);
      expect_says(refused, "expected a square, symmetric one");
      continue;
    }
    dump(format.name);
    EXPECT_EQ(description_["format"], format.name);
    EXPECT_EQ(description_["storage"], "full");
    std::size_t bytes = 0;
    for (const auto& [name, array] : description_["arrays"].items()) {
      const std::string type = array["type"];
      std::size_t size = std::stoul(type.substr(2));
      for (const std::size_t extent : array["shape"]) size *= extent;
      const std::string file = contents(folder_ / "d" / (name + ".npy"));
      const std::size_t header = 10 + static_cast<unsigned char>(file.at(8)) +
                                 256u * static_cast<unsigned char>(file.at(9));
      EXPECT_EQ(file.size(), header + size) << name;
      bytes += size;
    }
    // The vendor library takes 32-bit offsets, the host's are wider.
    const std::size_t offsets_of = format.name == "cusparse_sell" ? 4 * 4 : 0;
    EXPECT_EQ(bytes, format.bytes(matrix_, {}) + offsets_of);
  }
}

TEST_F(DumpApplication, TakesWhatAutoChoosesAndAFolderThatIsEmpty) {
  fs::create_directories(folder_ / "d");
  ASSERT_EQ(run("info a.npz --dump d/ --backend cpu").status, 0);
  EXPECT_EQ(json("d/format.json")["format"], "csr");
}

TEST_F(DumpApplication, RefusesWhatIsThereAndLeavesItAlone) {
  fs::create_directories(folder_ / "full");
  write("full/mine", "precious");
  write("file", "precious");
  for (const auto& [folder, words] : {std::pair{"full", "the folder is not empty"},
                                      {"file", "file: is no folder"},
                                      {"absent/d", "cannot be written in its folder"}}) {
    const Outcome outcome = run(std::string("info a.npz --dump ") + folder);
    EXPECT_EQ(outcome.status, 1);
    expect_says(outcome, words);
  }
  EXPECT_EQ(run("info a.npz --dump d --format nothing").status, 1);
  EXPECT_EQ(run("info absent.npz --dump d").status, 1);
  EXPECT_FALSE(fs::exists(folder_ / "d"));
  EXPECT_EQ(contents(folder_ / "full/mine"), "precious");
  EXPECT_EQ(contents(folder_ / "file"), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "full"), {}), 1);
}

}  // namespace
}  // namespace cisolve
