#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <filesystem>
#include <string>

namespace cisolve {

/// One of CUDA's libraries that many runs need not have, opened where it is first used; looked for
/// where the loader looks, beside CUDA's runtime, and in the toolkit's own lib.
class SharedLibrary {
 public:
  explicit SharedLibrary(const std::string& name) {
    Dl_info runtime{};
    ::dladdr(reinterpret_cast<void*>(&cudaGetDeviceCount), &runtime);
    const auto folder = std::filesystem::path(runtime.dli_fname).parent_path();
    const std::filesystem::path files[] = {name, folder / name, folder / "../../../lib" / name};
    for (const auto& file : files) {
      handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) break;
      if (failure_.empty()) failure_ = ::dlerror();
    }
    if (handle_ != nullptr) failure_.clear();
  }

  /// `function` := the library's function of that name.
  template <class Function>
  void find(Function& function, const char* name) {
    if (handle_ == nullptr) return;
    function = reinterpret_cast<Function>(::dlsym(handle_, name));
    if (function == nullptr && failure_.empty()) failure_ = std::string(name) + " is missing";
  }

  /// Why it cannot be opened, or which function it lacks; empty: neither.
  const std::string& failure() const { return failure_; }

 private:
  void* handle_ = nullptr;
  std::string failure_;
};

}  // namespace cisolve
