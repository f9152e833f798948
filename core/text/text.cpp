#include "core/text/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace cisolve {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Bytes of the letter of several bytes that the text begins with; 0 where that is none, or one of
/// the terminal's control characters.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  unsigned letter = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    letter = letter << 6 | (byte(i) & 0x3F);
  }
  const unsigned least[] = {0x80, 0x800, 0x10000};
  const bool surrogate = letter >= 0xD800 && letter < 0xE000;
  return letter < least[length - 2] || letter > 0x10FFFF || surrogate || letter < 0xA0 ? 0 : length;
}

}  // namespace

std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string escaped(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    const std::size_t length = c < 0x80 ? 1 : utf8_length(text);
    const bool is_text = c < 0x80 ? (c >= 32 && c != 127) || c == '\n' : length > 0;
    if (is_text) {
      shown += text.substr(0, length);
    } else {
      constexpr char digits[] = "0123456789abcdef";
      shown += {'\\', 'x', digits[c >> 4], digits[c & 15]};
    }
    text.remove_prefix(is_text ? length : 1);
  }
  return shown;
}

std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  // A letter that is cut is left out.
  for (int cut = 0; cut < 3 && text.size() > 40 && (text[shown.size()] & 0xC0) == 0x80; ++cut) {
    shown.pop_back();
  }
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 32) c = '?';
  }
  return "\"" + escaped(shown) + "\"";
}

std::optional<double> parse_real(std::string_view word) {
  double value = 0.0;
  const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status == std::errc() && stop == word.data() + word.size()) return value;

  // Forms that from_chars does not read: a leading plus, D exponents, and exponents of three digits
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
