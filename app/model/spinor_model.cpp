#include "app/model/spinor_model.hpp"

#include <algorithm>
#include <utility>

#include "app/ways/host_way.hpp"
#include "app/ways/spinor_way.hpp"
#include "core/error.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/kramers.hpp"
#include "hamiltonian/spinor/restrict_spinors.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"

namespace cisolve {
namespace {

std::vector<int> from_zero(std::vector<int> spinors) {
  for (int& spinor : spinors) --spinor;
  return spinors;
}

/// The integrals over active spinors. Throws InputError on keys that would be ignored, or are of
/// spatial orbitals.
SpinorIntegrals with_keys_of(SpinorIntegrals integrals, const InputConfig& config) {
  const InputConfig defaults;
  std::string key;
  if (config.ms2) key = "input.ms2";
  if (config.irrep) key = "input.irrep";
  if (config.point_group) key = "input.point_group";
  if (config.orbsym != defaults.orbsym) key = "input.orbsym";
  if (config.orbital_kind == OrbitalKind::spatial) key = "input.orbital_kind";
  if (config.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (!config.strings.empty()) key = "input.strings";
  const bool listed = !config.determinants.empty() || config.listed;
  if (listed && !(config.frozen.empty() && config.active.empty())) key = "input.frozen";
  if (config.freeze != 0) key = "input.freeze";
  if (key.empty()) {
    if (config.frozen.empty() && config.active.empty()) return integrals;
    return restrict_spinors(std::move(integrals), from_zero(config.frozen),
                            from_zero(config.active));
  }
  throw InputError(key + ": not of spinors, and " + config.file.string() +
                   " has complex integrals");
}

/// The configuration over active spinors, which are all that the integrals have.
InputConfig over_active(InputConfig config) {
  config.frozen.clear();
  config.active.clear();
  config.electrons.reset();  // the reader has taken them
  return config;
}

/// Notes are those of the spinors, whose integrals the real ones stand for.
Integrals told_by(const SpinorIntegrals& spinors) {
  Integrals real = diagonal_integrals(spinors);
  real.warnings = spinors.warnings;
  if (spinors.electrons % 2 == 1 && are_kramers_pairs(spinors)) {
    real.warnings.emplace_back(
        "The spinors are Kramers pairs and the electrons odd in number: every level has an even "
        "number of states.");
  }
  return real;
}

}  // namespace

SpinorModel::SpinorModel(SpinorIntegrals integrals, const InputConfig& config, Units units,
                         Storage storage, const Log& log)
    : units_(units),
      frozen_(from_zero(config.frozen)),
      active_(from_zero(config.active)),
      file_spinors_(integrals.spinors),
      integrals_(with_keys_of(std::move(integrals), config)),
      determinants_(told_by(integrals_), over_active(config), log),
      matrix_(
          determinants_, storage, log,
          [this](const AnySpace& space, Storage held) -> std::unique_ptr<const MatrixBuilder> {
            return std::make_unique<SpinorMatrixBuilder>(integrals_, space.alpha(), held);
          },
          2) {}

/// Occupation of the file's spinors.
std::string SpinorModel::row_name(std::int64_t row) const {
  const std::string active =
      determinants_.labels().occupation(determinants_.space().determinant(static_cast<Index>(row)));
  std::string name(file_spinors_, '0');
  for (const int p : frozen_) name[p] = '1';
  auto occupied = active.begin();
  for (int p = 0; p < file_spinors_ && occupied != active.end(); ++p) {
    const bool is_active = active_.empty() ? name[p] == '0' : std::ranges::count(active_, p) > 0;
    if (is_active) name[p] = *occupied++;
  }
  return name;
}

std::vector<Way> SpinorModel::ways() {
  return {spinor_way(integrals_, determinants_), host_way(matrix_, nullptr)};
}

}  // namespace cisolve
