#include "formats/shared/sliced_ell.hpp"

namespace cisolve {
namespace {

SlicedEllLayout sell_layout(const CsrMatrix&, const FormatOptions& options) {
  return {"sell", checked_slice_height("sell", options), 0, false};
}

}  // namespace

Format sell_format() {
  return sliced_ell_format<sell_layout>("sell",
                                        "sliced ELLPACK: slices padded to their longest row");
}

}  // namespace cisolve
