#include "app/model/spinor_model.hpp"

#include <utility>

#include "app/ways/host_way.hpp"
#include "core/error.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"

namespace cisolve {
namespace {

/// The integrals. Throws InputError on keys that would be ignored, or are of spatial orbitals.
SpinorIntegrals with_keys_of(SpinorIntegrals integrals, const InputConfig& config) {
  const InputConfig defaults;
  std::string key;
  if (config.ms2) key = "input.ms2";
  if (config.irrep) key = "input.irrep";
  if (config.point_group) key = "input.point_group";
  if (config.orbsym != defaults.orbsym) key = "input.orbsym";
  if (config.orbital_kind == OrbitalKind::spatial) key = "input.orbital_kind";
  if (config.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (!config.determinants.empty() || config.listed) key = "input.determinants";
  if (!config.strings.empty()) key = "input.strings";
  if (!config.frozen.empty()) key = "input.frozen";
  if (config.freeze != 0) key = "input.freeze";
  if (!config.active.empty()) key = "input.active";
  if (key.empty()) return integrals;
  throw InputError(key + ": not of spinors, whose complex integrals " + config.file.string() +
                   " has");
}

/// Notes are those of the spinors, whose integrals the real ones stand for.
Integrals told_by(const SpinorIntegrals& spinors) {
  Integrals real = diagonal_integrals(spinors);
  real.warnings = spinors.warnings;
  return real;
}

}  // namespace

SpinorModel::SpinorModel(SpinorIntegrals integrals, const InputConfig& config, Units units,
                         Storage storage, const Log& log)
    : units_(units),
      integrals_(with_keys_of(std::move(integrals), config)),
      determinants_(told_by(integrals_), config, log),
      matrix_(
          determinants_, storage, log,
          [this](const AnySpace& space, Storage held) -> std::unique_ptr<const MatrixBuilder> {
            return std::make_unique<SpinorMatrixBuilder>(integrals_, space.of_ranges()->alpha,
                                                         held);
          },
          2) {}

std::string SpinorModel::row_name(std::int64_t row) const {
  return determinants_.labels().occupation(
      determinants_.space().determinant(static_cast<Index>(row)));
}

std::vector<Way> SpinorModel::ways() {
  return {host_way(matrix_, nullptr)};
}

}  // namespace cisolve
