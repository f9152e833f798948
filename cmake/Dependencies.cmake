# All from the distribution's packages; bootstrap.sh installs them.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(Threads REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
# Without it TREXIO files are neither read nor written, and the program says so.
pkg_check_modules(TREXIO trexio>=2.2)
# The library alone: its package asks for whichever HDF5 is the machine's first, which is MPI's where
# SLEPc is installed, and here it would stand before the serial one.
find_library(TREXIO_LIBRARY trexio HINTS ${TREXIO_LIBRARY_DIRS})
find_path(TREXIO_INCLUDE_DIR trexio.h HINTS ${TREXIO_INCLUDE_DIRS})
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
find_library(OPENBLAS_LIBRARY openblas REQUIRED)

add_library(cisolve_dependencies INTERFACE)
target_include_directories(cisolve_dependencies SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_compile_definitions(cisolve_dependencies INTERFACE ${HDF5_DEFINITIONS})
target_link_libraries(cisolve_dependencies INTERFACE
  spdlog::spdlog yaml-cpp CLI11::CLI11 nlohmann_json::nlohmann_json ZLIB::ZLIB PNG::PNG
  Threads::Threads ${HDF5_LIBRARIES} PkgConfig::LIBZIP ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY})
if(TREXIO_FOUND)
  target_include_directories(cisolve_dependencies SYSTEM INTERFACE ${TREXIO_INCLUDE_DIR})
  target_link_libraries(cisolve_dependencies INTERFACE ${TREXIO_LIBRARY})
  target_compile_definitions(cisolve_dependencies INTERFACE CISOLVE_TREXIO)
endif()
