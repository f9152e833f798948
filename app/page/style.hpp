#pragma once

namespace cisolve {

/// The style sheet of all pages: light, dark as the reader's system asks for it, and for print.
/// Nothing is told by colour alone. Contrast with the ground is at least 4.5 for text and 3 for
/// lines, in light and dark.
extern const char page_style[];

}  // namespace cisolve
