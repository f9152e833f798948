#include <utility>

#include "io/array_archive.hpp"
#include "io/determinants/archive_list.hpp"

namespace cisolve {
namespace {

bool recognises_npz(const ListFile& file) {
  return file.beginning.starts_with("PK\x03\x04") || is_npz(file.path);
}

ReadList read_npz_list(const ListFile& file, const StringForm& form) {
  ReadList made = list_of_arrays(file, form, [&](const char* name) -> std::optional<WordArray> {
    auto found = read_npz_integers(file.path, name);
    if (!found) return std::nullopt;
    return WordArray{std::move(found->shape), std::move(found->values)};
  });
  if (npz_has_array(file.path, "rotation")) made.notes.push_back(note_of_rotation(file.path));
  return made;
}

}  // namespace

const ListFormat npz_list{"NumPy .npz", recognises_npz, read_npz_list};

}  // namespace cisolve
