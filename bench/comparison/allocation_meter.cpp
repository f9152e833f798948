// malloc and its kin, replaced for the whole process so that libraries' own memory is counted too;
// glibc's manual, "Replacing malloc", names the functions that have to be.
#include "bench/comparison/allocation_meter.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

std::atomic<std::ptrdiff_t> held = 0, most = 0, at_begin = 0;

void* taken(void* memory) {
  if (memory == nullptr) return memory;
  const auto now = held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  auto before = most.load();
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
  return memory;
}

void given_back(void* memory) {
  if (memory != nullptr) held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) {
  return taken(__libc_malloc(bytes));
}
void* calloc(std::size_t count, std::size_t bytes) {
  return taken(__libc_calloc(count, bytes));
}
void* realloc(void* memory, std::size_t bytes) {
  const std::size_t before = memory == nullptr ? 0 : malloc_usable_size(memory);
  void* const moved = __libc_realloc(memory, bytes);
  if (moved != nullptr || bytes == 0) held -= static_cast<std::ptrdiff_t>(before);
  return taken(moved);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return taken(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return taken(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  void* const found = taken(__libc_memalign(alignment, bytes));
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
void free(void* memory) {
  given_back(memory);
  __libc_free(memory);
}
}

namespace cisolve::comparison {

void watch_allocations() {
  at_begin = held.load();
  most = held.load();
}

std::size_t most_allocated() {
  return static_cast<std::size_t>(most - at_begin);
}

}  // namespace cisolve::comparison
