# The installed package as others have it: find_package(cisolve) and pkg-config, the Debian package
# (cpack -G DEB), the recipes of conda-forge and Spack.

# Where the sources are hosted: one line of pyproject.toml, empty until it is set.
file(STRINGS pyproject.toml CISOLVE_HOMEPAGE REGEX "^Homepage = ")
string(REGEX REPLACE "^Homepage = \"(.*)\".*" "\\1" CISOLVE_HOMEPAGE "${CISOLVE_HOMEPAGE}")

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

# One package for programs and those who build against the library. bootstrap.sh makes it.
set(CPACK_GENERATOR DEB)
set(CISOLVE_CONTACT "the cisolve authors <cisolve@example.org>" CACHE STRING
  "Who maintains a Debian package that is made; example.org stands for your host")
set(CPACK_PACKAGE_CONTACT "${CISOLVE_CONTACT}")
set(CPACK_PACKAGE_HOMEPAGE_URL "${CISOLVE_HOMEPAGE}")
set(CPACK_PACKAGE_DESCRIPTION
"The input is a file of integrals (FCIDUMP, TREXIO) or a sparse matrix. Every
result states how certain it is that no lower state was missed.")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS openmpi-bin)
include(CPack)

if(CISOLVE_HOMEPAGE)
  configure_file(packaging/conda/meta.yaml.in ${CMAKE_BINARY_DIR}/packaging/conda/meta.yaml @ONLY)
  configure_file(packaging/spack/package.py.in ${CMAKE_BINARY_DIR}/packaging/spack/package.py @ONLY)
endif()
