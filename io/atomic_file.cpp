#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <functional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace cisolve {
namespace {

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

/// Waits until the file's bytes are on the disk.
void synchronise(const std::filesystem::path& path, const std::filesystem::path& target) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int error_number = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0 && ::close(descriptor) != 0 && error_number == 0) error_number = errno;
  if (error_number != 0) {
    throw ResourceError(target.string() + ": cannot be written: " + reason(error_number));
  }
}

/// Temporary files for a signal handler, which may follow plain pointers alone; more places are
/// added at the end where all are taken, and stay.
struct Places {
  std::array<std::atomic<const char*>, 16> paths{};
  std::atomic<Places*> more = nullptr;
};
Places temporaries;
std::atomic<pid_t> owner = 0;  // the process that they are of

void exchange(const char* from, const char* to) {
  for (Places* places = &temporaries; places != nullptr;) {
    for (auto& place : places->paths) {
      const char* expected = from;
      if (place.compare_exchange_strong(expected, to)) return;
    }
    Places* next = places->more;
    if (next == nullptr && to != nullptr) {
      auto added = std::make_unique<Places>();
      if (places->more.compare_exchange_strong(next, added.get())) next = added.release();
    }
    places = next;
  }
}

/// The first for which act(path) is true; whether there is one.
template <class Act>
bool any_temporary(Act act) noexcept {
  for (const Places* places = &temporaries; places != nullptr; places = places->more) {
    for (const auto& place : places->paths) {
      if (const char* path = place.load(); path != nullptr && act(path)) return true;
    }
  }
  return false;
}

std::string hexadecimal(std::size_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

/// Beginning of the names of a target's temporary files. The process's number follows, which means
/// something within this host and its processes' name space.
std::string prefix_of(const std::filesystem::path& target) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::error_code ignored;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  const std::hash<std::string> hash;
  return "cisolve-" + hexadecimal(hash(target.filename().string())) + "-" +
         hexadecimal(hash(host.data() + space.string())) + "-";
}

/// Removes what dead processes left.
void remove_left(const std::filesystem::path& folder, const std::string& prefix) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    pid_t process = 0;
    const auto [stop, bad] =
        std::from_chars(name.data() + prefix.size(), name.data() + name.size(), process);
    if (bad != std::errc{} || process < 1 || *stop != '-') continue;
    if (::kill(process, 0) != 0 && errno == ESRCH) ::unlink(entry->path().c_str());
  }
}

}  // namespace

std::string obstacle_to(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return ": " + reason(errno);
  const std::vector<char> bytes(1u << 20);
  int error_number = 0;
  for (std::size_t done = 0; done < bytes.size() && error_number == 0;) {
    const ssize_t some = ::write(descriptor, bytes.data(), bytes.size() - done);
    if (some > 0) done += static_cast<std::size_t>(some);
    if (some <= 0) error_number = some < 0 ? errno : ENOSPC;
  }
  ::close(descriptor);
  return error_number == 0 ? "" : ": " + reason(error_number);
}

std::unique_ptr<AtomicFile> output_file(const std::filesystem::path& name) {
  return name.empty() ? nullptr : std::make_unique<AtomicFile>(name);
}

void remove_temporaries() noexcept {
  if (::getpid() != owner) return;  // a child that reads HDF5 files
  any_temporary([](const char* path) {
    ::unlink(path);
    return false;
  });
}

bool has_temporaries() noexcept {
  return any_temporary([](const char*) { return true; });
}

void end_by_signal(int signal) noexcept {
  remove_temporaries();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
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
  discard();
}

void AtomicFile::discard() noexcept {
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  exchange(temporary_.c_str(), nullptr);
  temporary_.clear();
}

const std::filesystem::path& AtomicFile::temporary() {
  if (!temporary_.empty()) return temporary_;
  // Short, for the target's own name may be as long as a name can be.
  const std::string prefix = prefix_of(target_);
  remove_left(target_.parent_path(), prefix);
  while (temporary_.empty()) {
    std::random_device random;
    const std::size_t number = std::size_t{random()} << 32 | random();
    std::string name = prefix + std::to_string(::getpid());
    name.append("-").append(hexadecimal(number)).append(".tmp");
    temporary_ = target_.parent_path() / name;
    owner = ::getpid();
    exchange(nullptr, temporary_.c_str());  // before it is there: a signal may come right behind
    const int descriptor =
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      break;
    }
    const int error_number = errno;
    exchange(temporary_.c_str(), nullptr);
    temporary_.clear();
    if (error_number == EEXIST) continue;
    throw ResourceError(target_.string() +
                        ": cannot be written in its folder: " + reason(error_number));
  }
  return temporary_;
}

void AtomicFile::commit() {
  synchronise(temporary_, target_);
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
  if (!stream) {
    const std::string obstacle = obstacle_to(temporary_);
    discard();
    throw ResourceError(target_.string() + ": cannot be written" + obstacle);
  }
  commit();
}

}  // namespace cisolve
