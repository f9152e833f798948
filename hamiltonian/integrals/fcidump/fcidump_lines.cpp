#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "core/text/text.hpp"
#include "core/text/text_blocks.hpp"

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

/// `values` real numbers and four indices.
bool are_numbers(const Fields& fields, std::size_t values) {
  return fields.count == values + 4 &&
         std::all_of(fields.word.begin(), fields.word.begin() + values,
                     [](std::string_view word) { return parse_real(word).has_value(); }) &&
         std::all_of(fields.word.begin() + values, fields.word.begin() + fields.count,
                     is_whole_number);
}

/// re im i j k l
bool is_complex(const Fields& fields) {
  return are_numbers(fields, 2) && !is_whole_number(fields.word[1]);
}

/// `(re,im) i j k l` in its parts.
struct InParentheses {
  std::string_view real, imaginary;
  Fields indices;
};

std::optional<InParentheses> parse_parentheses(std::string_view text) {
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
  const std::size_t comma = text.find(','), end = text.find(')');
  if (!text.starts_with('(') || end == text.npos || comma > end) return {};
  const Fields real = fields_of(text.substr(1, comma - 1));
  const Fields imaginary = fields_of(text.substr(comma + 1, end - comma - 1));
  if (real.count != 1 || imaginary.count != 1) return {};
  return InParentheses{real.word[0], imaginary.word[0], fields_of(text.substr(end + 1))};
}

std::string index_text(const IntegralLine& line) {
  std::string text;
  for (const int index : line.index) text += " " + std::to_string(index);
  return text;
}

bool is_integral(std::string_view text, const IntegralLine&) {
  return are_numbers(fields_of(text), 1);
}

bool is_integral(std::string_view text, const ComplexIntegralLine&) {
  const auto parts = parse_parentheses(text);
  return (parts && are_numbers(parts->indices, 0)) || are_numbers(fields_of(text), 2);
}

}  // namespace

std::string describe(const IntegralLine& line) {
  char value[32];
  std::snprintf(value, sizeof value, "%.6g", line.value);
  return value + index_text(line);
}

std::string describe(const ComplexIntegralLine& line) {
  char value[64];
  std::snprintf(value, sizeof value, "(%.6g,%.6g)", line.value, line.imaginary);
  return value + index_text(line);
}

IntegralLines::IntegralLines(const NamedText& source, std::size_t begin, std::size_t number,
                             int norb)
    : source_(source), rest_(source.text.substr(begin)), number_(number), norb_(norb) {
  if (source.blocks != nullptr) source.blocks->rewind();
}

template <class Line>
bool IntegralLines::next_of(Line& line) {
  const std::string_view text = next_text();
  if (text.empty()) return false;
  if (core_energy_ && are_words(fields_of(text))) {
    skip_words<Line>(text);
    return false;
  }
  parse(text, line);
  core_energy_ = line.index == std::array<int, 4>{};
  return true;
}

template bool IntegralLines::next_of(IntegralLine&);
template bool IntegralLines::next_of(ComplexIntegralLine&);

bool IntegralLines::next_is_complex(bool said) const {
  const std::string_view text = IntegralLines(*this).next_text();
  if (text.empty()) return false;
  const Fields fields = fields_of(text);
  return fields.word[0][0] == '(' || is_complex(fields) || (said && are_numbers(fields, 2));
}

/// The next line that says anything, without its comment; empty: there is none.
std::string_view IntegralLines::next_text() {
  while (!at_end()) {
    if (rest_.size() <= 1) {
      number_ += rest_.size();  // an empty line at the end of a block
      source_.blocks->next(rest_);
      continue;
    }
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

/// True if no line follows but perhaps an empty one.
bool IntegralLines::at_end() const {
  return rest_.size() <= 1 && (source_.blocks == nullptr || source_.blocks->at_end());
}

/// Skips to the end of the file. Throws if an integral follows: the words then took another's
/// place.
template <class Line>
void IntegralLines::skip_words(std::string_view first) {
  const std::string words(first);  // which another block may be read over
  words_ = number_;
  Line line;
  for (std::string_view text = words; !text.empty(); text = next_text()) {
    if (!is_integral(text, line)) continue;
    number_ = words_;
    parse(words, line);
  }
}

void IntegralLines::parse(std::string_view text, IntegralLine& line) const {
  const Fields fields = fields_of(text);
  const std::size_t count = fields.count;
  if (fields.word[0][0] == '(' || is_complex(fields)) {
    fail("found " + quoted(text) +
         ": a complex integral in a file whose first one is real; expected value i j k l");
  }
  if (count != 5) {
    const bool last = rest_.empty() && at_end();
    fail("found " + std::to_string(count) + (count == 1 ? " field" : " fields") +
         ", expected 5: value i j k l" + (last ? " (the file seems cut short)" : ""));
  }
  line.number = number_;
  line.value = parse_value(fields.word[0]);
  for (std::size_t m = 0; m < 4; ++m) line.index[m] = parse_index(fields.word[m + 1]);
}

void IntegralLines::parse(std::string_view text, ComplexIntegralLine& line) const {
  Fields fields;
  std::string_view imaginary;
  std::size_t values = 1;  // words before the indices
  if (const auto parts = parse_parentheses(text)) {
    fields = parts->indices;
    line.value = parse_value(parts->real);
    imaginary = parts->imaginary;
    values = 0;
  } else if (fields = fields_of(text); fields.count == 6 && fields.word[0][0] != '(') {
    line.value = parse_value(fields.word[0]);
    imaginary = fields.word[1];
    values = 2;
  } else if (are_numbers(fields, 1)) {
    line.value = parse_value(fields.word[0]);
    imaginary = "0";
  }
  if (imaginary.empty() || fields.count != values + 4) {
    fail("found " + quoted(text) + ", expected (re,im) i j k l or re im i j k l on one line");
  }
  line.number = number_;
  line.imaginary = parse_value(imaginary);
  for (std::size_t m = 0; m < 4; ++m) line.index[m] = parse_index(fields.word[values + m]);
  if (values == 1 && line.index != std::array<int, 4>{}) {
    fail("found " + quoted(text) +
         ", a real integral in a file of complex ones; expected (re,im) i j k l or re im i j k l");
  }
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
