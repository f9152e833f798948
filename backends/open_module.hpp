#pragma once

#include <filesystem>
#include <string>

namespace cisolve {

/// A module of the program's own: a library beside libcisolve.so that is opened where it is needed,
/// so that all else works without what it stands on (CUDA, MPI, SLEPc).
struct OpenedModule {
  void* handle = nullptr;  ///< as of dlopen; null where it cannot be used
  std::string failure;     ///< why not
};

/// Its file: beside the library that this function is in.
std::filesystem::path module_file(const char* name);
/// True if it was built: its file is there.
bool module_is_there(const char* name);

/// Opens it, once it is there. `flags`: RTLD_LOCAL, or RTLD_GLOBAL for libraries with plugins of
/// their own, which look for names among those that all see; `stamp`: its function that tells which
/// build it is of; `what`: what may be missing, for people.
OpenedModule open_module(const char* name, int flags, const char* stamp, const std::string& what);

}  // namespace cisolve
