#include "app/page/style.hpp"

namespace cisolve {

const char page_style[] =
#include "page_style.inc"  // style.css, by cmake/EmbeddedTexts.cmake
    ;

}  // namespace cisolve
