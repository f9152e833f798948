#include "core/waiting.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <initializer_list>

#include "core/places.hpp"

namespace cisolve {
namespace {

/// Turns of libgomp's loop, 10 to 50 ns each: a thread that is still awake begins the next loop
/// at once, and where none follows soon little is lost (docs/results/threads.md).
constexpr const char* openmp_turns = "1000";
/// 2¹⁵ cycles, about as long. (OpenBLAS's own default is 2²⁶, some 25 ms.)
constexpr const char* openblas_cycles = "15";

bool none_is_set(std::initializer_list<const char*> names) {
  return std::ranges::none_of(names, [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Sets what the user has not; false where nothing was set.
bool add_variables() {
  bool added = false;
  const auto add = [&](const char* name, const char* value) {
    added |= setenv(name, value, 0) == 0;
  };
  if (none_is_set({"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})) {
    add("GOMP_SPINCOUNT", openmp_turns);  // GNU's
    add("KMP_BLOCKTIME", "0");            // LLVM's and Intel's, milliseconds
  }
  if (none_is_set({"OPENBLAS_THREAD_TIMEOUT"})) add("OPENBLAS_THREAD_TIMEOUT", openblas_cycles);
  return added;
}

}  // namespace

void sleep_while_waiting(char** argv) {
  // Begun by the loader as its argument, the file that runs is the loader, not the program.
  if (getauxval(AT_BASE) == 0) return;
  // The file's name and not /proc/self/exe, which would show in lists of processes.
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return;
  program[length] = '\0';
  if (!add_variables()) return;
  allow_places();
  execv(program, argv);
}

}  // namespace cisolve
