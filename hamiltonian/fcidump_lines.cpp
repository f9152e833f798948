#include "hamiltonian/fcidump_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace cisolve {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string quoted(std::string_view word) {
  std::string shown(word.substr(0, 40));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 32) c = '?';
  }
  return "\"" + shown + "\"";
}

/// Reads what Fortran writes and from_chars does not know: a leading plus, D exponents, and
/// exponents of three digits without their letter (1.5-101). False when it is no number.
bool parse_fortran_real(std::string_view word, double& value) {
  if (!word.empty() && word[0] == '+') {
    word.remove_prefix(1);
    if (word.empty() || !(is_digit(word[0]) || word[0] == '.')) return false;
  }
  std::string number;
  number.reserve(word.size() + 1);
  char previous = 0;
  for (const char c : word) {
    if ((c == '+' || c == '-') && (is_digit(previous) || previous == '.')) number += 'e';
    number += c == 'd' || c == 'D' ? 'e' : c;
    previous = c;
  }
  const char* const last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return false;
  // Beyond the range of double: strtod tells 0 from infinity.
  if (error == std::errc::result_out_of_range) value = std::strtod(number.c_str(), nullptr);
  return true;
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
  while (rest_.size() > 1) {  // rest_ starts with the newline that ends line number_
    rest_.remove_prefix(1);
    ++number_;
    const std::string_view text = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(text.size());
    if (std::all_of(text.begin(), text.end(), is_blank)) continue;
    parse(text, line);
    return true;
  }
  return false;
}

void IntegralLines::parse(std::string_view text, IntegralLine& line) const {
  std::array<std::string_view, 5> fields;
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) break;
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    if (count < fields.size()) fields[count] = {begin, static_cast<std::size_t>(at - begin)};
    ++count;
  }
  if (fields[0][0] == '(') fail("found " + quoted(text) + ": complex integrals are not supported");
  if (count != fields.size()) {
    const bool last = text.data() + text.size() == source_.text.data() + source_.text.size();
    fail("found " + std::to_string(count) + (count == 1 ? " field" : " fields") +
         ", expected 5: value i j k l" + (last ? " (the file seems cut short)" : ""));
  }
  line.number = number_;
  line.value = parse_value(fields[0]);
  for (std::size_t m = 0; m < 4; ++m) line.index[m] = parse_index(fields[m + 1]);
}

double IntegralLines::parse_value(std::string_view word) const {
  double value = 0.0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  if ((error != std::errc() || end != last) && !parse_fortran_real(word, value)) {
    fail("found " + quoted(word) + ", expected a number as the value of an integral");
  }
  if (!std::isfinite(value)) fail("found " + quoted(word) + ", expected a finite number");
  return value;
}

int IntegralLines::parse_index(std::string_view word) const {
  int index = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, index);
  if (end != last || error == std::errc::invalid_argument) {
    fail("found " + quoted(word) + ", expected an orbital number");
  }
  if (error != std::errc() || index < 0 || index > norb_) {
    fail("found orbital number " + std::string(word) +
         ", expected 0 to NORB = " + std::to_string(norb_));
  }
  return index;
}

}  // namespace cisolve
