// Entry point of libFuzzer. The reader is the one that CISOLVE_FUZZ_TARGET names.

#include <omp.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include "tests/fuzz/fuzz_targets.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  omp_set_num_threads(1);
  // A child process that HDF5 crashes in is what children are for: it reports no finding.
  pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cisolve::fuzz::Target target = cisolve::fuzz::target(CISOLVE_FUZZ_TARGET);
  target.read({data, size});
  return 0;
}
