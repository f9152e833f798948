#include "io/hdf5/packed_file.hpp"

#include <hdf5.h>

#include <string>
#include <system_error>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "formats/packed/decode.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/hdf5/hdf5_input.hpp"

namespace cisolve {
namespace {

constexpr char format_name[] = "packed";
constexpr std::int64_t packed_version = 1;

constexpr Packing packings[] = {Packing::none, Packing::coded_near, Packing::coded_far,
                                Packing::plain_near};

bool is_hdf5_name(const std::filesystem::path& path) {
  const std::string name = to_lower(path.filename().string());
  return name.ends_with(".h5") || name.ends_with(".hdf5");
}

template <class T>
void read_array(const InputFile& file, const char* name, Array<T>& array) {
  constexpr NumberKind kind = std::is_same_v<T, double> ? NumberKind::real : NumberKind::integer;
  const Dataset dataset = file.dataset(name, kind);
  require_type(file, dataset, kind, 8 * sizeof(T), std::is_signed_v<T>);
  array = file.read<T>(dataset);
}

Packing read_packing(const InputFile& file) {
  const std::string found = file.string_attribute("packing");
  std::string names;
  for (const Packing packing : packings) {
    if (found == name_of(packing)) return packing;
    names += (names.empty() ? "" : ", ") + std::string(name_of(packing));
  }
  file.fail("packing '" + found + "', expected one of: " + names);
}

void require_format(const InputFile& file) {
  if (const std::string format = file.string_attribute("format"); format != format_name) {
    file.fail("format '" + format + "', expected '" + format_name + "'");
  }
  if (const std::int64_t version = file.integer_attribute("version"); version != packed_version) {
    file.fail("packed layout of version " + std::to_string(version) + ", expected " +
              std::to_string(packed_version));
  }
}

bool read_symmetric(const InputFile& file) {
  const std::int64_t symmetric = file.integer_attribute("symmetric");
  if (symmetric != 0 && symmetric != 1) {
    file.fail("attribute 'symmetric' is " + std::to_string(symmetric) + ", expected 0 or 1");
  }
  return symmetric == 1;
}

}  // namespace

bool is_packed_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!is_hdf5_name(path) || !std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    return InputFile(path).string_attribute("format") == format_name;
  } catch (const InputError&) {  // another reader says what is wrong with it
    return false;
  }
}

PackedFile read_packed(const std::filesystem::path& path) {
  const InputFile file(path);
  require_format(file);
  PackedFile read;
  PackedMatrix& m = read.matrix;
  m.rows = checked_dimension(file.integer_attribute("rows"), "rows", file.name());
  m.columns = checked_dimension(file.integer_attribute("columns"), "columns", file.name());
  m.packing = read_packing(file);
  read.symmetric = read_symmetric(file);
  const Offset nonzeros = file.integer_attribute("nonzeros");
  for_each_array([&](const char* name, auto& array) { read_array(file, name, array); }, m);
  validate(m, file.name());
  read.outline.rows = m.rows;
  read.outline.columns = m.columns;
  read.outline.row_offsets = row_offsets(m);
  if (read.outline.nonzeros() != nonzeros) {
    file.fail("the arrays hold " + std::to_string(read.outline.nonzeros()) +
              " nonzeros, but attribute 'nonzeros' is " + std::to_string(nonzeros));
  }
  if (read.symmetric && m.rows != m.columns) {
    file.fail("attribute 'symmetric' is 1, but the matrix is " + std::to_string(m.rows) + " × " +
              std::to_string(m.columns));
  }
  return read;
}

void require_packed_name(const std::filesystem::path& path) {
  if (is_hdf5_name(path)) return;
  throw InputError(path.string() +
                   ": packed matrices are written to HDF5 files, expected a name that ends in .h5 "
                   "or .hdf5");
}

void write_packed(const PackedMatrix& m, Offset nonzeros, bool symmetric,
                  const std::filesystem::path& path) {
  require_packed_name(path);
  AtomicFile target(path);
  {
    const OutputFile file = create_hdf5(target.temporary(), path.string());
    const auto write_integer = [&](const char* name, std::int64_t value) {
      write_attribute(file, name, H5T_NATIVE_INT64, &value);
    };
    write_attribute(file, "format", format_name);
    write_integer("version", packed_version);
    write_integer("rows", m.rows);
    write_integer("columns", m.columns);
    write_integer("nonzeros", nonzeros);
    write_integer("symmetric", symmetric ? 1 : 0);
    write_attribute(file, "packing", name_of(m.packing));
    for_each_array(
        [&](const char* name, const auto& array) {
          write_dataset(file, name, array, Layout::checksummed);
        },
        m);
    file.require(H5Fflush(file.id, H5F_SCOPE_GLOBAL) >= 0);  // closing can no longer fail
  }
  target.commit();
}

}  // namespace cisolve
