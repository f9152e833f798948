# A folder of sources is a target that sees the headers of the folders it USES, of those they use,
# and no others: an #include that points the wrong way does not compile. Its objects become part of
# libcisolve.so.
#
#   cisolve_folder(FOLDER [USES FOLDER...] [EXCEPT SUBFOLDER...] [REPORTS] [COMMANDS])
#
# EXCEPT: subfolders that are targets of their own. REPORTS, COMMANDS: it is text and files, or
# commands and their flags, that it deals with, no loops over vectors or matrices; it is compiled for
# a short build.
set_property(GLOBAL PROPERTY CISOLVE_FOLDERS "")

# Links to what the folder shows, below a folder of its own.
function(cisolve_show folder target except)
  set(shown ${CMAKE_BINARY_DIR}/include/${target}/${folder})
  file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/include/${target})
  file(MAKE_DIRECTORY ${shown})
  file(GLOB entries RELATIVE ${CMAKE_SOURCE_DIR}/${folder} CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/${folder}/*)
  foreach(entry ${entries})
    if(NOT entry IN_LIST except)
      file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder}/${entry} ${shown}/${entry} SYMBOLIC)
    endif()
  endforeach()
endfunction()

function(cisolve_folder folder)
  cmake_parse_arguments(ARG "REPORTS;COMMANDS" "" "USES;EXCEPT" ${ARGN})
  string(REPLACE / _ target cisolve_${folder})
  cisolve_show(${folder} ${target} "${ARG_EXCEPT}")
  add_library(${target}_headers INTERFACE)
  target_include_directories(${target}_headers INTERFACE ${CMAKE_BINARY_DIR}/include/${target})
  foreach(used ${ARG_USES})
    string(REPLACE / _ used ${used})
    target_link_libraries(${target}_headers INTERFACE cisolve_${used}_headers)
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  foreach(except ${ARG_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/${folder}/${except}/")
  endforeach()
  list(REMOVE_ITEM sources ${CISOLVE_CPU_SOURCES} ${CISOLVE_CUDA_SOURCES} ${CISOLVE_MPI_SOURCES})
  if(NOT sources)
    return()
  endif()
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Outside the loops no sum of products is contracted: solvers decide alike in every portable
  # build, but for BLAS, which chooses its own instructions.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  target_link_libraries(${target} PRIVATE
    ${target}_headers cisolve_settings cisolve_dependencies cisolve_warnings)
  set(reports <algorithm> <filesystem> <functional> <memory> <optional> <string> <vector>
    <Eigen/Core> <nlohmann/json.hpp> <spdlog/fmt/fmt.h> <spdlog/spdlog.h>)
  if(ARG_COMMANDS)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
    cisolve_precompile(${target} commands ${reports} <CLI/CLI.hpp>)
  elseif(ARG_REPORTS)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
    cisolve_precompile(${target} reports ${reports})
  else()
    cisolve_precompile(${target} loops <algorithm> <cmath> <cstdint> <filesystem> <functional>
      <memory> <optional> <span> <string> <vector> <Eigen/Eigenvalues>)
  endif()
  set_property(GLOBAL APPEND PROPERTY CISOLVE_FOLDERS ${target})
endfunction()

# The first target of each kind compiles the headers, the others take what it made.
function(cisolve_precompile target kind)
  get_property(first GLOBAL PROPERTY CISOLVE_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY CISOLVE_PRECOMPILED_${kind} ${target})
  endif()
endfunction()
