# Files compiled into the program as string literals: the style sheet of pages, and how to cite.
function(cisolve_embed file literal)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/${file})
  file(READ ${CMAKE_SOURCE_DIR}/${file} text)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${literal} CONTENT "R\"(\n${text})\"\n" @ONLY)
endfunction()
cisolve_embed(app/page/style.css page_style.inc)
cisolve_embed(CITATION.cff citation.inc)
