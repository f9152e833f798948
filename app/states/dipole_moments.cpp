#include "app/states/dipole_moments.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "io/array_archive.hpp"

namespace cisolve {
namespace {

void require_finite(std::span<const double> numbers, const std::string& name) {
  if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); })) return;
  throw InputError(name + ": dipole integrals are no finite numbers");
}

/// The numbers of an array of that shape.
Array<double> read_shaped(const std::filesystem::path& file, const char* array,
                          const std::vector<std::int64_t>& shape) {
  NpzValues found = read_npz_values(file, array);
  if (found.shape != shape) {
    throw InputError(fmt::format("{}: array {}: found shape ({}), expected ({})", file.string(),
                                 array, fmt::join(found.shape, ", "), fmt::join(shape, ", ")));
  }
  return std::move(found.values);
}

}  // namespace

DipoleIntegrals dipole_integrals(std::span<const double> position, const SpaceVector& nuclear,
                                 const Determinants& determinants, const std::string& name) {
  constexpr double asymmetry = 1e-8;
  if (determinants.integrals().unrestricted) {
    throw InputError("input.dipole: " + determinants.name() + " has " +
                     kind_of_orbitals(determinants.integrals()) +
                     "; dipole moments are of restricted ones");
  }
  const Eigen::Index m = determinants.integrals().orbitals;
  if (static_cast<Eigen::Index>(position.size()) != 3 * m * m) {
    throw InputError(
        fmt::format("{}: found {} numbers, expected 3 x {} x {}", name, position.size(), m, m));
  }
  require_finite(position, name);
  require_finite(nuclear, name);
  DipoleIntegrals made;
  made.nuclear = nuclear;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    HostMatrix& r = made.position[axis];
    r = Eigen::Map<const HostMatrix>(position.data() + axis * static_cast<std::size_t>(m * m), m,
                                     m);
    if ((r - r.transpose()).cwiseAbs().maxCoeff() > asymmetry) {
      throw InputError(name +
                       ": the integrals are not symmetric, expected <p|r|q> of real orbitals");
    }
  }
  return made;
}

DipoleIntegrals read_dipole(const std::filesystem::path& file, const Determinants& determinants) {
  const std::int64_t m = determinants.integrals().orbitals;
  const Array<double> position = read_shaped(file, "dipole", {3, m, m});
  SpaceVector nuclear{};
  if (npz_has_array(file, "nuclear_dipole")) {
    std::ranges::copy(read_shaped(file, "nuclear_dipole", {3}), nuclear.begin());
  }
  return dipole_integrals(position, nuclear, determinants, file.string());
}

DipoleMoments dipole_moments(const DipoleIntegrals& integrals, const Determinants& determinants,
                             const StateDensities& densities, std::size_t states) {
  const auto [frozen, active] = determinants.frozen_and_active();
  const DipoleIntegrals part = active_dipole(integrals, frozen, active);
  DipoleMoments moments;
  for (const OneDensities& pair : densities.one) {
    moments.push_back(electronic_dipole(part, pair));
  }
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      moments[i * states + i][axis] += part.nuclear[axis];
    }
  }
  return moments;
}

}  // namespace cisolve
