#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/determinants/list_format.hpp"

namespace cisolve {

/// An array of 64-bit integers, row by row.
struct WordArray {
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> words;
};

/// The array of that name, none where the file has none. Throws InputError where it is damaged or
/// of other numbers.
using ReadWords = std::function<std::optional<WordArray>(const char* name)>;

/// A list from arrays by name: `alpha` and `beta`, of shape (n,) or (n, words), the lowest orbitals
/// in the first word. With `active` and `frozen` as cisolve writes them, numbers of orbitals from
/// 0, strings are over the active ones. The frozen ones are doubly occupied, general spin orbitals
/// by alpha alone.
ReadList list_of_arrays(const ListFile& file, const StringForm& form, const ReadWords& read);

}  // namespace cisolve
