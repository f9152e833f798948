# Finds SLEPc with real numbers in double precision, or says that there is none; everything builds
# without it. Its MPI must be the one that the program is built with.
set(CISOLVE_HAVE_SLEPC OFF)
if(CISOLVE_HAVE_MPI AND NOT CISOLVE_SLEPC STREQUAL "OFF")
  pkg_check_modules(SLEPC IMPORTED_TARGET slepc>=3.18)
  if(SLEPC_FOUND)
    set(CISOLVE_HAVE_SLEPC ON)
    message(STATUS "cisolve: SLEPc ${SLEPC_VERSION}")
  endif()
endif()
if(CISOLVE_SLEPC STREQUAL "ON" AND NOT CISOLVE_HAVE_SLEPC)
  message(FATAL_ERROR "CISOLVE_SLEPC=ON, and SLEPc or MPI was not found (slepc-dev, libopenmpi-dev)")
endif()
