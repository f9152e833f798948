#include "solvers/slepc/slepc.hpp"

#include <dlfcn.h>

#include "backends/open_module.hpp"
#include "core/error.hpp"
#include "solvers/slepc/module_entry.hpp"

namespace cisolve {
namespace {

struct Module {
  decltype(&cisolve_slepc_solve) solve = nullptr;
  std::string failure;
};

Module load() {
  constexpr const char* library = "libcisolve_slepc.so";
  if (!module_is_there(library)) {
    return {nullptr, "the program was built without SLEPc (" + module_file(library).string() +
                         " is not there): install slepc-dev, configure and build anew"};
  }
  const OpenedModule opened = open_module(library, RTLD_GLOBAL, "cisolve_slepc_stamp", "SLEPc");
  if (opened.handle == nullptr) return {nullptr, opened.failure};
  return {reinterpret_cast<decltype(&cisolve_slepc_solve)>(
              ::dlsym(opened.handle, "cisolve_slepc_solve")),
          ""};
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
