#include <hdf5.h>

#include <complex>
#include <string>
#include <utility>

#include "io/atomic_file.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/hdf5/hdf5_input.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

constexpr std::int32_t format_version = 1;

/// Pairs of numbers as a dataset of complex ones.
void write_complex(const OutputFile& file, const char* name, const Array<double>& numbers) {
  const hsize_t size = numbers.size() / 2;
  const Handle properties = dataset_properties(Layout::contiguous, size, 2 * sizeof(double)),
               space(H5Screate_simple(1, &size, nullptr), H5Sclose), type = complex_type();
  const Handle id(H5Dcreate2(file.id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                  H5Dclose);
  file.require(id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
}

}  // namespace

CsrMatrix read_hdf5(const std::filesystem::path& path) {
  const InputFile file(path);
  if (file.has_attribute("format") && file.string_attribute("format") != "csr") {
    file.fail("format '" + file.string_attribute("format") + "', expected 'csr'");
  }
  if (file.has_attribute("version") && file.integer_attribute("version") != format_version) {
    file.fail("version " + std::to_string(file.integer_attribute("version")) + ", expected " +
              std::to_string(format_version));
  }
  const Index rows = checked_dimension(file.integer_attribute("rows"), "rows", file.name());
  const Index columns =
      checked_dimension(file.integer_attribute("columns"), "columns", file.name());

  const Dataset offsets = file.dataset("row_offsets", NumberKind::integer);
  const Dataset indices = file.dataset("column_indices", NumberKind::integer);
  const bool is_complex = file.kind("values") == NumberKind::complex;
  const Dataset values =
      file.dataset("values", is_complex ? NumberKind::complex : NumberKind::real);
  if (offsets.size() != static_cast<std::size_t>(rows) + 1) {
    file.fail(std::to_string(offsets.size()) +
              " row offsets, expected rows + 1 = " + std::to_string(Offset{rows} + 1));
  }
  if (indices.size() != values.size()) {
    file.fail(std::to_string(indices.size()) + " column indices, but " +
              std::to_string(values.size()) + " values");
  }

  CsrMatrix a{rows, columns, {}, {}, {}};
  a.row_offsets = file.read<Offset>(offsets);
  a.column_indices = file.read<Index>(indices);
  if (is_complex) {
    a.components = 2;
    a.values = allocate<double>(2 * values.size(), "values", file.name());
    file.read_row(values, 0, reinterpret_cast<std::complex<double>*>(a.values.data()));
  } else {
    a.values = file.read<double>(values);
  }
  sort_rows(a, file.name());
  return validated(std::move(a), file.name());
}

void write_hdf5(const CsrMatrix& a, const std::filesystem::path& path) {
  require_full(a, path.string());
  const bool is_complex = a.components == 2;
  if (!is_complex) require_real(a, path.string());
  AtomicFile target(path);
  {
    const OutputFile file = create_hdf5(target.temporary(), path.string());
    write_attribute(file, "format", "csr");
    write_attribute(file, "version", H5T_NATIVE_INT32, &format_version);
    const Offset rows = a.rows, columns = a.columns;
    write_attribute(file, "rows", H5T_NATIVE_INT64, &rows);
    write_attribute(file, "columns", H5T_NATIVE_INT64, &columns);
    write_dataset(file, "row_offsets", a.row_offsets);
    write_dataset(file, "column_indices", a.column_indices);
    if (is_complex) {
      write_complex(file, "values", a.values);
    } else {
      write_dataset(file, "values", a.values);
    }
    file.require(H5Fflush(file.id, H5F_SCOPE_GLOBAL) >= 0);  // closing can no longer fail
  }
  target.commit();
}

}  // namespace cisolve
