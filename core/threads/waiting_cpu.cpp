// Part of libcisolve_cpu.so, which alone names libcisolve_waiting.so among the libraries it needs:
// so that one is loaded after all that libcisolve.so needs itself, and initialised before.

#include "core/threads/waiting.hpp"
#include "core/waiting/environment.hpp"

namespace cisolve::loading {

bool openmp_has_heard(int thread_limit) {
  return !tells_thread_limit() || thread_limit == thread_limit_as_told;
}

void end() {
  restore_environment();
}

}  // namespace cisolve::loading
