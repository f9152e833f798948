// A library for LD_PRELOAD: calls of one kind fail from the n-th on, or that one alone.
//
//   CISOLVE_FAULT=KIND:N[:once]   KIND: malloc, map, open, write, read, sync, rename
//   CISOLVE_FAULT_COUNT=FILE      the number of calls of the kind goes there at the end
//   CISOLVE_FAULT_CALLER=FILE     the library that made the first call that failed goes there
//
// Calls are counted from the program's main on, so that libraries can be loaded.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum class Kind { none, allocation, map, open, write, read, sync, rename };
Kind kind = Kind::none;
long first = 0;
bool once = false;
const char* count_file = nullptr;
int caller_file = -1;
std::atomic<bool> begun = false;
std::atomic<long> calls = 0;

/// Writes the library of a frame, by write alone, unless it is one that calls for others.
_Unwind_Reason_Code tell(_Unwind_Context* frame, void*) {
  Dl_info info{};
  const auto* const place = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) return _URC_NO_REASON;
  for (const char* name : {"faults.so", "libc.so", "libstdc++.so"}) {
    if (std::strstr(info.dli_fname, name) != nullptr) return _URC_NO_REASON;
  }
  syscall(SYS_write, caller_file, info.dli_fname, std::strlen(info.dli_fname));
  return _URC_END_OF_STACK;
}

bool fails(Kind asked) {
  if (asked != kind || !begun) return false;
  const long call = ++calls;
  if (call == first && caller_file >= 0) _Unwind_Backtrace(tell, nullptr);
  return once ? call == first : call >= first;
}

/// The function that this library stands before.
template <class Function>
Function* next(Function* /*of this type*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

Kind kind_named(const char* name, std::size_t length) {
  constexpr struct {
    const char* name;
    Kind kind;
  } all[] = {{"malloc", Kind::allocation}, {"map", Kind::map},   {"open", Kind::open},
             {"write", Kind::write},       {"read", Kind::read}, {"sync", Kind::sync},
             {"rename", Kind::rename}};
  for (const auto& one : all) {
    if (std::strlen(one.name) == length && std::strncmp(one.name, name, length) == 0) {
      return one.kind;
    }
  }
  return Kind::none;
}

template <class Result>
Result failed(int error, Result result) {
  errno = error;
  return result;
}

}  // namespace

extern "C" {

using Main = int(int, char**, char**);
using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
static Main* program_main = nullptr;

static int counted_main(int argc, char** argv, char** environment) {
  begun = true;
  const int status = program_main(argc, argv, environment);
  begun = false;
  return status;
}

int __libc_start_main(Main* of_program, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  program_main = of_program;
  if (const char* text = std::getenv("CISOLVE_FAULT")) {
    const char* const colon = std::strchr(text, ':');
    if (colon != nullptr) {
      kind = kind_named(text, static_cast<std::size_t>(colon - text));
      char* end = nullptr;
      first = std::strtol(colon + 1, &end, 10);
      once = std::strcmp(end, ":once") == 0;
    }
    if (kind == Kind::none || first < 1) {
      std::fprintf(stderr, "CISOLVE_FAULT: found \"%s\", expected KIND:N[:once]\n", text);
      std::_Exit(1);
    }
  }
  count_file = std::getenv("CISOLVE_FAULT_COUNT");
  if (const char* name = std::getenv("CISOLVE_FAULT_CALLER")) {
    caller_file = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  }
  // Children that the program begins by exec are no part of it.
  unsetenv("LD_PRELOAD");
  Start* const start = next<Start>(nullptr, "__libc_start_main");
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void write_count() {
  begun = false;
  if (count_file == nullptr) return;
  if (FILE* file = std::fopen(count_file, "w")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  return fails(Kind::allocation) ? failed<void*>(ENOMEM, nullptr) : __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  return fails(Kind::allocation) ? failed<void*>(ENOMEM, nullptr) : __libc_calloc(count, bytes);
}
void* realloc(void* before, std::size_t bytes) {
  return fails(Kind::allocation) ? failed<void*>(ENOMEM, nullptr) : __libc_realloc(before, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return fails(Kind::allocation) ? failed<void*>(ENOMEM, nullptr)
                                 : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** made, std::size_t alignment, std::size_t bytes) {
  void* const found = fails(Kind::allocation) ? nullptr : __libc_memalign(alignment, bytes);
  if (found == nullptr) return ENOMEM;
  *made = found;
  return 0;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  static auto* const real = next<decltype(mmap)>(nullptr, "mmap");
  return fails(Kind::map) ? failed(ENOMEM, MAP_FAILED)
                          : real(address, bytes, protection, flags, file, offset);
}
void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file,
             off64_t offset) {
  return mmap(address, bytes, protection, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>(nullptr, "open");
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return fails(Kind::open) ? failed(EMFILE, -1) : real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open(path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<decltype(fopen)>(nullptr, "fopen");
  return fails(Kind::open) ? failed<FILE*>(EMFILE, nullptr) : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

ssize_t write(int file, const void* data, std::size_t bytes) {
  static auto* const real = next<decltype(write)>(nullptr, "write");
  // Words on stderr are what tells of the fault.
  if (file != STDERR_FILENO && fails(Kind::write)) return failed<ssize_t>(ENOSPC, -1);
  return real(file, data, bytes);
}
ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next<decltype(writev)>(nullptr, "writev");
  if (file != STDERR_FILENO && fails(Kind::write)) return failed<ssize_t>(ENOSPC, -1);
  return real(file, parts, count);
}
ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t offset) {
  static auto* const real = next<decltype(pwrite)>(nullptr, "pwrite");
  return fails(Kind::write) ? failed<ssize_t>(ENOSPC, -1) : real(file, data, bytes, offset);
}
ssize_t pwrite64(int file, const void* data, std::size_t bytes, off64_t offset) {
  return pwrite(file, data, bytes, offset);
}

ssize_t read(int file, void* data, std::size_t bytes) {
  static auto* const real = next<decltype(read)>(nullptr, "read");
  return fails(Kind::read) ? failed<ssize_t>(EIO, -1) : real(file, data, bytes);
}
ssize_t pread(int file, void* data, std::size_t bytes, off_t offset) {
  static auto* const real = next<decltype(pread)>(nullptr, "pread");
  return fails(Kind::read) ? failed<ssize_t>(EIO, -1) : real(file, data, bytes, offset);
}
ssize_t pread64(int file, void* data, std::size_t bytes, off64_t offset) {
  return pread(file, data, bytes, offset);
}

int fsync(int file) {
  static auto* const real = next<decltype(fsync)>(nullptr, "fsync");
  return fails(Kind::sync) ? failed(EIO, -1) : real(file);
}
int rename(const char* from, const char* to) {
  static auto* const real = next<decltype(rename)>(nullptr, "rename");
  return fails(Kind::rename) ? failed(EIO, -1) : real(from, to);
}

}  // extern "C"
