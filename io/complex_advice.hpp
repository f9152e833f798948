#pragma once

#include <string>
#include <string_view>

namespace cisolve {

/// What can be done with elements that are complex numbers, after a message that refuses them.
inline constexpr const char* complex_advice =
    "; of a Hermitian matrix A + iB the real symmetric [[A, -B], [B, A]] has the same eigenvalues, "
    "each twice";

/// The same of a NumPy type, "<c16"; empty where it is no complex one.
inline std::string advice_on(std::string_view npy_type) {
  const bool is_complex = npy_type.find('c') == 1 || npy_type.starts_with('c');
  return is_complex ? complex_advice : "";
}

}  // namespace cisolve
