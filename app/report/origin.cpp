#include "app/report/origin.hpp"

#include <spdlog/fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string>

#include "backends/cpu/instruction_set.hpp"

namespace cisolve {
namespace {

/// The word as a shell reads it: in single quotes where a character means something there.
std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

Json command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(file, word, '\0');) {
    line += (line.empty() ? "" : " ") + shell_word(word);
  }
  return line.empty() ? Json() : Json(line);
}

Json host() {
  std::array<char, 257> name{};  // the last stays zero
  return gethostname(name.data(), name.size() - 1) == 0 ? Json(name.data()) : Json();
}

}  // namespace

void add_origin(Json& report) {
  report["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  report["host"] = host();
  report["command"] = command();
  report["version"] = CISOLVE_VERSION;
  report["instruction_set"] = cpu_instruction_set();
}

}  // namespace cisolve
