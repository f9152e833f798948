#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/paths.hpp"

namespace cisolve {

namespace fs = std::filesystem;

inline const std::string data = test_data().string() + "/";
inline const std::string configs = data + "../../configs/";

struct Outcome {
  int status = -1;
  std::string out, err;
};

inline std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs the program itself, in a folder of the test's own: status, stdout, stderr and files are
/// what a user or a script sees.
class Application : public ::testing::Test {
 protected:
  Application()
      : folder_(fs::temp_directory_path() / ("cisolve_application_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  ~Application() override {
    fs::remove_all(folder_);
    fs::remove_all(cache_);
  }

  /// Runs `cisolve ARGUMENTS` in the test's own folder.
  Outcome run(const std::string& arguments) const { return shell("\"$CISOLVE\" " + arguments); }
  /// Runs a line of shell there; the program is "$CISOLVE".
  Outcome shell(const std::string& line) const {
    const std::string command = "CISOLVE='" + program().string() + "'; cd '" + folder_.string() +
                                "' && { " + line + "; } 2> stderr.txt";
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return outcome;
    char buffer[4096];
    std::size_t count = 0;
    while ((count = fread(buffer, 1, sizeof buffer, pipe)) > 0) outcome.out.append(buffer, count);
    outcome.status = WEXITSTATUS(pclose(pipe));
    outcome.err = contents(folder_ / "stderr.txt");
    return outcome;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  /// Files in the folder but the one for stderr.
  int files() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      count += entry.path().filename() != "stderr.txt";
    }
    return count;
  }
  nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(contents(folder_ / name));
  }
  void write_pair() const {
    write("pair.mtx",
          "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n");
  }

  fs::path folder_, cache_ = folder_.string() + "_cache";  ///< where programs keep caches
};

inline void expect_says(const Outcome& outcome, const std::string& words) {
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
}

}  // namespace cisolve
