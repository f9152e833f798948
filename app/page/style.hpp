#pragma once

namespace cisolve {

/// The style sheet of all pages: light, dark as the reader's system asks for it, and for print.
/// Nothing is told by colour alone.
extern const char page_style[];

}  // namespace cisolve
