#pragma once

#include <functional>
#include <string>
#include <utility>

namespace cisolve {

/// The program's report of a call, JSON, which is written when it is asked for: a small solve takes
/// hardly longer. Holds what it says, and neither matrix nor vectors.
class Report {
 public:
  Report() = default;
  /// A report whose text a function writes.
  explicit Report(std::function<std::string()> write) : write_(std::move(write)) {}
  /// Empty where there is none.
  std::string text() const { return write_ ? write_() : std::string(); }

 private:
  std::function<std::string()> write_;
};

}  // namespace cisolve
