#pragma once

#include <hdf5.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

namespace cisolve {

/// Calls of HDF5's library: of the writers, and of the child process that reads
/// (io/hdf5/hdf5_child.hpp).

/// An HDF5 identifier, closed at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A complex number of two doubles, members r and i, as h5py has it.
Handle complex_type();

/// Before any other call: HDF5 leaves no work to the end of the program, where it would follow
/// dangling pointers to a file that it could not close on a full disk. Without effect where the
/// program has used HDF5 before, and so may count on that work.
void close_hdf5_early();

/// While it lives, HDF5 prints no errors of its own: they are thrown.
class QuietErrors {
 public:
  QuietErrors();
  QuietErrors(QuietErrors&& other) noexcept
      : print_(other.print_), data_(other.data_), owns_(std::exchange(other.owns_, false)) {}
  QuietErrors& operator=(QuietErrors&&) = delete;
  ~QuietErrors();

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
  bool owns_ = true;
};

/// Held while a thread is within HDF5's library, which knows no threads, and while a child process
/// is begun, which has the library as it is then.
std::recursive_mutex& hdf5_in_use();

/// The innermost message on HDF5's error stack, in brackets; in it `name` for `path`.
std::string library_message(const std::filesystem::path& path = {}, const std::string& name = "");

/// A file to write, and its name for messages.
struct OutputFile {
  std::unique_lock<std::recursive_mutex> writing;  ///< hdf5_in_use
  QuietErrors quiet;
  std::filesystem::path path;
  std::string name;
  Handle id;

  /// Throws ResourceError with the system's reason, or else HDF5's, unless `good`.
  void require(bool good) const;
};
/// Made anew at `path`; `name` for messages. Throws ResourceError.
OutputFile create_hdf5(const std::filesystem::path& path, const std::string& name);

void write_attribute(const OutputFile& file, const char* name, hid_t type, const void* value);
void write_attribute(const OutputFile& file, const char* name, const std::string& text);

}  // namespace cisolve
