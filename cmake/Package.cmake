# The installed package as others have it: find_package(cisolve) and pkg-config.

include(CMakePackageConfigHelpers)
set(CISOLVE_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/cisolve)
install(DIRECTORY include/cisolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(cmake/cisolveConfig.cmake.in ${CMAKE_BINARY_DIR}/cisolveConfig.cmake
  INSTALL_DESTINATION ${CISOLVE_PACKAGE}
  PATH_VARS CISOLVE_INSTALL_LIBRARIES CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cisolveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cisolveConfig.cmake ${CMAKE_BINARY_DIR}/cisolveConfigVersion.cmake
  DESTINATION ${CISOLVE_PACKAGE})

set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH from_pkgconfig /${pkgconfig} /)
string(REGEX REPLACE "/$" "" from_pkgconfig ${from_pkgconfig})
configure_file(cmake/cisolve.pc.in ${CMAKE_BINARY_DIR}/cisolve.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cisolve.pc DESTINATION ${pkgconfig})
