#include "formats/shared/sliced_ell.hpp"

namespace cisolve {
namespace {

SlicedEllLayout sellr_layout(const CsrMatrix&, const FormatOptions& options) {
  return {"sellr", checked_slice_height("sellr", options), 0, true};
}

}  // namespace

Format sellr_format() {
  return sliced_ell_format<sellr_layout>("sellr", "sliced ELLPACK with row lengths");
}

}  // namespace cisolve
