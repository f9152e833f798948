#pragma once

#include <functional>
#include <string>

namespace cisolve {

/// Log of a run while it works. Each function may be empty: then nothing is said, as a library
/// does. Facts that a user has to know are in the results as well.
struct Log {
  using Say = std::function<void(const std::string&)>;
  Say warning;   ///< a sentence on what may not be as expected
  Say info;      ///< a sentence on what was found
  Say progress;  ///< lines for people on what comes next and what it takes

  void warn(const std::string& sentence) const { say(warning, sentence); }
  void inform(const std::string& sentence) const { say(info, sentence); }
  void proceed(const std::string& lines) const { say(progress, lines); }

 private:
  static void say(const Say& to, const std::string& text) {
    if (to) to(text);
  }
};

}  // namespace cisolve
