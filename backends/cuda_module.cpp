#include "backends/cuda_module.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "backends/backend.hpp"
#include "backends/cuda/entry.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

struct Module {
  void* handle = nullptr;
  std::string failure;
};

/// The module's file: where the library lies that this function is in.
std::filesystem::path module_file() {
  Dl_info here{};
  ::dladdr(reinterpret_cast<void*>(&module_file), &here);
  return std::filesystem::path(here.dli_fname).parent_path() / "libcisolve_cuda.so";
}

Module load() {
  const std::filesystem::path file = module_file();
  if (!std::filesystem::exists(file)) {
    return {nullptr,
            "built without CUDA (" + file.string() +
                " is not there): install the CUDA Toolkit (nvcc 12 or later) and configure again "
                "with cmake --preset cuda"};
  }
  // Without NVIDIA's driver CUDA's libraries, some hundred megabytes, need not be loaded.
  if (::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    return {nullptr, std::string("no CUDA device answers: ") + ::dlerror() +
                         "; a GPU and NVIDIA's driver are needed"};
  }
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return {handle, ""};
  return {nullptr, std::string("CUDA's libraries cannot be loaded: ") + ::dlerror()};
}

const Module& module() {
  static const Module loaded = load();
  return loaded;
}

}  // namespace

const std::string& cuda_module_failure() {
  return module().failure;
}

void* cuda_symbol(const char* name) {
  if (module().handle == nullptr) throw ResourceError(module().failure);
  void* symbol = ::dlsym(module().handle, name);
  if (symbol == nullptr) {
    throw ResourceError(module_file().string() + " is of another version of the program: " + name +
                        " is missing");
  }
  return symbol;
}

std::string cuda_unavailable_reason() {
  const std::string& failure = cuda_module_failure();
  return failure.empty() ? cuda_device_failure() : failure;
}

std::unique_ptr<Backend> make_cuda_backend(int device) {
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) throw ResourceError(reason);
  return make_device_backend(device);
}

}  // namespace cisolve
