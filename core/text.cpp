#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace cisolve {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 32) c = '?';
  }
  return "\"" + shown + "\"";
}

std::optional<double> parse_real(std::string_view word) {
  double value = 0.0;
  const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status == std::errc() && stop == word.data() + word.size()) return value;

  // What from_chars does not know: a leading plus, D exponents, and exponents of three digits
  // without their letter.
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.empty() || !(is_digit(word[0]) || word[0] == '.')) return std::nullopt;
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
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  // Beyond the range of double: strtod tells 0 from infinity.
  if (error == std::errc::result_out_of_range) value = std::strtod(number.c_str(), nullptr);
  return value;
}

}  // namespace cisolve
