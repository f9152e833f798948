#include "backends/stopwatch.hpp"

#include "core/timer.hpp"

namespace cisolve {

#ifdef CISOLVE_HAVE_CUDA
namespace cuda {
double timed_milliseconds(const std::function<void()>& work);
}
#endif

double timed_milliseconds(Backend& backend, const std::function<void()>& work) {
#ifdef CISOLVE_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::timed_milliseconds(work);
#endif
  backend.synchronize();
  const Timer timer;
  work();
  backend.synchronize();
  return timer.seconds() * 1e3;
}

}  // namespace cisolve
