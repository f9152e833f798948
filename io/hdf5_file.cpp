#include "io/hdf5_file.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

/// Before any other call. HDF5 prints no errors of its own: they are thrown. And it leaves no work
/// to the end of the program, where it would follow dangling pointers to a file that it could not
/// close on a full disk.
void prepare_library() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// One number of the class given, converted to `type`.
void read_number(const InputFile& file, const char* attribute, H5T_class_t expected, hid_t type,
                 void* value) {
  const std::string quoted = "attribute '" + std::string(attribute) + "'";
  const Handle id(H5Aopen(file.id, attribute, H5P_DEFAULT), H5Aclose);
  if (id < 0) file.fail(quoted + " is missing");
  const Handle stored(H5Aget_type(id), H5Tclose);
  const Handle space(H5Aget_space(id), H5Sclose);
  if (H5Tget_class(stored) != expected || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(id, type, value) < 0) {
    file.fail(quoted +
              (expected == H5T_INTEGER ? " is not one whole number" : " is not one number"));
  }
}

}  // namespace

std::string library_message() {
  std::string message;
  const H5E_walk2_t take_first = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    *static_cast<std::string*>(out) = error->desc != nullptr ? error->desc : "";
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &message);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return " (HDF5: " + (message.empty() ? "no reason given" : message) + ")";
}

void InputFile::fail(const std::string& what) const {
  throw InputError(name + ": " + what);
}

InputFile open_hdf5(const std::filesystem::path& path) {
  require_file(path);
  prepare_library();
  InputFile file{path.string(), {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose}};
  if (file.id < 0) file.fail("not readable as HDF5" + library_message());
  return file;
}

std::int64_t integer_attribute(const InputFile& file, const char* attribute) {
  std::int64_t value = 0;
  read_number(file, attribute, H5T_INTEGER, H5T_NATIVE_INT64, &value);
  return value;
}

std::uint64_t unsigned_attribute(const InputFile& file, const char* attribute) {
  std::uint64_t value = 0;
  read_number(file, attribute, H5T_INTEGER, H5T_NATIVE_UINT64, &value);
  return value;
}

double number_attribute(const InputFile& file, const char* attribute) {
  double value = 0.0;
  read_number(file, attribute, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::string string_attribute(const InputFile& file, const char* attribute) {
  const Handle id(H5Aopen(file.id, attribute, H5P_DEFAULT), H5Aclose);
  if (id < 0) return {};
  const Handle type(H5Aget_type(id), H5Tclose);
  const Handle space(H5Aget_space(id), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    std::string value = H5Aread(id, type, &text) >= 0 && text != nullptr ? text : "";
    H5free_memory(text);
    return value;
  }
  std::string value(H5Tget_size(type), '\0');
  if (H5Aread(id, type, value.data()) < 0) return {};
  return value.substr(0, value.find('\0'));
}

void OutputFile::require(bool good) const {
  if (!good) throw ResourceError(name + ": cannot be written" + library_message());
}

OutputFile create_hdf5(const std::filesystem::path& path, const std::string& name) {
  prepare_library();
  OutputFile file{name,
                  {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose}};
  file.require(file.id >= 0);
  return file;
}

void write_attribute(const OutputFile& file, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle id(H5Acreate2(file.id, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  file.require(id >= 0 && H5Awrite(id, type, value) >= 0);
}

void write_attribute(const OutputFile& file, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
  write_attribute(file, name, type, text.c_str());
}

}  // namespace cisolve
