#include "app/run/molden_states.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hamiltonian/states/natural_occupations.hpp"

namespace cisolve {
namespace {

/// The irrep of a symmetry that numbers the orbitals of it: "a1" of "3a1", "1" of Molpro's "3.1".
std::string irrep_of(const std::string& symmetry) {
  const std::size_t digits = std::min(symmetry.find_first_not_of("0123456789"), symmetry.size());
  const bool numbered = digits > 0 && digits < symmetry.size();
  if (!numbered) return symmetry;
  return symmetry.substr(symmetry[digits] == '.' ? digits + 1 : digits);
}

/// The symmetry that all orbitals in a natural one have; "A", none, where they differ.
std::string common_symmetry(const std::vector<MoldenOrbitals::Label>& labels,
                            const std::vector<std::int64_t>& active,
                            const Eigen::Ref<const HostVector>& natural) {
  constexpr double least = 1e-6;
  std::string common;
  for (std::size_t p = 0; p < active.size(); ++p) {
    if (std::abs(natural[static_cast<Eigen::Index>(p)]) < least) continue;
    const std::string symmetry = irrep_of(labels[static_cast<std::size_t>(active[p])].symmetry);
    if (!common.empty() && common != symmetry) return "A";
    common = symmetry;
  }
  return common;
}

}  // namespace

std::string molden_of_state(const EigenOutcome& outcome, std::size_t state) {
  const RowDeterminants& list = *outcome.determinants;
  const std::size_t states = outcome.result.energies.size();
  const auto [occupations, natural] =
      natural_orbitals(spin_summed(outcome.densities->one[state * states + state]));
  MoldenOrbitals made = *outcome.orbitals;
  for (MoldenOrbitals::Label& label : made.labels) label.occupation = 0.0;
  for (const std::int64_t f : list.frozen) {
    made.labels[static_cast<std::size_t>(f)].occupation = 2.0;
  }
  const HostMatrix active = made.coefficients(Eigen::all, list.active);
  made.coefficients(Eigen::all, list.active) = active * natural;
  for (std::size_t i = 0; i < list.active.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    made.labels[static_cast<std::size_t>(list.active[i])] = {
        common_symmetry(outcome.orbitals->labels, list.active, natural.col(column)), 0.0,
        occupations[column]};
  }
  return molden_text(made);
}

}  // namespace cisolve
