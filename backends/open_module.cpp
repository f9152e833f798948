#include "backends/open_module.hpp"

#include <dlfcn.h>

#include <system_error>

#include "cuda_module_stamp.hpp"

namespace cisolve {

std::filesystem::path module_file(const char* name) {
  Dl_info here{};
  ::dladdr(reinterpret_cast<void*>(&module_file), &here);
  const std::filesystem::path library(here.dli_fname);
  return (library.parent_path() / name).lexically_normal();
}

bool module_is_there(const char* name) {
  std::error_code unreadable;
  return std::filesystem::exists(module_file(name), unreadable);
}

OpenedModule open_module(const char* name, int flags, const char* stamp, const std::string& what) {
  const std::filesystem::path file = module_file(name);
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | flags);
  if (handle == nullptr) return {nullptr, what + " cannot be loaded: " + ::dlerror()};
  const auto said = reinterpret_cast<const char* (*)()>(::dlsym(handle, stamp));
  if (said == nullptr || std::string(said()) != CISOLVE_CUDA_MODULE_STAMP) {
    return {nullptr, file.string() + " is of another build of the program: install both anew"};
  }
  return {handle, ""};
}

}  // namespace cisolve
