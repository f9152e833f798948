#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.hpp"

namespace cisolve {
namespace {

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

/// Waits until the file's bytes are on the disk.
void synchronise(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int error_number = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0 && ::close(descriptor) != 0 && error_number == 0) error_number = errno;
  if (error_number != 0) {
    throw ResourceError(path.string() + ": cannot be written: " + reason(error_number));
  }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_symlink(target_, ignored)) target_ = fs::weakly_canonical(target_);
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw InputError(target_.string() +
                     (fs::is_directory(status) ? ": is a folder" : ": is a device or a pipe") +
                     ", expected the name of a file to write");
  }

  static std::atomic<unsigned> count = 0;
  temporary_ = target_;
  std::string suffix = std::to_string(::getpid());
  suffix.append("-").append(std::to_string(count++)).append(".tmp");
  temporary_ += ".";
  temporary_ += suffix;
  const int descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw InputError(target_.string() + ": cannot be written in its folder: " + reason(errno));
  }
  ::close(descriptor);
}

AtomicFile::~AtomicFile() {
  if (committed_) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  synchronise(temporary_);
  std::error_code failure;
  std::filesystem::rename(temporary_, target_, failure);
  if (failure) {
    throw ResourceError(target_.string() + ": cannot be put in place: " + failure.message());
  }
  committed_ = true;
}

}  // namespace cisolve
