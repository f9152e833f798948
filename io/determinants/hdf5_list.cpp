#include "core/error.hpp"
#include "io/array_archive.hpp"
#include "io/determinants/archive_list.hpp"
#include "io/hdf5/hdf5_input.hpp"

namespace cisolve {
namespace {

bool recognises_hdf5(const ListFile& file) {
  return file.beginning.starts_with("\x89HDF\r\n\x1a\n") || is_hdf5(file.path);
}

std::optional<WordArray> read_dataset(const InputFile& file, const char* name) {
  if (!file.has_object(name) || file.is_scalar(name)) return std::nullopt;
  const Dataset set = file.integers(name);
  require_type(file, set, NumberKind::integer, 64, set.found.has_sign);
  WordArray array;
  if (set.found.dimensions == 2) array.shape.push_back(static_cast<std::int64_t>(set.found.rows));
  array.shape.push_back(static_cast<std::int64_t>(set.found.columns));
  array.words.resize(set.found.rows * set.found.columns);
  if (set.found.has_sign) {
    std::vector<std::int64_t> values(array.words.size());
    file.read_table(set, values.data());
    array.words.assign(values.begin(), values.end());
  } else {
    file.read_table(set, array.words.data());
  }
  return array;
}

ReadList read_hdf5_list(const ListFile& file, const StringForm& form) {
  const InputFile input(file.path);
  ReadList made =
      list_of_arrays(file, form, [&](const char* name) { return read_dataset(input, name); });
  if (input.has_object("rotation")) made.notes.push_back(note_of_rotation(file.path));
  return made;
}

}  // namespace

const ListFormat hdf5_list{"HDF5", recognises_hdf5, read_hdf5_list};

}  // namespace cisolve
