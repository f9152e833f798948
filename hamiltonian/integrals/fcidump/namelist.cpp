#include "hamiltonian/integrals/fcidump/namelist.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "core/error.hpp"
#include "core/text/text_blocks.hpp"

namespace cisolve {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view separators = " \t\r\n,";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view word_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(begin, end - begin);
}

/// Length of the terminator (/, &END, $END) at this place; 0 when there is none.
std::size_t terminator_length(std::string_view text, std::size_t at) {
  if (text[at] == '/') return 1;
  const bool marked = text[at] == '&' || text[at] == '$';
  return marked && to_upper(word_at(text, at + 1)) == "END" ? 4 : 0;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(separators);
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(separators) + 1 - begin));
}

}  // namespace

/// Splits a namelist into entries: a key is the word before an equals sign, its value all that
/// follows up to the next key.
class NamelistScanner {
 public:
  NamelistScanner(const NamedText& source, std::size_t opening)
      : source_(source), text_(source.text), list_(source) {
    const auto first = text_.begin();
    line_ += static_cast<std::size_t>(std::count(first, first + std::ptrdiff_t(opening), '\n'));
    list_.line_ = line_;
    at_ = opening + 1 + word_at(text_, opening + 1).size();
  }

  Namelist scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (const std::size_t length = terminator_length(text_, at_)) return close(length);
      if (c == '\'' || c == '"') {
        take_quoted(c);
      } else if (c == '!') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '=') {
        begin_entry();
        ++at_;
      } else {
        take();
      }
    }
    source_.fail(list_.line_, "the header is never closed: expected &END, $END or /");
  }

 private:
  Namelist close(std::size_t terminator) {
    finish_value();
    at_ += terminator;
    const std::size_t end_of_line = std::min(text_.find('\n', at_), text_.size());
    const std::string rest = trimmed(text_.substr(at_, end_of_line - at_));
    if (!rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) != 0 ||
                          std::string_view("+-.(").find(rest[0]) != std::string_view::npos)) {
      source_.fail(line_, "found \"" + rest.substr(0, 30) +
                              "\" after the end of the header, expected a new line");
    }
    list_.end_ = end_of_line;
    list_.end_line_ = line_;
    return std::move(list_);
  }

  void take() {
    if (text_[at_] == '\n') ++line_;
    pending_ += text_[at_] == '\n' || text_[at_] == '\r' ? ' ' : text_[at_];
    ++at_;
  }

  void take_quoted(char quote) {
    const std::size_t opened = line_;
    take();
    while (at_ < text_.size() && text_[at_] != quote) take();
    if (at_ == text_.size()) source_.fail(opened, "a quoted string of the header is never closed");
    take();
  }

  void begin_entry() {
    pending_.resize(pending_.find_last_not_of(blanks) + 1);
    const std::size_t key_begin = pending_.find_last_of(" \t,") + 1;
    const std::string key = pending_.substr(key_begin);
    if (key.empty()) source_.fail(line_, "found \"=\" without a key before it");
    pending_.resize(key_begin);
    finish_value();
    list_.entries_.push_back({key, "", line_});
  }

  void finish_value() {
    const std::string value = trimmed(pending_);
    pending_.clear();
    if (!list_.entries_.empty()) {
      list_.entries_.back().value = value;
    } else if (!value.empty()) {
      source_.fail(line_, "found \"" + value.substr(0, 30) + "\" before the first key = value");
    }
  }

  const NamedText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string pending_;
  Namelist list_;
};

std::string NamedText::line(std::size_t number) const {
  if (blocks != nullptr) blocks->rewind();
  for (std::string_view rest = text;;) {
    while (number > 1) {
      const std::size_t end = rest.find('\n');
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
      --number;
    }
    if (number == 1) return std::string(rest.substr(0, rest.find_first_of("\r\n")));
    if (blocks == nullptr || !blocks->next(rest)) return {};
  }
}

void NamedText::fail(std::size_t line, const std::string& what) const {
  throw InputError(name + ":" + std::to_string(line) + ": " + what);
}

std::string to_upper(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string base_of_key(std::string_view key) {
  if (key.ends_with("(1)")) key.remove_suffix(3);
  return to_upper(key);
}

std::size_t find_namelist(std::string_view text, const std::vector<std::string_view>& names) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::size_t begin = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  std::size_t at = text.find_first_not_of(blanks, begin);
  while (at != text.npos && (text[at] == '!' || text[at] == '#')) {
    at = text.find_first_not_of(blanks, std::min(text.find('\n', at), text.size()));
  }
  if (at == text.npos || (text[at] != '&' && text[at] != '$')) return text.npos;
  const std::string name = to_upper(word_at(text, at + 1));
  return std::find(names.begin(), names.end(), name) == names.end() ? text.npos : at;
}

Namelist scan_namelist(const NamedText& source, std::size_t opening) {
  return NamelistScanner(source, opening).scan();
}

void Namelist::fail(std::string_view key, const std::string& what) const {
  const Entry* entry = find(key);
  source_.fail(entry ? entry->line : line_, what);
}

void Namelist::fail_at(const Entry& entry, const std::string& what) const {
  source_.fail(entry.line, what);
}

const Namelist::Entry* Namelist::find(std::string_view key) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (base_of_key(entry.key) != key || entry.value.empty()) continue;
    if (found) {
      source_.fail(entry.line, std::string(key) + " is given twice; the first is on line " +
                                   std::to_string(found->line));
    }
    found = &entry;
  }
  return found;
}

std::optional<int> Namelist::integer(std::string_view key) const {
  const Entry* entry = find(key);
  if (!entry) return std::nullopt;
  return parse_integers(*entry, 1)[0];
}

std::vector<int> Namelist::integers(std::string_view key, std::size_t expected) const {
  const Entry* entry = find(key);
  return entry ? parse_integers(*entry, expected) : std::vector<int>();
}

std::optional<bool> Namelist::logical(std::string_view key) const {
  const Entry* entry = find(key);
  if (!entry) return std::nullopt;
  // Fortran takes an optional point, and then the first letter decides.
  const std::string value = to_upper(entry->value);
  const char letter = value[value[0] == '.' && value.size() > 1 ? 1 : 0];
  if (letter != 'T' && letter != 'F') {
    source_.fail(entry->line,
                 entry->key + ": found \"" + entry->value + "\", expected .TRUE. or .FALSE.");
  }
  return letter == 'T';
}

int Namelist::parse_integer(const Entry& entry, std::string_view word) const {
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    source_.fail(entry.line,
                 entry.key + ": found \"" + std::string(word) + "\", expected an integer");
  }
  return value;
}

std::vector<int> Namelist::parse_integers(const Entry& entry, std::size_t expected) const {
  std::vector<int> values;
  std::int64_t found = 0;
  std::string_view rest = entry.value;
  for (std::size_t at = 0; (at = rest.find_first_not_of(separators)) != rest.npos;) {
    rest.remove_prefix(at);
    std::string_view word = rest.substr(0, rest.find_first_of(separators));
    rest.remove_prefix(word.size());
    int repeat = 1;
    if (const std::size_t star = word.find('*'); star != word.npos) {
      repeat = parse_integer(entry, word.substr(0, star));
      word.remove_prefix(star + 1);
      if (repeat < 1) source_.fail(entry.line, entry.key + ": a repeat count below 1");
    }
    const int value = parse_integer(entry, word);
    found += repeat;
    if (found <= std::int64_t(expected)) values.insert(values.end(), std::size_t(repeat), value);
  }
  if (found != std::int64_t(expected)) {
    source_.fail(entry.line, entry.key + ": found " + std::to_string(found) +
                                 (found == 1 ? " value" : " values") + ", expected " +
                                 std::to_string(expected));
  }
  return values;
}

}  // namespace cisolve
