#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cisolve {

/// In small letters (ASCII).
std::string to_lower(std::string_view text);

/// For messages: bytes that are no printable UTF-8 text as \xNN, line ends as they are.
std::string escaped(std::string_view text);

/// A piece of input for messages: in quotes, its first 40 bytes, control characters as '?', what
/// else is no text escaped.
std::string quoted(std::string_view text);

/// The whole word as Fortran or C++ writes a real number: 1, .5, -.5E-01, +0.1D+00, 1.5-101. Below
/// the smallest double it is the nearest one, beyond the largest infinity. None for anything else.
std::optional<double> parse_real(std::string_view word);

}  // namespace cisolve
