#include "backends/ranks/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// Place of rank 0's file for other ranks, and the token at its beginning.
struct Place {
  pid_t process = 0;
  int file = -1;  ///< < 0: there is none
  std::uint64_t token = 0;
};

/// Null where there is none. Pages come when they are used, near who uses them first.
std::shared_ptr<const int> new_file(std::size_t bytes) {
  const int made = ::memfd_create("cisolve", MFD_CLOEXEC);
  if (made < 0) return nullptr;
  // A number of its own: those of standard streams are free where these are closed.
  const int file = made > STDERR_FILENO ? made : ::fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (file != made) ::close(made);
  if (file < 0) return nullptr;
  const std::shared_ptr<const int> owned(new int(file), [](const int* f) {
    ::close(*f);
    delete f;
  });
  return ::ftruncate(file, static_cast<off_t>(bytes)) == 0 ? owned : nullptr;
}

[[noreturn]] void fail(std::size_t bytes) {
  throw ResourceError("memory that several processes share, " + std::to_string(bytes) +
                      " bytes: " + std::strerror(errno));
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : file_(new_file(bytes)) {
  if (!file_ || !map(*file_, bytes)) fail(bytes);
}

SharedMemory::SharedMemory(int inherited, std::size_t bytes) {
  if (!map(inherited, bytes)) fail(bytes);
  ::close(inherited);
}

SharedMemory SharedMemory::of(Communicator& ranks, std::size_t bytes) {
  SharedMemory memory;
  if (!ranks.all(ranks.local_size() == ranks.size())) return memory;
  Place place;
  if (ranks.first()) {
    memory.file_ = new_file(bytes);
    if (memory.file_ && memory.map(*memory.file_, bytes)) {
      place = {::getpid(), *memory.file_, (std::uint64_t{std::random_device{}()} << 32) + 1};
      std::memcpy(memory.data(), &place.token, sizeof place.token);
    }
  }
  place = ranks.of_first(place);
  if (!ranks.first() && place.file >= 0) {
    const std::string path =
        "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.file);
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    // A process of another container may have the same number.
    if (file >= 0 && memory.map(file, bytes) &&
        std::memcmp(memory.data(), &place.token, sizeof place.token) != 0) {
      memory = {};
    }
    if (file >= 0) ::close(file);
  }
  if (!ranks.all(static_cast<bool>(memory))) return {};
  memory.file_.reset();
  if (ranks.first()) std::memset(memory.data(), 0, sizeof place.token);
  ranks.barrier();
  return memory;
}

/// A shorter file is refused: memory behind its end cannot be touched.
bool SharedMemory::map(int file, std::size_t bytes) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return false;
  if (!S_ISREG(found.st_mode) || found.st_size != static_cast<off_t>(bytes)) {
    errno = EINVAL;
    return false;
  }
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return false;
  data_ = {static_cast<std::byte*>(at), [bytes](std::byte* memory) { ::munmap(memory, bytes); }};
  return true;
}

}  // namespace cisolve
