#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
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

/// Temporary files for a signal handler, which may follow plain pointers alone; one for which there
/// is no place is left behind by a signal.
std::array<std::atomic<const char*>, 16> temporaries{};

void exchange(const char* from, const char* to) {
  for (auto& place : temporaries) {
    const char* expected = from;
    if (place.compare_exchange_strong(expected, to)) return;
  }
}

}  // namespace

std::unique_ptr<AtomicFile> output_file(const std::filesystem::path& name) {
  return name.empty() ? nullptr : std::make_unique<AtomicFile>(name);
}

void remove_temporaries() noexcept {
  for (const auto& place : temporaries) {
    if (const char* path = place.load()) ::unlink(path);
  }
}

std::filesystem::path place_of(const std::filesystem::path& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path path = fs::absolute(name, error);
  constexpr int most_links = 40;  // as the kernel has it; a ring of links leads nowhere
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  const fs::path place = fs::weakly_canonical(path, error);
  if (error) return path;
  return place.has_filename() ? place : place.parent_path();  // "folder/"
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(target_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw InputError(target_.string() +
                     (fs::is_directory(status) ? ": is a folder" : ": is a device or a pipe") +
                     ", expected the name of a file to write");
  }
  std::string problem;
  if (status.type() == fs::file_type::none) problem = error.message();  // such as too long a name
  if (fs::is_symlink(target_, error)) target_ = place_of(target_);
  if (problem.empty() && ::access((target_.parent_path() / ".").c_str(), W_OK | X_OK) != 0) {
    problem = reason(errno);
  }
  if (!problem.empty()) {
    throw InputError(target_.string() + ": cannot be written in its folder: " + problem);
  }
}

AtomicFile::~AtomicFile() {
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  exchange(temporary_.c_str(), nullptr);
}

const std::filesystem::path& AtomicFile::temporary() {
  static std::atomic<unsigned> count = 0;
  while (temporary_.empty()) {
    // Short, for the target's own name may be as long as a name can be.
    std::string name = "cisolve-" + std::to_string(::getpid());
    name.append("-").append(std::to_string(count++)).append(".tmp");
    auto path = target_.parent_path() / name;
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;  // left by another process of that number
    if (descriptor < 0) {
      throw ResourceError(target_.string() + ": cannot be written in its folder: " + reason(errno));
    }
    ::close(descriptor);
    temporary_ = std::move(path);
    exchange(nullptr, temporary_.c_str());
  }
  return temporary_;
}

void AtomicFile::commit() {
  synchronise(temporary_);
  std::error_code failure;
  std::filesystem::rename(temporary_, target_, failure);
  if (failure) {
    throw ResourceError(target_.string() + ": cannot be put in place: " + failure.message());
  }
  exchange(temporary_.c_str(), nullptr);
  temporary_.clear();
}

void AtomicFile::write(std::string_view text) {
  std::ofstream stream(temporary(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw ResourceError(temporary().string() + ": cannot be written");
  commit();
}

}  // namespace cisolve
