#include "solvers/slepc/slepc.hpp"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "backends/module_file.hpp"
#include "core/error.hpp"
#include "cuda_module_stamp.hpp"
#include "solvers/slepc/module_entry.hpp"

namespace cisolve {
namespace {

struct Module {
  decltype(&cisolve_slepc_solve) solve = nullptr;
  std::string failure;
};

Module load() {
  const std::filesystem::path file = module_file("libcisolve_slepc.so");
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) {
    return {nullptr, "the program was built without SLEPc (" + file.string() +
                         " is not there): install slepc-dev, configure and build anew"};
  }
  // As of MPI's module: its plugins look for the names of MPI's libraries among those that all see.
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) return {nullptr, std::string("SLEPc cannot be loaded: ") + ::dlerror()};
  const auto stamp =
      reinterpret_cast<decltype(&cisolve_slepc_stamp)>(::dlsym(handle, "cisolve_slepc_stamp"));
  const auto solve =
      reinterpret_cast<decltype(&cisolve_slepc_solve)>(::dlsym(handle, "cisolve_slepc_solve"));
  if (stamp == nullptr || solve == nullptr ||
      std::strcmp(stamp(), CISOLVE_CUDA_MODULE_STAMP) != 0) {
    return {nullptr, file.string() + " is of another build of the program: install both anew"};
  }
  return {solve, ""};
}

const Module& module() {
  static const Module loaded = load();
  return loaded;
}

}  // namespace

const std::string& slepc_failure() {
  return module().failure;
}

SlepcResult solve_by_slepc(const SlepcProblem& problem, const SlepcObserver& observer) {
  if (!slepc_failure().empty()) throw ResourceError(slepc_failure());
  SlepcResult result;
  module().solve(problem, observer, result);
  return result;
}

}  // namespace cisolve
