#include "io/determinants/determinant_file.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "io/array_archive.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

/// The strings of an array of integers, so many words each.
std::vector<OrbitalString> strings_of(const std::vector<std::uint64_t>& words, int each) {
  std::vector<OrbitalString> strings;
  for (std::size_t i = 0; i + each <= words.size(); i += each) {
    strings.push_back(OrbitalString::from_words(&words[i], each));
  }
  return strings;
}

std::vector<OrbitalString> read_archive(const std::filesystem::path& path, const char* name,
                                        const StringForm& form) {
  const auto words = read_npz_integers(path, name);
  if (!words) throw InputError(path.string() + ": found no array " + name + " of 64-bit integers");
  return strings_of(*words, OrbitalString::words_of(form.orbitals));
}

OrbitalString string_of_bits(std::string_view bits, const StringForm& form,
                             const std::string& where) {
  if (static_cast<int>(bits.size()) != form.orbitals) {
    throw InputError(where + ": found " + std::to_string(bits.size()) + " characters, expected " +
                     std::to_string(form.orbitals) + " of 0 and 1, one for each orbital");
  }
  OrbitalString s;
  for (int k = 0; k < form.orbitals; ++k) {
    const int p = form.first == FirstOrbital::left ? k : form.orbitals - 1 - k;
    if (bits[k] == '1') s = s.with(p);
    if (bits[k] != '0' && bits[k] != '1') {
      throw InputError(where + ": found '" + bits[k] + "', expected 0 or 1");
    }
  }
  return s;
}

/// visit(line, "file:number") of all lines that are not empty.
template <class Visit>
void for_each_line(const std::filesystem::path& path, Visit visit) {
  const TextFile file(path);
  std::string_view rest = file.text();
  for (int number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (!line.empty()) visit(line, path.string() + ":" + std::to_string(number));
  }
}

std::vector<OrbitalString> read_lines(const std::filesystem::path& path, const StringForm& form) {
  std::vector<OrbitalString> strings;
  for_each_line(path, [&](std::string_view line, const std::string& where) {
    strings.push_back(string_of_bits(line, form, where));
  });
  return strings;
}

}  // namespace

DeterminantList read_determinants(const std::filesystem::path& path, const StringForm& form) {
  require_file(path);
  if (is_npz(path)) {
    return {read_archive(path, "alpha", form), read_archive(path, "beta", form), false};
  }
  DeterminantList list;
  StringForm both = form;
  both.orbitals *= 2;
  for_each_line(path, [&](std::string_view line, const std::string& where) {
    const OrbitalString s = string_of_bits(line, both, where);
    OrbitalString a, b;
    for (const int p : s)
      (p < form.orbitals ? a : b) = (p < form.orbitals ? a.with(p) : b.with(p - form.orbitals));
    list.alpha.push_back(a);
    list.beta.push_back(b);
  });
  return list;
}

DeterminantList read_strings(const std::string& paths, const StringForm& form) {
  const std::size_t comma = paths.find(',');
  const std::filesystem::path first = paths.substr(0, comma);
  require_file(first);
  if (comma != std::string::npos) {
    const std::filesystem::path second = paths.substr(comma + 1);
    require_file(second);
    return {read_lines(first, form), read_lines(second, form), true};
  }
  if (is_npz(first)) {
    return {read_archive(first, "alpha", form), read_archive(first, "beta", form), true};
  }
  const std::vector<OrbitalString> both = read_lines(first, form);
  return {both, both, true};
}

}  // namespace cisolve
