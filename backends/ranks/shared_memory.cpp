#include "backends/ranks/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// Where other ranks find rank 0's file, and what it begins with.
struct Place {
  pid_t process = 0;
  int file = -1;  ///< < 0: there is none
  std::uint64_t token = 0;
};

/// −1 where there is none. Pages come when they are used, near who uses them first.
int new_file(std::size_t bytes) {
  const int file = ::memfd_create("cisolve", 0);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  const int error = errno;
  ::close(file);
  errno = error;
  return -1;
}

/// Whether ranks of one host are to exchange as those of several do.
bool unwanted() {
  const char* const text = std::getenv("CISOLVE_HOST_MEMORY");
  return text != nullptr && std::string_view(text) == "off";
}

[[noreturn]] void fail(std::size_t bytes) {
  throw ResourceError("memory of several processes, " + std::to_string(bytes) +
                      " bytes: " + std::strerror(errno));
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) {
  file_ = new_file(bytes);
  if (file_ < 0 || !map(file_, bytes)) fail(bytes);
}

SharedMemory::SharedMemory(int file, std::size_t bytes) : file_(file) {
  if (!map(file, bytes)) fail(bytes);
}

SharedMemory SharedMemory::of(Communicator& ranks, std::size_t bytes) {
  SharedMemory memory;
  if (!ranks.all(ranks.local_size() == ranks.size() && !unwanted())) return memory;
  int file = -1;
  Place place;
  if (ranks.first()) {
    file = new_file(bytes);
    if (file >= 0 && memory.map(file, bytes)) {
      place = {::getpid(), file, (std::uint64_t{std::random_device{}()} << 32) + 1};
      std::memcpy(memory.data(), &place.token, sizeof place.token);
    }
  }
  place = ranks.of_first(place);
  if (!ranks.first() && place.file >= 0) {
    const std::string path =
        "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.file);
    file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    // In another container the number may be that of another process.
    if (file >= 0 && memory.map(file, bytes) &&
        std::memcmp(memory.data(), &place.token, sizeof place.token) != 0) {
      memory = {};
    }
  }
  if (!ranks.all(static_cast<bool>(memory))) memory = {};
  if (file >= 0) ::close(file);
  if (memory && ranks.first()) std::memset(memory.data(), 0, sizeof place.token);
  ranks.barrier();
  return memory;
}

bool SharedMemory::map(int file, std::size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return false;
  data_ = {static_cast<std::byte*>(at), [bytes](std::byte* memory) { ::munmap(memory, bytes); }};
  return true;
}

}  // namespace cisolve
