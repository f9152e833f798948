#pragma once

#include <stdexcept>
#include <string>

namespace cisolve {

/// Bad input or usage: a malformed file, a value out of range, an unknown name. Exit status 1.
/// The message says where (file and line, where there is one), what was found, what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The machine lacks something: memory, a device, room on disk. Exit status 3.
/// The message says what was needed and what there is.
class ResourceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cisolve
