#include <hdf5.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

constexpr std::int32_t format_version = 1;

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

/// Before any other call. HDF5 prints no errors of its own: they are thrown. And it leaves no work
/// to the end of the program, where it would follow dangling pointers to a file that it could not
/// close on a full disk.
void prepare_library() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The innermost message on HDF5's error stack, in brackets.
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

// ---- Reading --------------------------------------------------------------------------------

/// A file open for reading, and its name for messages.
struct InputFile {
  std::string name;
  Handle id;

  [[noreturn]] void fail(const std::string& what) const { throw InputError(name + ": " + what); }
};

InputFile open_file(const std::filesystem::path& path) {
  require_file(path);
  prepare_library();
  InputFile file{path.string(), {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose}};
  if (file.id < 0) file.fail("not readable as HDF5" + library_message());
  return file;
}

std::int64_t integer_attribute(const InputFile& file, const char* attribute) {
  const std::string quoted = "attribute '" + std::string(attribute) + "'";
  const Handle id(H5Aopen(file.id, attribute, H5P_DEFAULT), H5Aclose);
  if (id < 0) file.fail(quoted + " is missing");
  const Handle type(H5Aget_type(id), H5Tclose);
  const Handle space(H5Aget_space(id), H5Sclose);
  std::int64_t value = 0;
  if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(id, H5T_NATIVE_INT64, &value) < 0) {
    file.fail(quoted + " is not one whole number");
  }
  return value;
}

/// An attribute of fixed or variable length; empty when it is no string.
std::string string_attribute(const InputFile& file, const char* attribute) {
  const Handle id(H5Aopen(file.id, attribute, H5P_DEFAULT), H5Aclose);
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

/// A one-dimensional dataset whose type and extent are known, and nothing read yet.
struct Dataset {
  const char* name;
  Handle id;
  std::size_t size;
};

Dataset open_dataset(const InputFile& file, const char* name, H5T_class_t expected) {
  const std::string quoted = "dataset '" + std::string(name) + "'";
  Handle id(H5Dopen2(file.id, name, H5P_DEFAULT), H5Dclose);
  if (id < 0) file.fail(quoted + " is missing");
  const Handle type(H5Dget_type(id), H5Tclose);
  const Handle space(H5Dget_space(id), H5Sclose);
  if (H5Tget_class(type) != expected) {
    file.fail(quoted + " is of another type, expected " +
              (expected == H5T_INTEGER ? "integers" : "floating-point numbers"));
  }
  hsize_t size = 0;
  if (H5Sget_simple_extent_ndims(space) != 1 ||
      H5Sget_simple_extent_dims(space, &size, nullptr) < 0) {
    file.fail(quoted + " is not one-dimensional");
  }
  if (size > 0 && H5Dget_storage_size(id) == 0) file.fail(quoted + " holds no data");
  return {name, std::move(id), size};
}

/// All elements, converted by HDF5 to `T`, whose identifier is `type`; integers that do not fit
/// become the nearest that does.
template <class T>
Array<T> read_dataset(const InputFile& file, const Dataset& dataset, hid_t type) {
  Array<T> values = allocate<T>(dataset.size, dataset.name, file.name);
  if (H5Dread(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    file.fail("dataset '" + std::string(dataset.name) + "' cannot be read" + library_message());
  }
  return values;
}

// ---- Writing --------------------------------------------------------------------------------

/// A file to write, and its name for messages; `require` throws ResourceError with HDF5's reason.
struct OutputFile {
  std::string name;
  Handle id;

  void require(bool good) const {
    if (!good) throw ResourceError(name + ": cannot be written" + library_message());
  }
};

void write_attribute(const OutputFile& file, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle id(H5Acreate2(file.id, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  file.require(id >= 0 && H5Awrite(id, type, value) >= 0);
}

/// Contiguous, in the machine's own type.
template <class T>
void write_dataset(const OutputFile& file, const char* name, hid_t type, const Array<T>& values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle id(H5Dcreate2(file.id, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                  H5Dclose);
  file.require(id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
}

}  // namespace

CsrMatrix read_hdf5(const std::filesystem::path& path) {
  const InputFile file = open_file(path);
  if (H5Aexists(file.id, "format") > 0 && string_attribute(file, "format") != "csr") {
    file.fail("format '" + string_attribute(file, "format") + "', expected 'csr'");
  }
  if (H5Aexists(file.id, "version") > 0 && integer_attribute(file, "version") != format_version) {
    file.fail("version " + std::to_string(integer_attribute(file, "version")) + ", expected " +
              std::to_string(format_version));
  }
  const Index rows = checked_dimension(integer_attribute(file, "rows"), "rows", file.name);
  const Index columns = checked_dimension(integer_attribute(file, "columns"), "columns", file.name);

  const Dataset offsets = open_dataset(file, "row_offsets", H5T_INTEGER);
  const Dataset indices = open_dataset(file, "column_indices", H5T_INTEGER);
  const Dataset values = open_dataset(file, "values", H5T_FLOAT);
  if (offsets.size != static_cast<std::size_t>(rows) + 1) {
    file.fail(std::to_string(offsets.size) +
              " row offsets, expected rows + 1 = " + std::to_string(Offset{rows} + 1));
  }
  if (indices.size != values.size) {
    file.fail(std::to_string(indices.size) + " column indices, but " + std::to_string(values.size) +
              " values");
  }

  CsrMatrix a{rows, columns, {}, {}, {}};
  a.row_offsets = read_dataset<Offset>(file, offsets, H5T_NATIVE_INT64);
  a.column_indices = read_dataset<Index>(file, indices, H5T_NATIVE_INT32);
  a.values = read_dataset<double>(file, values, H5T_NATIVE_DOUBLE);
  sort_rows(a, file.name);
  validate(a, file.name);
  return a;
}

void write_hdf5(const CsrMatrix& a, const std::filesystem::path& path) {
  require_full(a, path.string());
  AtomicFile target(path);
  prepare_library();
  {
    const OutputFile file{
        path.string(),
        {H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose}};
    file.require(file.id >= 0);

    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text, 3);
    write_attribute(file, "format", text, "csr");
    write_attribute(file, "version", H5T_NATIVE_INT32, &format_version);
    const Offset rows = a.rows, columns = a.columns;
    write_attribute(file, "rows", H5T_NATIVE_INT64, &rows);
    write_attribute(file, "columns", H5T_NATIVE_INT64, &columns);
    write_dataset(file, "row_offsets", H5T_NATIVE_INT64, a.row_offsets);
    write_dataset(file, "column_indices", H5T_NATIVE_INT32, a.column_indices);
    write_dataset(file, "values", H5T_NATIVE_DOUBLE, a.values);
    file.require(H5Fflush(file.id, H5F_SCOPE_GLOBAL) >= 0);  // closing can no longer fail
  }
  target.commit();
}

}  // namespace cisolve
