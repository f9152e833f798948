#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>

#include "core/array.hpp"
#include "core/error.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Common parts of the readers of the three kinds of matrix files.

/// Throws InputError unless `path` is there and is no folder.
void require_file(const std::filesystem::path& path);

/// `value` as a number of rows or columns (`what`). Throws InputError outside 1 … 2^31 − 1.
Index checked_dimension(std::int64_t value, const std::string& what, const std::string& name);

/// True if so many elements are believed of a file that holds so many numbers: a damaged size must
/// not ask for more memory than the machine has. Ten million always are.
constexpr bool is_believable(std::uint64_t elements, std::uint64_t numbers) {
  return elements <= 10'000'000 || elements / 1000 <= numbers;
}

/// True if compressed bytes can be inflated to so many. Deflate, the strongest of the common
/// methods, makes at most 1032 bytes of one.
constexpr bool can_inflate(std::uint64_t compressed, std::uint64_t bytes) {
  return bytes / 1100 <= compressed;
}

/// An uninitialised array. Throws ResourceError when there is no memory for it (`what`).
template <class T>
Array<T> allocate(std::size_t count, const std::string& what, const std::string& name) {
  try {
    return Array<T>(count);
  } catch (const std::exception&) {  // bad_alloc, or length_error past what any array can hold
    throw ResourceError(name + ": no memory for " + std::to_string(count) + " " + what + ", " +
                        std::to_string(sizeof(T)) + " bytes each");
  }
}

}  // namespace cisolve
