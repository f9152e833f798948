#include "core/error.hpp"
#include "formats/shared/sliced_ell.hpp"

namespace cisolve {
namespace {

SlicedEllLayout sell_c_sigma_layout(const CsrMatrix&, const FormatOptions& options) {
  if (options.sort_window < 1) {
    throw InputError("sell_c_sigma: the sort window is " + std::to_string(options.sort_window) +
                     ", expected at least 1");
  }
  return {"sell_c_sigma", checked_slice_height("sell_c_sigma", options), options.sort_window,
          false};
}

}  // namespace

Format sell_c_sigma_format() {
  return sliced_ell_format<sell_c_sigma_layout>(
      "sell_c_sigma", "SELL-C-σ: sliced ELLPACK, rows sorted by length in windows");
}

}  // namespace cisolve
