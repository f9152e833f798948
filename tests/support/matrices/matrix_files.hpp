#pragma once

#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "io/matrix_file.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {

namespace fs = std::filesystem;

inline void expect_same(const CsrMatrix& a, const CsrMatrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.row_offsets, b.row_offsets);
  EXPECT_EQ(a.column_indices, b.column_indices);
  ASSERT_EQ(a.values.size(), b.values.size());
  if (a.values.empty()) return;
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)), 0)
      << "values differ in their bits";
}

// ---- Files --------------------------------------------------------------------------------------

/// A folder of its own for every test, and the number of threads put back.
class MatrixFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = test->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ =
        fs::temp_directory_path() / ("cisolve_matrix_" + name + "_" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    omp_set_num_threads(threads_);
  }

  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  CsrMatrix parse(const std::string& text) const { return read_matrix(write("text.mtx", text)); }

  fs::path folder_;
  int threads_ = omp_get_max_threads();
};

inline std::string bytes_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string error_of(const fs::path& path) {
  try {
    read_matrix(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline const std::string general = "%%MatrixMarket matrix coordinate real general\n";
inline const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

}  // namespace cisolve
