#include <hdf5.h>

#include <string>
#include <utility>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5_file.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

constexpr std::int32_t format_version = 1;

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
  const InputFile file = open_hdf5(path);
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
  {
    const OutputFile file = create_hdf5(target.temporary(), path.string());
    write_attribute(file, "format", "csr");
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
