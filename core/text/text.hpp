#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cisolve {

/// In small letters (ASCII).
std::string to_lower(std::string_view text);

/// The texts in one, or what `text` makes of each.
template <class Texts, class Text = std::identity>
std::string joined(const Texts& texts, const char* between = ", ", Text text = {}) {
  std::string all;
  for (const auto& one : texts) {
    if (!all.empty()) all += between;
    all += std::invoke(text, one);
  }
  return all;
}

/// For messages: bytes that are no printable UTF-8 text as \xNN, line ends as they are.
std::string escaped(std::string_view text);

/// A piece of input for messages: in quotes, its first 40 bytes, control characters as '?', what
/// else is no text escaped.
std::string quoted(std::string_view text);

/// The whole word as Fortran or C++ writes a real number: 1, .5, -.5E-01, +0.1D+00, 1.5-101. Below
/// the smallest double it is the nearest one, beyond the largest infinity. None for anything else.
std::optional<double> parse_real(std::string_view word);

}  // namespace cisolve
