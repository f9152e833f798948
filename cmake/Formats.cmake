# Every folder below formats/ with a file NAME.cpp or NAME_cpu.cpp of its own name is a storage
# format and defines `Format NAME_format()`. The list
# made here is the registry's: no static objects register themselves (a linker drops those).
file(GLOB entries RELATIVE ${CMAKE_SOURCE_DIR}/formats CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/formats/*)
set(list "// Made by cmake/Formats.cmake from the folders of formats/.\n")
foreach(entry ${entries})
  set(file ${CMAKE_SOURCE_DIR}/formats/${entry}/${entry})
  if(EXISTS ${file}.cpp OR EXISTS ${file}_cpu.cpp)
    string(APPEND list "CISOLVE_FORMAT(${entry})\n")
  endif()
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/format_list.inc CONTENT "${list}")
