#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"

namespace cisolve {

/// A file of this text, named after the running test.
inline std::filesystem::path write_file(const std::string& text) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "_" + test->name() + ".fcidump";
  std::replace(name.begin(), name.end(), '/', '_');
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline Integrals read_text(const std::string& text, const FcidumpOptions& options = {}) {
  const std::filesystem::path path = write_file(text);
  Integrals integrals = read_fcidump(path, options);
  std::filesystem::remove(path);
  return integrals;
}

inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool warns_of(const Integrals& integrals, const std::string& part) {
  return std::any_of(
      integrals.warnings.begin(), integrals.warnings.end(),
      [&](const std::string& warning) { return warning.find(part) != warning.npos; });
}

}  // namespace cisolve
