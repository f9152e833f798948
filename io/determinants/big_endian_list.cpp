#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/text/text_file.hpp"
#include "io/determinants/list_format.hpp"

namespace cisolve {
namespace {

constexpr std::size_t bytes_of_string = 16;

/// Bit p of the number is orbital p.
OrbitalString string_of_bytes(std::string_view bytes, bool big_endian) {
  std::array<std::uint64_t, 2> words{};
  for (std::size_t i = 0; i < bytes_of_string; ++i) {
    const std::size_t power = big_endian ? bytes_of_string - 1 - i : i;
    words[power / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * (power % 8);
  }
  return OrbitalString::from_words(words.data(), 2);
}

/// AlphaDets.bin and BetaDets.bin as qiskit-addon-dice-solver writes them.
ReadList read_big_endian(const ListFile& file, const StringForm& form) {
  const TextFile content(file.path);
  const std::string_view bytes = content.text();
  const std::string name = file.path.string();
  if (bytes.size() % bytes_of_string != 0) {
    throw InputError(name + ": found " + std::to_string(bytes.size()) +
                     " bytes, expected a multiple of 16, for each string one number");
  }
  require_number(bytes.size() / bytes_of_string, file);
  const OrbitalString beyond = ~OrbitalString::lowest(form.orbitals);
  std::size_t wrong = 0, wrong_otherwise = 0;  // strings
  ReadList made;
  made.list.alpha.reserve(bytes.size() / bytes_of_string);
  for (std::size_t at = 0; at < bytes.size(); at += bytes_of_string) {
    const std::string_view one = bytes.substr(at, bytes_of_string);
    made.list.alpha.push_back(string_of_bytes(one, true));
    wrong += (made.list.alpha.back() & beyond).empty() ? 0 : 1;
    wrong_otherwise += (string_of_bytes(one, false) & beyond).empty() ? 0 : 1;
  }
  if (wrong > 0 && wrong_otherwise == 0) {
    throw InputError(name + ": read as big-endian numbers of 16 bytes, " + std::to_string(wrong) +
                     " strings have orbitals beyond " + std::to_string(form.orbitals) +
                     "; it looks little-endian");
  }
  for (std::size_t i = 0; wrong > 0 && i < made.list.alpha.size(); ++i) {
    require_within(made.list.alpha[i], form.orbitals, file, "string " + std::to_string(i + 1));
  }
  return made;
}

bool recognises_big_endian(const ListFile& file) {
  return file.of == ListOf::strings && is_binary(file);
}

}  // namespace

const ListFormat big_endian_list{"big-endian integers", recognises_big_endian, read_big_endian};

}  // namespace cisolve
