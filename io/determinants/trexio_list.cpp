#include <string>

#include "core/error.hpp"
#include "io/determinants/list_format.hpp"
#include "io/hdf5/hdf5_input.hpp"
#include "io/trexio/trexio_input.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

/// TREXIO files are recognised by their name or, under any name, as HDF5 files with the group that
/// all have.
bool recognises_trexio(const ListFile& file) {
  if (is_trexio_name(file.path)) return true;
  return file.beginning.starts_with("\x89HDF\r\n\x1a\n") &&
         InputFile(file.path).has_object("metadata");
}

ReadList read_trexio_list(const ListFile& file, const StringForm& form) {
  const std::string name = file.path.string();
  if (file.of == ListOf::strings) {
    throw InputError(name +
                     ": TREXIO files have determinants (input.determinants), expected lists "
                     "of strings");
  }
  ReadList made;
  const auto words = static_cast<std::size_t>(OrbitalString::words_of(form.orbitals));
  const auto add = [&](const std::uint64_t* determinant) {
    const auto a = OrbitalString::from_words(determinant, static_cast<int>(words));
    const auto b = OrbitalString::from_words(determinant + words, static_cast<int>(words));
    const std::string which =
        " string of determinant " + std::to_string(made.list.alpha.size() + 1);
    require_within(a, form.orbitals, file, "the alpha" + which);
    require_within(b, form.orbitals, file, "the beta" + which);
    made.list.alpha.push_back(a);
    made.list.beta.push_back(b);
  };
  read_trexio_determinants(file.path, form.orbitals, add);
  return made;
}

}  // namespace

const ListFormat trexio_list{"TREXIO", recognises_trexio, read_trexio_list};

}  // namespace cisolve
