#include "core/threads/waiting.hpp"

#include <omp.h>

#include <atomic>

namespace cisolve {
namespace {

std::atomic<bool> has_heard = true;

/// The libraries that this one needs are initialised by now. LLVM's for OpenMP reads its variables
/// when it is first called, which is here.
__attribute__((constructor)) void end_loading() {
  has_heard = loading::openmp_has_heard(omp_get_thread_limit());
  loading::end();
}

}  // namespace

std::string take_spinning_note() {
  if (has_heard.exchange(true)) return "";
  return "waiting threads spin, which takes time from other processes: OpenMP's library was loaded "
         "before cisolve's; GOMP_SPINCOUNT=1000 in the environment of the program prevents it";
}

}  // namespace cisolve
