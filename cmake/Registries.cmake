# Lists of the storage formats, linear methods and eigensolvers, made from the names of their files:
# no static objects register themselves (a linker drops those).
#
#   cisolve_registry(KIND TYPE [FILE...])
#
# KIND_list() returns what the functions `TYPE NAME_KIND()` of the files NAME.cpp do; a source
# includes it as "KIND_list.inc".
function(cisolve_registry kind type)
  list(TRANSFORM ARGN REPLACE "^.*/([^/]+)\\.cpp$" "\\1_${kind}()" OUTPUT_VARIABLE calls)
  list(JOIN calls ", " calls)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/${kind}_list.inc CONTENT
    "${type} ${calls};\nstatic std::vector<${type}> ${kind}_list() { return {${calls}}; }\n")
endfunction()

# Every folder below formats/ with a file NAME.cpp or NAME_cpu.cpp of its own name is a format.
file(GLOB folders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/formats/*)
foreach(folder ${folders})
  get_filename_component(name ${folder} NAME)
  if(EXISTS ${folder}/${name}.cpp OR EXISTS ${folder}/${name}_cpu.cpp)
    list(APPEND formats ${folder}.cpp)
  endif()
endforeach()
cisolve_registry(format Format ${formats})

file(GLOB steps CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/solvers/linear/steps/*.cpp)
cisolve_registry(linear_method LinearMethodTraits ${steps})
file(GLOB searches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/solvers/eigen/searches/*.cpp)
cisolve_registry(eigen_method EigenMethodTraits ${searches})
