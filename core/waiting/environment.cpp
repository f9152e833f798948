// This file is a library of its own, libcisolve_waiting.so, so that its constructor runs before
// those of OpenMP's library and of OpenBLAS. These read there how long their waiting threads spin,
// and how many threads there are. Reasons and the order in which libraries are initialised:
// docs/adr/0015-waiting-threads-sleep.md.

#include "core/waiting/environment.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace cisolve {
namespace {

struct Variable {
  const char *name, *text;
  bool of_openmp;
};
/// Variable set only if the address space is limited.
constexpr const char* short_of_space = "OPENBLAS_NUM_THREADS";
constexpr Variable variables[] = {
    // Turns of libgomp's loop, 10 to 50 ns each: a thread that is still awake begins the next loop
    // at once, and where none follows soon little is lost (docs/results/threads.md).
    {"GOMP_SPINCOUNT", "GOMP_SPINCOUNT=1000", true},
    // Milliseconds, of LLVM's library and Intel's.
    {"KMP_BLOCKTIME", "KMP_BLOCKTIME=0", true},
#ifndef __clang__  // to whose library it is too many
    {"OMP_THREAD_LIMIT", "OMP_THREAD_LIMIT=2147483646", true},
#endif
    // 2¹⁵ cycles, about as long. (OpenBLAS's own default is 2²⁶, some 25 ms.)
    {"OPENBLAS_THREAD_TIMEOUT", "OPENBLAS_THREAD_TIMEOUT=15", false},
    {short_of_space, "OPENBLAS_NUM_THREADS=1", false}};

const Variable* added[std::size(variables)];
std::size_t added_count = 0;
/// The latter is kept: other threads may be reading it still when it is no longer the environment.
char **list_before = nullptr, **list_while_loading = nullptr;

/// A thread of OpenBLAS asks for its buffer without end where there is no room for it, and the
/// program waits for the thread at its end. A buffer takes 128 MiB, what malloc reserves for the
/// thread as much for a moment; as much again is for the run.
bool have_room_for_blas_threads() {
  constexpr rlim_t of_a_thread = rlim_t{512} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  return limit.rlim_cur / of_a_thread >= static_cast<rlim_t>(cores < 1 ? 1 : cores);
}

bool is_set(const char* name) {
  return std::getenv(name) != nullptr;
}

/// A longer list takes the place of the process's own, which stays as it is: nothing changes under
/// other threads that read it.
__attribute__((constructor)) void begin_loading() {
  if (environ == nullptr) return;
  const bool says_user =
      is_set("OMP_WAIT_POLICY") || is_set("GOMP_SPINCOUNT") || is_set("KMP_BLOCKTIME");
  for (const Variable& variable : variables) {
    if (is_set(variable.name) || (variable.of_openmp && says_user)) continue;
    if (variable.name == short_of_space && have_room_for_blas_threads()) continue;
    added[added_count++] = &variable;
  }
  std::size_t size = 0;
  while (environ[size] != nullptr) ++size;
  auto* const list = new char*[added_count + size + 1];
  for (std::size_t i = 0; i < added_count; ++i) list[i] = const_cast<char*>(added[i]->text);
  std::copy(environ, environ + size + 1, list + added_count);
  list_before = environ;
  environ = list_while_loading = list;
}

}  // namespace

bool tells_thread_limit() {
  return std::any_of(added, added + added_count, [](const Variable* variable) {
    return std::strcmp(variable->name, "OMP_THREAD_LIMIT") == 0;
  });
}

void restore_environment() {
  if (list_while_loading == nullptr) return;
  if (environ == list_while_loading) {
    environ = list_before;
    return;
  }
  // A library that was loaded has set a variable, and with that made a list of its own.
  for (std::size_t i = 0; i < added_count; ++i) unsetenv(added[i]->name);
}

}  // namespace cisolve
