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
    fail("found orbital number " + std::string(word) +
         ", expected 0 to NORB = " + std::to_string(norb_));
  }
  return index;
}

}  // namespace cisolve
