#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/determinants/list_format.hpp"

namespace cisolve {
namespace {

// Format, from the sources of EZFIO (libezfio_util.irp.f) and Quantum Package
// (determinants/EZFIO.cfg). A number is a file of one line. An array is a gzip text: its first line
// has the number of dimensions, its second the extents, every further one an element, the first
// index fastest.

/// Lines of whole numbers, one after the other. Throws InputError at the first that is none.
class NumberLines {
 public:
  explicit NumberLines(std::filesystem::path path)
      : path_(std::move(path)), file_(path_, bound(path_)), rest_(file_.text()) {}

  /// The numbers of the next line.
  std::vector<std::int64_t> next(std::size_t count) {
    if (rest_.empty()) fail("the file breaks off, expected a line of whole numbers");
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    ++number_;
    std::vector<std::int64_t> numbers;
    const char *p = line.data(), *const end = line.data() + line.size();
    for (;;) {
      while (p < end && (*p == ' ' || *p == '\r')) ++p;
      if (p == end) break;
      std::int64_t value = 0;
      const auto [stop, status] = std::from_chars(p, end, value);
      if (status != std::errc{}) refuse(line, count);
      numbers.push_back(value);
      p = stop;
    }
    if (numbers.size() != count) refuse(line, count);
    return numbers;
  }
  bool at_end() const { return rest_.find_first_not_of(" \r\n") == rest_.npos; }
  std::size_t bytes() const { return file_.text().size(); }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_.string() + ":" + std::to_string(number_) + ": " + what);
  }

 private:
  static TextBound bound(const std::filesystem::path& path) {
    return [name = path.string()](std::string_view beginning) {
      require_lines(beginning, name);
      return std::numeric_limits<double>::infinity();
    };
  }
  [[noreturn]] void refuse(std::string_view line, std::size_t count) const {
    fail("found " + cisolve::quoted(line) + ", expected " + std::to_string(count) +
         (count == 1 ? " whole number" : " whole numbers"));
  }

  std::filesystem::path path_;
  TextFile file_;
  std::string_view rest_;
  std::int64_t number_ = 0;
};

/// Throws InputError unless the number in that file, where there is one, is as expected.
void require_value(const std::filesystem::path& path, std::int64_t expected) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  NumberLines lines(path);
  const std::int64_t found = lines.next(1)[0];
  if (found != expected) {
    lines.fail("found " + std::to_string(found) + ", expected " + std::to_string(expected));
  }
}

/// A folder of Quantum Package.
ReadList read_ezfio(const ListFile& file, const StringForm& form) {
  if (file.of == ListOf::strings) {
    throw InputError(file.path.string() +
                     ": a folder of Quantum Package has determinants "
                     "(input.determinants), expected lists of strings");
  }
  const std::filesystem::path folder = file.path / "determinants";
  require_value(file.path / "mo_basis" / "mo_num", form.orbitals);
  require_value(folder / "bit_kind", 8);
  NumberLines lines(folder / "psi_det.gz");
  if (const std::int64_t dimensions = lines.next(1)[0]; dimensions != 3) {
    lines.fail("found " + std::to_string(dimensions) + " dimensions, expected 3");
  }
  const std::vector<std::int64_t> shape = lines.next(3);
  const int words = OrbitalString::words_of(form.orbitals);
  if (shape[0] != words || shape[1] != 2 || shape[2] < 0) {
    const auto text = [](std::int64_t extent) { return std::to_string(extent); };
    lines.fail("found extents " + joined(shape, ", ", text) + ", expected " +
               std::to_string(words) + ", 2 and the number of determinants");
  }
  require_number(static_cast<std::uint64_t>(shape[2]), file);
  require_value(folder / "n_int", words);
  require_value(folder / "n_det", shape[2]);
  ReadList made;
  const auto string_of_next = [&] {
    std::uint64_t bits[OrbitalString::words_of(OrbitalString::most_orbitals)] = {};
    for (int k = 0; k < words; ++k) bits[k] = static_cast<std::uint64_t>(lines.next(1)[0]);
    const auto s = OrbitalString::from_words(bits, words);
    require_within(s, form.orbitals, file,
                   "a string of determinant " + std::to_string(made.list.beta.size() + 1));
    return s;
  };
  for (std::int64_t i = 0; i < shape[2]; ++i) {
    made.list.alpha.push_back(string_of_next());
    made.list.beta.push_back(string_of_next());
  }
  if (!lines.at_end()) {
    lines.fail("lines follow the last of " + std::to_string(shape[2]) + " determinants");
  }
  return made;
}

bool recognises_ezfio(const ListFile& file) {
  std::error_code ignored;
  return std::filesystem::is_directory(file.path / "determinants", ignored);
}

}  // namespace

const ListFormat ezfio_list{"EZFIO", recognises_ezfio, read_ezfio};

}  // namespace cisolve
