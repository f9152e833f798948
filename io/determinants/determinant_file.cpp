#include "io/determinants/determinant_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/determinants/list_format.hpp"

namespace cisolve {
namespace {

/// Formats in the order of their tests; text is the last.
constexpr std::array list_formats{&ezfio_list, &trexio_list,     &npz_list, &hdf5_list,
                                  &dice_list,  &big_endian_list, &text_list};

ListFile look_at(const std::filesystem::path& path, ListOf of) {
  constexpr std::size_t enough = 16;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(path.string() + ": no such file");
  ListFile file{path, of, {}};
  // A pipe gives its bytes once.
  if (std::filesystem::is_regular_file(path, error)) file.beginning = first_bytes(path, enough);
  return file;
}

ReadList read_list(const std::filesystem::path& path, ListOf of, const StringForm& form) {
  const ListFile file = look_at(path, of);
  const auto known = std::ranges::find_if(
      list_formats, [&](const ListFormat* format) { return format->recognises(file); });
  ReadList read = (*known)->read(file, form);
  require_number(read.list.alpha.size(), file);
  return read;
}

}  // namespace

bool is_binary(const ListFile& file) {
  return to_lower(file.path.extension().string()) == ".bin" ||
         file.beginning.find('\0') != std::string::npos;
}

void require_number(std::uint64_t number, const ListFile& file) {
  const std::string what = file.of == ListOf::determinants ? "determinants" : "strings";
  if (number == 0) throw InputError(file.path.string() + ": found no " + what);
  if (number <= std::uint64_t{std::numeric_limits<std::int32_t>::max()}) return;
  throw InputError(file.path.string() + ": found " + std::to_string(number) + " " + what +
                   ", expected at most 2147483647");
}

void require_within(const OrbitalString& string, int orbitals, const ListFile& file,
                    const std::string& which) {
  const OrbitalString outside = string & ~OrbitalString::lowest(orbitals);
  if (outside.empty()) return;
  throw InputError(file.path.string() + ": " + which + " occupies orbital " +
                   std::to_string(outside.first() + 1) + ", expected orbitals 1 to " +
                   std::to_string(orbitals));
}

ReadList read_determinants(const std::filesystem::path& path, const StringForm& form) {
  return read_list(path, ListOf::determinants, form);
}

ReadList read_strings(const std::string& paths, const StringForm& form) {
  const std::vector<std::filesystem::path> files = string_files(paths);
  if (files.empty()) throw InputError("found no file of strings");
  ReadList made = read_list(files[0], ListOf::strings, form);
  made.list.product = true;
  const auto require_one_list = [](const ReadList& read, const std::filesystem::path& file) {
    if (read.list.beta.empty()) return;
    throw InputError(file.string() +
                     ": has strings of both spins, and another file of strings is given beside it");
  };
  if (files.size() == 1) {
    if (made.list.beta.empty()) made.list.beta = made.list.alpha;
    return made;
  }
  ReadList betas = read_list(files[1], ListOf::strings, form);
  require_one_list(made, files[0]);
  require_one_list(betas, files[1]);
  made.list.beta = std::move(betas.list.alpha);
  made.notes.insert(made.notes.end(), betas.notes.begin(), betas.notes.end());
  return made;
}

std::vector<std::filesystem::path> string_files(const std::string& paths) {
  std::vector<std::filesystem::path> files;
  if (paths.empty()) return files;
  for (std::size_t begin = 0; begin <= paths.size();) {
    const std::size_t end = std::min(paths.find(',', begin), paths.size());
    files.emplace_back(paths.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool named =
      std::ranges::none_of(files, [](const std::filesystem::path& file) { return file.empty(); });
  if (named && files.size() <= 2) return files;
  throw InputError("list of strings: found " + cisolve::quoted(paths) +
                   ", expected a file, or two with a comma between them");
}

}  // namespace cisolve
