#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/determinants/list_format.hpp"

namespace cisolve {
namespace {

using Words = std::span<const std::string_view>;

/// Forms of the strings on a line.
enum class LineForm {
  letters,  ///< 2, a, b and 0, of general spin orbitals 1 (or a) and 0, in any groups; numbers may
            ///< stand before them
  pair,     ///< alpha bits, then beta bits
  whole,    ///< beta bits and alpha bits as one
  single    ///< the bits of a string, where strings are read
};

constexpr const char* words_for(LineForm form) {
  switch (form) {
    case LineForm::letters:
      return "the letters 2, a, b and 0";
    case LineForm::pair:
      return "two bit strings";
    default:
      return "one bit string";
  }
}

bool are_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

std::size_t characters_in(Words words) {
  std::size_t count = 0;
  for (const std::string_view word : words) count += word.size();
  return count;
}

/// Electrons in the lower and the upper half of the orbitals, of the first strings of a file.
class Halves {
 public:
  explicit Halves(int orbitals)
      : lower_(OrbitalString::lowest(orbitals / 2)),
        upper_(OrbitalString::lowest(orbitals) & ~OrbitalString::lowest((orbitals + 1) / 2)) {}
  void count(const OrbitalString& s) {
    constexpr int enough = 1000;
    if (strings_ == enough) return;
    ++strings_;
    in_lower_ += (s & lower_).count();
    in_upper_ += (s & upper_).count();
  }
  bool look_mirrored() const { return in_lower_ < in_upper_; }

 private:
  OrbitalString lower_, upper_;
  int strings_ = 0, in_lower_ = 0, in_upper_ = 0;
};

class ListReader {
 public:
  ListReader(const ListFile& file, const StringForm& form)
      : file_(file),
        form_(form),
        n_(static_cast<std::size_t>(form.orbitals)),
        halves_(form.orbitals) {}

  ReadList read() {
    const std::string name = file_.path.string();
    // A text without line ends is not unpacked further.
    const TextFile text(file_.path, [&](std::string_view beginning) {
      require_lines(beginning, name);
      return std::numeric_limits<double>::infinity();
    });
    std::string_view rest = text.text();
    for (number_ = 1; !rest.empty(); ++number_) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line.starts_with(natural_heading)) made_.notes.push_back(note_of_rotation(file_.path));
      add_line(line);
    }
    const bool bits = found_ && *found_ != LineForm::letters;
    if (bits && form_.first == FirstOrbital::automatic && halves_.look_mirrored()) {
      made_.notes.push_back(
          name +
          ": its bit strings have more electrons in the upper half of the orbitals than in the "
          "lower one; where their first character is orbital 1, input.first_orbital: left says so");
    }
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_.path.string() + ":" + std::to_string(number_) + ": " + what);
  }

  void add_line(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    words_.clear();
    for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != line.npos;) {
      const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
      words_.push_back(line.substr(at, end - at));
      at = end;
    }
    if (words_.empty() || words_[0][0] == '#') return;
    const Words words = Words(words_).subspan(numbers_in_front());
    const std::optional<LineForm> form = form_of(words);
    if (!form) refuse(words);
    if (found_.value_or(*form) != *form) {
      fail(std::string("found ") + words_for(*form) + ", expected " + words_for(*found_) +
           " as in the lines before");
    }
    found_ = form;
    add(*form, words);
  }

  /// Numbers before the strings: of a coefficient, which has a point, an exponent or a sign, or of
  /// an index and a coefficient, as Dice prints them.
  std::size_t numbers_in_front() const {
    if (file_.of == ListOf::strings) return 0;
    constexpr std::string_view digits = "0123456789";
    const auto is_coefficient = [&](std::size_t i) {
      return i + 1 < words_.size() && !are_of(words_[i], digits) && parse_real(words_[i]);
    };
    if (is_coefficient(0)) return 1;
    return are_of(words_[0], digits) && is_coefficient(1) ? 2 : 0;
  }

  /// None where the words are no determinant or string over the orbitals.
  std::optional<LineForm> form_of(Words words) const {
    const auto bits = [&](std::size_t i, std::size_t length) {
      return words[i].size() == length && are_of(words[i], "01");
    };
    if (file_.of == ListOf::strings) {
      return words.size() == 1 && bits(0, n_) ? std::optional(LineForm::single) : std::nullopt;
    }
    if (words.size() == 2 && bits(0, n_) && bits(1, n_)) return LineForm::pair;
    if (words.size() == 1 && bits(0, 2 * n_)) return LineForm::whole;
    const char* const known = form_.general ? "1a0" : "2ab0";
    const bool letters =
        characters_in(words) == n_ &&
        std::ranges::all_of(words, [known](auto word) { return are_of(word, known); });
    return letters ? std::optional(LineForm::letters) : std::nullopt;
  }

  void add(LineForm form, Words words) {
    auto& [alpha, beta, product] = made_.list;
    switch (form) {
      case LineForm::letters:
        return add_letters(words);
      case LineForm::pair:
        alpha.push_back(string_of(words[0]));
        beta.push_back(string_of(words[1]));
        return halves_.count(beta.back()), halves_.count(alpha.back());
      case LineForm::whole: {
        const bool mirrored = form_.first == FirstOrbital::left;
        alpha.push_back(string_of(words[0].substr(mirrored ? 0 : n_, n_)));
        beta.push_back(string_of(words[0].substr(mirrored ? n_ : 0, n_)));
        return halves_.count(beta.back()), halves_.count(alpha.back());
      }
      case LineForm::single:
        alpha.push_back(string_of(words[0]));
        return halves_.count(alpha.back());
    }
  }

  OrbitalString string_of(std::string_view bits) const {
    OrbitalString s;
    for (std::size_t k = 0; k < n_; ++k) {
      if (bits[k] == '0') continue;
      s = s.with(static_cast<int>(form_.first == FirstOrbital::left ? k : n_ - 1 - k));
    }
    return s;
  }

  void add_letters(Words words) {
    OrbitalString a, b;
    std::size_t k = 0;
    for (const std::string_view word : words) {
      for (const char letter : word) {
        const int p = static_cast<int>(form_.first == FirstOrbital::right ? n_ - 1 - k : k);
        if (letter == '2' || letter == 'a' || letter == '1') a = a.with(p);
        if (letter == '2' || letter == 'b') b = b.with(p);
        ++k;
      }
    }
    made_.list.alpha.push_back(a);
    made_.list.beta.push_back(b);
  }

  /// Says why the words of a line are none.
  [[noreturn]] void refuse(Words words) const {
    const std::string n = std::to_string(n_), twice = std::to_string(2 * n_);
    const bool strings = file_.of == ListOf::strings;
    const std::string letters = form_.general ? " characters 1 and 0" : " characters 2, a, b and 0";
    const std::string expected = strings ? "a string of " + n + " characters 0 and 1"
                                         : "a determinant: " + n + letters + ", two strings of " +
                                               n + " bits, or one of " + twice;
    const std::string_view known = strings ? "01" : form_.general ? "01a" : "012ab";
    for (const std::string_view word : words) {
      if (const std::size_t at = word.find_first_not_of(known); at != word.npos) {
        fail("found " + cisolve::quoted(word.substr(at, 1)) + ", expected " + expected);
      }
    }
    const bool one = !strings && !form_.general && words.size() == 1 && words[0].size() == n_;
    fail("found " + std::to_string(characters_in(words)) + " characters in " +
         std::to_string(words.size()) + (words.size() == 1 ? " word" : " words") + ", expected " +
         expected + (one ? " (lists of strings go with input.strings)" : ""));
  }

  const ListFile& file_;
  StringForm form_;
  std::size_t n_;  ///< orbitals
  Halves halves_;
  std::vector<std::string_view> words_;  ///< of the line
  std::int64_t number_ = 0;              ///< of the line
  std::optional<LineForm> found_;        ///< of the lines so far
  ReadList made_;
};

ReadList read_text_list(const ListFile& file, const StringForm& form) {
  return ListReader(file, form).read();
}

}  // namespace

const ListFormat text_list{"text", [](const ListFile&) { return true; }, read_text_list};

}  // namespace cisolve
