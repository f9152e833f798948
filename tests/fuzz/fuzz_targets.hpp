#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cisolve::fuzz {

/// A reader under test: takes the bytes of a file, which may be anything, and tells whether it is a
/// good one. InputError is the right answer to nonsense and ends in here; all else that comes out
/// is a fault of the reader.
struct Target {
  std::string name;  ///< and of its folder in tests/fuzz/corpus
  bool (*read)(std::span<const std::uint8_t> bytes);
};

std::span<const Target> targets();
const Target& target(const std::string& name);

}  // namespace cisolve::fuzz
