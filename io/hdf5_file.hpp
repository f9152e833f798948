#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace cisolve {

/// What the readers and writers of HDF5 files share.

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

/// The innermost message on HDF5's error stack, in brackets.
std::string library_message();

/// A file open for reading, and its name for messages.
struct InputFile {
  std::string name;
  Handle id;

  /// Throws InputError.
  [[noreturn]] void fail(const std::string& what) const;
};
/// Throws InputError when it is not there, or no HDF5.
InputFile open_hdf5(const std::filesystem::path& path);

/// Throws InputError unless the root has the attribute, one whole number, or one number.
std::int64_t integer_attribute(const InputFile& file, const char* attribute);
std::uint64_t unsigned_attribute(const InputFile& file, const char* attribute);
double number_attribute(const InputFile& file, const char* attribute);
/// An attribute of fixed or variable length; empty when it is no string, or absent.
std::string string_attribute(const InputFile& file, const char* attribute);

/// A file to write, and its name for messages.
struct OutputFile {
  std::string name;
  Handle id;

  /// Throws ResourceError with HDF5's reason unless `good`.
  void require(bool good) const;
};
/// Made anew at `path`; `name` for messages. Throws ResourceError.
OutputFile create_hdf5(const std::filesystem::path& path, const std::string& name);

void write_attribute(const OutputFile& file, const char* name, hid_t type, const void* value);
void write_attribute(const OutputFile& file, const char* name, const std::string& text);

}  // namespace cisolve
