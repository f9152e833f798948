#include "backends/cuda_module.hpp"

#include <dlfcn.h>

#include "backends/backend.hpp"
#include "backends/cuda/entry.hpp"
#include "backends/open_module.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr const char* cuda_library = "libcisolve_cuda.so";

struct Module : OpenedModule {
  bool is_fault = false;  ///< there is a driver, and the module should have been loaded
};

Module load() {
  if (!module_is_there(cuda_library)) {
    return {{nullptr, "built without CUDA (" + module_file(cuda_library).string() +
                          " is not there): install the CUDA Toolkit (nvcc 12 or later) and "
                          "configure again with cmake --preset cuda"}};
  }
  // CUDA's libraries, some hundred megabytes, need not be loaded without NVIDIA's driver.
  if (::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    return {{nullptr, std::string("no CUDA device answers: ") + ::dlerror() +
                          "; a GPU and NVIDIA's driver are needed"}};
  }
  OpenedModule opened = open_module(cuda_library, RTLD_LOCAL, cuda_module_stamp_in_module::symbol,
                                    "CUDA's libraries");
  const bool is_fault = opened.handle == nullptr;
  return {std::move(opened), is_fault};
}

const Module& module() {
  static const Module loaded = load();
  return loaded;
}

}  // namespace

const std::string& cuda_module_failure() {
  return module().failure;
}

std::string cuda_module_fault() {
  return module().is_fault ? module().failure : "";
}

void* cuda_symbol(const char* name) {
  if (module().handle == nullptr) throw ResourceError(module().failure);
  void* symbol = ::dlsym(module().handle, name);
  if (symbol == nullptr)
    throw ResourceError(module_file(cuda_library).string() + ": " + name + " is missing");
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
