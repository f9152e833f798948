#include <algorithm>

#include "formats/shared/sliced_ell.hpp"

namespace cisolve {
namespace {

SlicedEllLayout layout(const CsrMatrix& a, const FormatOptions&) {
  // One slice of all rows.
  return {"ellr", std::max(a.rows, 1), 0, true};
}

}  // namespace

Format ellr_format() {
  return sliced_ell_format<layout>("ellr", "ELLPACK-R: ELLPACK with row lengths");
}

}  // namespace cisolve
