#include <hdf5.h>

#include <string>

#include "io/atomic_file.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/hdf5/hdf5_input.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

constexpr std::int32_t format_version = 1;

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
  const Dataset values = file.dataset("values", NumberKind::real);
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
  a.values = file.read<double>(values);
  sort_rows(a, file.name());
  validate(a, file.name());
  return a;
}

void write_hdf5(const CsrMatrix& a, const std::filesystem::path& path) {
  require_full(a, path.string());
  require_real(a, path.string());
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
    write_dataset(file, "values", a.values);
    file.require(H5Fflush(file.id, H5F_SCOPE_GLOBAL) >= 0);  // closing can no longer fail
  }
  target.commit();
}

}  // namespace cisolve
