# Run by CPack over the files that go into the Debian package: the licence has the name that Debian
# gives it, and the manual page is compressed.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
file(RENAME ${share}/doc/cisolve/LICENSE ${share}/doc/cisolve/copyright)
execute_process(COMMAND gzip -9n ${share}/man/man1/cisolve.1 COMMAND_ERROR_IS_FATAL ANY)
