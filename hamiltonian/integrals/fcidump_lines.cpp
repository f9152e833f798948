#include "hamiltonian/integrals/fcidump_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "core/text.hpp"

namespace cisolve {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The fields of a line, of which the first six are kept.
struct Fields {
  std::array<std::string_view, 6> word;
  std::size_t count = 0;
};

Fields fields_of(std::string_view text) {
  Fields fields;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return fields;
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    if (fields.count < fields.word.size()) {
      fields.word[fields.count] = {begin, static_cast<std::size_t>(at - begin)};
    }
    ++fields.count;
  }
}

bool is_whole_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

/// Words, which are no integral that lost something: the first has no digit and is no overflow of
/// Fortran's (****), and what follows is not four indices (NaN 2 2 1 1).
bool are_words(const Fields& fields) {
  const std::string_view first = fields.word[0];
  return first[0] != '(' && std::ranges::none_of(first, is_digit) &&
         first.find('*') == first.npos && !(fields.count == 5 && is_whole_number(fields.word[1]));
}

/// re im i j k l
bool is_complex(const Fields& fields) {
  return fields.count == 6 && parse_real(fields.word[0]) && parse_real(fields.word[1]) &&
         !is_whole_number(fields.word[1]) &&
         std::all_of(fields.word.begin() + 2, fields.word.end(), is_whole_number);
}

}  // namespace

std::string describe(const IntegralLine& line) {
  char value[32];
  std::snprintf(value, sizeof value, "%.6g", line.value);
  std::string text = value;
  for (const int index : line.index) text += " " + std::to_string(index);
  return text;
}

bool IntegralLines::next(IntegralLine& line) {
  const std::string_view text = next_text();
  if (text.empty()) return false;
  if (core_energy_ && are_words(fields_of(text))) {
    skip_words(text);
    return false;
  }
  parse(text, line);
  core_energy_ = line.index == std::array<int, 4>{};
  return true;
}

/// The next line that says anything, without its comment; empty: there is none.
std::string_view IntegralLines::next_text() {
  while (rest_.size() > 1) {  // rest_ starts with the newline that ends line number_
    rest_.remove_prefix(1);
    ++number_;
    const std::string_view whole = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(whole.size());
    const std::string_view text = whole.substr(0, whole.find('!'));
    const auto first = std::ranges::find_if_not(text, is_blank);
    if (first != text.end() && *first != '#') return text;
  }
  return {};
}

/// To the end of the file. Throws where an integral follows: then the words took another's place.
void IntegralLines::skip_words(std::string_view first) {
  words_ = number_;
  IntegralLine line;
  for (std::string_view text = first; !text.empty(); text = next_text()) {
    const Fields fields = fields_of(text);
    if (fields.count != 5 || !parse_real(fields.word[0]) ||
        !std::all_of(fields.word.begin() + 1, fields.word.begin() + 5, is_whole_number)) {
      continue;
    }
    number_ = words_;
    parse(first, line);
  }
}

void IntegralLines::parse(std::string_view text, IntegralLine& line) const {
  const Fields fields = fields_of(text);
  const std::size_t count = fields.count;
  if (fields.word[0][0] == '(' || is_complex(fields)) {
    fail("found " + quoted(text) +
         ": the integrals are complex, and only real ones can be solved; expected value i j k l");
  }
  if (count != 5) {
    const bool last = text.data() + text.size() == source_.text.data() + source_.text.size();
    fail("found " + std::to_string(count) + (count == 1 ? " field" : " fields") +
         ", expected 5: value i j k l" + (last ? " (the file seems cut short)" : ""));
  }
  line.number = number_;
  line.value = parse_value(fields.word[0]);
  for (std::size_t m = 0; m < 4; ++m) line.index[m] = parse_index(fields.word[m + 1]);
}

double IntegralLines::parse_value(std::string_view word) const {
  const std::optional<double> value = parse_real(word);
  if (!value) fail("found " + quoted(word) + ", expected a number as the value of an integral");
  if (!std::isfinite(*value)) fail("found " + quoted(word) + ", expected a finite number");
  return *value;
}

int IntegralLines::parse_index(std::string_view word) const {
  int index = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, index);
  if (end != last || error == std::errc::invalid_argument) {
    fail("found " + quoted(word) + ", expected an orbital number");
  }
  if (error != std::errc() || index < 0 || index > norb_) {
    throw BeyondNorb(source_.name + ":" + std::to_string(number_) + ": found orbital number " +
                     std::string(word) + ", expected 0 to NORB = " + std::to_string(norb_));
  }
  return index;
}

}  // namespace cisolve
