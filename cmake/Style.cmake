# The style sheet of pages, compiled into the program as a string literal.
set(file ${CMAKE_SOURCE_DIR}/app/page/style.css)
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
file(READ ${file} style)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/page_style.inc CONTENT "R\"(\n${style})\"\n"
  @ONLY)
