#include "cisolve/density.hpp"

#include <optional>

#include "app/library/session.hpp"
#include "app/solve/determinant_list.hpp"
#include "app/states/dipole_moments.hpp"
#include "app/states/state_densities.hpp"
#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "hamiltonian/direct/orbital_labels.hpp"

namespace cisolve {
namespace {

std::unique_ptr<HamiltonianSource> open_determinants(const Hamiltonian& hamiltonian) {
  auto source = hamiltonian.data().open(Storage::full, {});
  if (!source->of_determinants()) {
    throw InputError("the Hamiltonian is a matrix; determinants and densities are of integrals");
  }
  source->rows();
  return source;
}

/// Vectors over the determinants of a source, and how they lie there where it is of full CI.
struct Vectors {
  Vectors(const HamiltonianSource& source, std::span<const double> numbers, int states)
      : x(numbers.data(), source.space()->size(), states) {
    const CiSpace& space = *source.space();
    if (states < 1 || static_cast<std::int64_t>(numbers.size()) != space.size() * states) {
      throw InputError("vectors: found " + std::to_string(numbers.size()) + " numbers, expected " +
                       std::to_string(space.size()) + " rows x " + std::to_string(states) +
                       " states");
    }
    if (has_direct_layout(space)) layout.emplace(orbital_labels(*source.active_integrals()), space);
  }
  const DirectLayout* layout_or_none() const { return layout ? &*layout : nullptr; }

  Eigen::Map<const HostMatrix> x;
  std::optional<DirectLayout> layout;
};

StateDensities densities_of(const HamiltonianSource& source, std::span<const double> numbers,
                            int states, TwoParticle two, Backend& backend) {
  const Vectors vectors(source, numbers, states);
  return state_densities(vectors.x, source, vectors.layout_or_none(), backend, two);
}

void append(const HostMatrix& from, std::vector<double>& to) {
  to.insert(to.end(), from.data(), from.data() + from.size());
}

void append_two(const Densities& densities, std::vector<double>& to) {
  for (const HostMatrix* part :
       {&densities.alpha_alpha, &densities.alpha_beta, &densities.beta_beta}) {
    append(*part, to);
  }
}

}  // namespace

DensityMatrices density_matrices(const Hamiltonian& hamiltonian, std::span<const double> vectors,
                                 int states, bool two, const Machine& machine) {
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const auto source = open_determinants(hamiltonian);
  const StateDensities found = densities_of(
      *source, vectors, states, two ? TwoParticle::states : TwoParticle::none, session.backend());
  DensityMatrices made{source->space()->alpha.orbitals, states, {}, {}};
  for (const OneDensities& pair : found.one) {
    for (const HostMatrix& spin : pair) append(spin, made.one);
  }
  for (const Densities& state : found.two) append_two(state, made.two);
  return made;
}

DensityMatrices transition_density_matrices(const Hamiltonian& hamiltonian,
                                            std::span<const double> bra,
                                            std::span<const double> ket, const Machine& machine) {
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const auto source = open_determinants(hamiltonian);
  const Vectors left(*source, bra, 1), right(*source, ket, 1);
  HostMatrix pair(left.x.rows(), 2);
  pair.col(0) = left.x;
  pair.col(1) = right.x;
  const Densities found =
      transition_densities(pair, *source, left.layout_or_none(), session.backend());
  DensityMatrices made{source->space()->alpha.orbitals, 1, {}, {}};
  for (const HostMatrix& spin : found.one) append(spin, made.one);
  append_two(found, made.two);
  return made;
}

std::vector<double> dipole_moments(const Hamiltonian& hamiltonian, std::span<const double> vectors,
                                   int states, const PositionIntegrals& integrals,
                                   const Machine& machine) {
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const auto source = open_determinants(hamiltonian);
  const DipoleIntegrals dipole =
      dipole_integrals(integrals.values, integrals.nuclear, *source, "position integrals");
  const StateDensities found =
      densities_of(*source, vectors, states, TwoParticle::none, session.backend());
  std::vector<double> values;
  for (const SpaceVector& moment :
       dipole_moments(dipole, *source, found, static_cast<std::size_t>(states))) {
    values.insert(values.end(), moment.begin(), moment.end());
  }
  return values;
}

DeterminantMasks determinant_masks(const Hamiltonian& hamiltonian) {
  const auto source = open_determinants(hamiltonian);
  DeterminantList list = determinant_list(*source);
  return {list.orbitals,
          {static_cast<int>(list.alpha_electrons), static_cast<int>(list.beta_electrons)},
          list.words,
          std::move(list.alpha),
          std::move(list.beta),
          list.strings.value_or(std::pair<std::int64_t, std::int64_t>{0, 0}),
          list.core_energy};
}

}  // namespace cisolve
