#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/determinants/list_format.hpp"

static_assert(std::endian::native == std::endian::little, "its numbers are read as they lie");

namespace cisolve {
namespace {

std::int32_t int32_at(std::string_view bytes, std::size_t at) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// dets.bin as Dice writes it: numbers of determinants and orbitals, int32; then for each
/// determinant its coefficient, a double, and a letter for each orbital.
ReadList read_dice(const ListFile& file, const StringForm& form) {
  const TextFile content(file.path);
  const std::string_view bytes = content.text();
  const auto fail = [&](const std::string& what) {
    throw InputError(file.path.string() + ": read as dets.bin of Dice, " + what);
  };
  constexpr std::size_t header = 2 * sizeof(std::int32_t);
  if (bytes.size() < header) fail("found " + std::to_string(bytes.size()) + " bytes");
  const std::int32_t count = int32_at(bytes, 0), orbitals = int32_at(bytes, sizeof(std::int32_t));
  if (orbitals != form.orbitals) {
    fail("found " + std::to_string(orbitals) + " orbitals, expected " +
         std::to_string(form.orbitals));
  }
  if (count < 0) fail("found " + std::to_string(count) + " determinants");
  require_number(static_cast<std::uint64_t>(count), file);
  const std::size_t each = sizeof(double) + static_cast<std::size_t>(orbitals);
  const std::uint64_t expected = header + static_cast<std::uint64_t>(count) * each;
  if (bytes.size() != expected) {
    fail("found " + std::to_string(bytes.size()) + " bytes, expected " + std::to_string(expected) +
         " of " + std::to_string(count) + " determinants");
  }
  ReadList made;
  for (std::int32_t i = 0; i < count; ++i) {
    OrbitalString a, b;
    const std::string_view letters =
        bytes.substr(header + static_cast<std::size_t>(i) * each + sizeof(double), orbitals);
    for (int p = 0; p < orbitals; ++p) {
      const char letter = letters[static_cast<std::size_t>(p)];
      if (std::string_view("0ab2").find(letter) == std::string_view::npos) {
        fail("determinant " + std::to_string(i + 1) + ": found " +
             cisolve::quoted(letters.substr(static_cast<std::size_t>(p), 1)) +
             ", expected 0, a, b or 2");
      }
      if (letter == '2' || letter == 'a') a = a.with(p);
      if (letter == '2' || letter == 'b') b = b.with(p);
    }
    made.list.alpha.push_back(a);
    made.list.beta.push_back(b);
  }
  return made;
}

bool recognises_dice(const ListFile& file) {
  return file.of == ListOf::determinants && is_binary(file);
}

}  // namespace

const ListFormat dice_list{"dets.bin of Dice", recognises_dice, read_dice};

}  // namespace cisolve
