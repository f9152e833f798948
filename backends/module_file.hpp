#pragma once

#include <dlfcn.h>

#include <filesystem>

namespace cisolve {

/// A module's file: beside the library that this function is in.
inline std::filesystem::path module_file(const char* name) {
  Dl_info here{};
  ::dladdr(reinterpret_cast<void*>(&module_file), &here);
  const std::filesystem::path library(here.dli_fname);
  return (library.parent_path() / name).lexically_normal();
}

}  // namespace cisolve
