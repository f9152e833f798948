#include "app/checkpoint/start_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/array.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/array_archive.hpp"
#include "io/matrix_reading.hpp"
#include "io/npy.hpp"

namespace cisolve {
namespace {

using Shape = std::vector<std::int64_t>;

std::string words_for(const Shape& shape) {
  const auto text = [](std::int64_t extent) { return std::to_string(extent); };
  return "(" + joined(shape, ", ", text) + (shape.size() == 1 ? ",)" : ")");
}

/// The array that holds the vectors.
NpzValues read_stored(const std::filesystem::path& path) {
  constexpr NpyElements taken = NpyElements::real_or_complex;
  if (is_npz(path)) return read_npz_values(path, "ci", taken);
  const TextFile file(
      path, [&](std::string_view beginning) { return npy_bytes(beginning, path.string(), taken); });
  const NpyArray array = parse_npy(file.text(), path.string(), taken);
  return {array.header.shape, npy_values(array), npy_components(array.header.type)};
}

NpzValues read_array(const std::filesystem::path& path) {
  require_file(path);
  NpzValues array = read_stored(path);
  if (array.shape.empty() || array.shape.size() > 3 || array.values.empty()) {
    throw InputError(path.string() + ": found an array of shape " + words_for(array.shape) +
                     ", expected vectors");
  }
  const auto bad =
      std::ranges::find_if_not(array.values, [](double x) { return std::isfinite(x); });
  if (bad != array.values.end()) {
    const auto element = (bad - array.values.begin()) / array.components + 1;
    throw InputError(path.string() + ": element " + std::to_string(element) + " is not finite");
  }
  return array;
}

/// Layout of the vectors in an array.
struct Places {
  std::int64_t states = 0;  ///< 0: it holds none
  bool states_first = true;
};

Places places_of(const Shape& shape, std::int64_t rows, bool of_archive) {
  const std::size_t n = shape.size();
  if (n == 1 && shape[0] == rows) return {1};
  if (n == 2 && !of_archive && shape[0] == rows) return {shape[1], false};
  if (n == 2 && of_archive && shape[1] == rows) return {shape[0]};
  if (n == 2 && !of_archive && shape[0] * shape[1] == rows) return {1};
  if (n == 3 && shape[1] * shape[2] == rows) return {shape[0]};
  return {};
}

}  // namespace

bool is_start_vectors(const std::filesystem::path& path) {
  return is_npz(path) || to_lower(path.extension().string()) == ".npy";
}

HostMatrix read_start_vectors(const std::filesystem::path& path, std::int64_t rows,
                              int components) {
  const NpzValues array = read_array(path);
  require_vectors(path, array.shape, rows);
  const int c = array.components;
  if (c != 1 && c != components) {
    throw InputError(path.string() + ": found complex vectors, expected " +
                     (components == 1
                          ? "real ones"
                          : "ones of " + std::to_string(components) + " real numbers an element") +
                     " as of the matrix");
  }
  const auto [states, states_first] = places_of(array.shape, rows, is_npz(path));
  HostMatrix x = HostMatrix::Zero(rows * components, states);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < states; ++j) {
      const std::int64_t element = states_first ? j * rows + i : i * states + j;
      for (int part = 0; part < c; ++part) {
        x(i * components + part, j) = array.values[static_cast<std::size_t>(element * c + part)];
      }
    }
  }
  return x;
}

Shape check_start_vectors(const std::filesystem::path& path) {
  return read_array(path).shape;
}

void require_vectors(const std::filesystem::path& path, const Shape& shape, std::int64_t rows) {
  if (places_of(shape, rows, is_npz(path)).states > 0) return;
  throw InputError(path.string() + ": vectors of another matrix: found an array of shape " +
                   words_for(shape) + ", expected vectors of " + std::to_string(rows) + " rows");
}

void require_determinants(const std::filesystem::path& path, const AnySpace& space,
                          const std::vector<int>& active) {
  if (!is_npz(path)) return;
  const auto orbitals = read_npz_integers(path, "active");
  const auto alphas = read_npz_integers(path, "alpha"), betas = read_npz_integers(path, "beta");
  const std::string other = path.string() + ": vectors over other determinants: ";
  if (orbitals && !std::ranges::equal(orbitals->values, active, {}, {},
                                      [](int p) { return static_cast<std::uint64_t>(p); })) {
    throw InputError(other + "its active orbitals are not those of this space");
  }
  if (!alphas || !betas) return;
  const int words = OrbitalString::words_of(space.alpha().orbitals);
  const auto expected = static_cast<std::size_t>(space.size() * words);
  if (alphas->values.size() != expected || betas->values.size() != expected) {
    throw InputError(other + "found " + std::to_string(alphas->values.size()) + ", expected " +
                     std::to_string(expected));
  }
  const auto string_in = [&](const std::vector<std::uint64_t>& list, std::int64_t row) {
    return OrbitalString::from_words(&list[static_cast<std::size_t>(row * words)], words);
  };
  space.for_each([&](std::int64_t row, const OrbitalString& a, const OrbitalString& b) {
    if (string_in(alphas->values, row) == a && string_in(betas->values, row) == b) return;
    throw InputError(other + "the first that differs is of row " + std::to_string(row + 1) +
                     " (another irrep or space, other electrons)");
  });
}

std::string note_of_rotated_vectors(const std::filesystem::path& path) {
  if (!is_npz(path) || !npz_has_array(path, "rotation")) return "";
  return path.string() +
         ": its vectors are over natural orbitals, whose integrals output.fcidump "
         "(--natural-fcidump) of that selection has; over other orbitals they mean other states";
}

SolverState state_of_vectors(std::shared_ptr<const HostMatrix> x) {
  SolverState state;
  state.states = state.vectors = static_cast<int>(x->cols());
  state.read = [x = std::move(x)](int j, HostMatrix& column, HostMatrix&) { column = x->col(j); };
  return state;
}

}  // namespace cisolve
