# The loops that take the time of a solve lie in a library of their own, libcisolve_cpu.so. It is
# compiled once for every instruction set in CISOLVE_INSTRUCTION_SETS, and the dynamic loader takes
# the best that the machine has from lib/glibc-hwcaps/NAME, or else the one in lib/ itself, which
# every processor of the family runs. docs/adr/0014-instruction-sets.md says why.
string(REPLACE "_" "-" base_set ${CMAKE_SYSTEM_PROCESSOR})
set(further_sets "")
if(base_set STREQUAL x86-64)
  set(further_sets x86-64-v3 x86-64-v4)
endif()
set(CISOLVE_INSTRUCTION_SETS "${further_sets}" CACHE STRING
  "Instruction sets the CPU's loops are compiled for, beside what every processor of the family has")
set(further_sets ${CISOLVE_INSTRUCTION_SETS})
if(CISOLVE_NATIVE)
  set(base_set native)
  set(further_sets "")
endif()
message(STATUS "cisolve: the CPU's loops for ${base_set} ${further_sets}")
# The loader would take one of an earlier configuration of this build folder, too.
file(GLOB earlier_sets RELATIVE ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/glibc-hwcaps
  ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/glibc-hwcaps/*)
foreach(set ${earlier_sets})
  if(NOT set IN_LIST further_sets)
    file(REMOVE_RECURSE ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/glibc-hwcaps/${set})
  endif()
endforeach()

file(GLOB CISOLVE_CPU_SOURCES CONFIGURE_DEPENDS
  backends/cpu/*.cpp formats/*/*_cpu.cpp hamiltonian/matrix/ci_matrix.cpp
  hamiltonian/*/*_cpu.cpp hamiltonian/*/*/*_cpu.cpp core/*/*_cpu.cpp)

# add_cpu_library(TARGET INSTRUCTION_SET FOLDER [OPTION...]): libcisolve_cpu.so in FOLDER of lib/.
# What it calls of libcisolve.so it leaves undefined, for that one links to it.
function(add_cpu_library target instruction_set folder)
  add_library(${target} SHARED ${CISOLVE_CPU_SOURCES})
  # Sums of products in one rounding where there is such an instruction: faster, and nearer.
  target_compile_options(${target} PRIVATE ${ARGN} -ffp-contract=fast -fno-semantic-interposition)
  # Inline functions that other libraries have too, for other instruction sets, are its own ones.
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  target_compile_definitions(${target} PRIVATE CISOLVE_INSTRUCTION_SET="${instruction_set}"
    EIGEN_DONT_PARALLELIZE)  # the loops around its products are
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE cisolve_settings cisolve_warnings cisolve_waiting)
  target_precompile_headers(${target} PRIVATE <algorithm> <memory> <span> <string> <vector> <Eigen/Core>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cisolve_cpu
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${folder})
  install(TARGETS ${target}
    LIBRARY DESTINATION ${CISOLVE_INSTALL_LIBRARIES}/${folder} COMPONENT libraries)
  file(RELATIVE_PATH libraries /${folder} /)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
endfunction()

add_cpu_library(cisolve_cpu ${base_set} "")
foreach(set ${further_sets})
  add_cpu_library(cisolve_cpu_${set} ${set} glibc-hwcaps/${set} -march=${set})
  add_dependencies(cisolve_cpu cisolve_cpu_${set})
endforeach()
