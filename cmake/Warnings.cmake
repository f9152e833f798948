# Warnings for the project's own targets; errors where CISOLVE_WERROR says so (CI).
add_library(cisolve_warnings INTERFACE)
target_compile_options(cisolve_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  # What is another file's beside this one in a compiler is no matter of its locals.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-shadow -Wshadow=local>
  # False alarms of GCC 12 and 13 from within their own headers, more of them where those are
  # precompiled.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  # Functions of the CUDA module have C names and types of C++.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-return-type-c-linkage>
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CISOLVE_WERROR}>>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${CISOLVE_WERROR}>>:-Werror=all-warnings>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CISOLVE_SANITIZE}>>:-fsanitize=address,undefined -fno-omit-frame-pointer>)
target_link_options(cisolve_warnings INTERFACE
  $<$<BOOL:${CISOLVE_SANITIZE}>:-fsanitize=address,undefined>)
