#pragma once

#include <cstdlib>
#include <filesystem>

namespace cisolve {

/// The folder of test data and the program under test: where the environment says, else where they
/// were when the tests were built.
inline std::filesystem::path test_data() {
  const char* folder = std::getenv("CISOLVE_TEST_DATA");
  return std::filesystem::absolute(folder != nullptr ? folder : CISOLVE_TEST_DATA);
}
inline std::filesystem::path program() {
  const char* file = std::getenv("CISOLVE_PROGRAM");
  return std::filesystem::absolute(file != nullptr ? file : CISOLVE_PROGRAM);
}

/// The library that makes calls of the system fail (tests/support/faults.cpp), for LD_PRELOAD.
inline std::filesystem::path library_of_faults() {
  return program().parent_path() / "lib" / "faults.so";
}

}  // namespace cisolve
