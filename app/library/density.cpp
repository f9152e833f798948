#include "cisolve/density.hpp"

#include "app/library/session.hpp"
#include "app/solve/outcome/row_determinants.hpp"
#include "app/solve/outcome/string_matrix.hpp"
#include "app/states/dipole_moments.hpp"
#include "app/states/state_densities.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "hamiltonian/three_particle/three_particle.hpp"

namespace cisolve {
namespace {

/// The model of a Hamiltonian, opened for its determinants.
class OpenedDeterminants {
 public:
  explicit OpenedDeterminants(const Hamiltonian& hamiltonian)
      : model_(hamiltonian.data().open(Storage::full, {})) {
    if (model_->determinants() == nullptr) {
      throw InputError("the Hamiltonian " + model_->nature() +
                       "; densities and dipole moments are of real integrals");
    }
    model_->rows();
  }
  const Determinants& operator*() const { return *model_->determinants(); }
  const Determinants* operator->() const { return model_->determinants(); }

 private:
  std::unique_ptr<Model> model_;
};

/// Vectors over the determinants. Throws InputError unless there are as many numbers.
Eigen::Map<const HostMatrix> vectors_over(const Determinants& determinants,
                                          const VectorBlock& block) {
  const std::int64_t rows = determinants.space().size();
  const auto found = static_cast<std::int64_t>(block.values.size());
  if (block.columns < 1 || found != rows * block.columns) {
    throw InputError("vectors: found " + std::to_string(found) + " numbers, expected " +
                     std::to_string(rows) + " rows x " + std::to_string(block.columns) + " states");
  }
  return {block.values.data(), rows, block.columns};
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

/// Calls f(x, backend) with a vector over the determinants of a Hamiltonian.
template <class F>
void with_string_matrix(const Hamiltonian& hamiltonian, std::span<const double> vector,
                        const Machine& machine, F&& f) {
  require_one_process(machine, "densities are");
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const OpenedDeterminants determinants(hamiltonian);
  const auto found = vectors_over(*determinants, VectorBlock{vector});
  f(string_matrix(*determinants, found.col(0)), session.backend());
}

}  // namespace

DensityMatrices density_matrices(const Hamiltonian& hamiltonian, const VectorBlock& vectors,
                                 bool two, const Machine& machine) {
  require_one_process(machine, "densities are");
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const OpenedDeterminants determinants(hamiltonian);
  const StateDensities found =
      state_densities(vectors_over(*determinants, vectors), *determinants, session.backend(),
                      two ? TwoParticle::states : TwoParticle::none);
  DensityMatrices made{determinants->space().alpha().orbitals, vectors.columns, {}, {}};
  for (const OneDensities& pair : found.one) {
    for (const HostMatrix& spin : pair) append(spin, made.one);
  }
  for (const Densities& state : found.two) append_two(state, made.two);
  return made;
}

DensityMatrices transition_density_matrices(const Hamiltonian& hamiltonian,
                                            std::span<const double> bra,
                                            std::span<const double> ket, const Machine& machine) {
  require_one_process(machine, "densities are");
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const OpenedDeterminants determinants(hamiltonian);
  const auto left = vectors_over(*determinants, VectorBlock{bra}),
             right = vectors_over(*determinants, VectorBlock{ket});
  HostMatrix pair(left.rows(), 2);
  pair.col(0) = left;
  pair.col(1) = right;
  const Densities found = transition_densities(pair, *determinants, session.backend());
  DensityMatrices made{determinants->space().alpha().orbitals, 1, {}, {}};
  for (const HostMatrix& spin : found.one) append(spin, made.one);
  append_two(found, made.two);
  return made;
}

std::vector<double> three_particle_density(const Hamiltonian& hamiltonian,
                                           std::span<const double> vector, const Machine& machine) {
  std::vector<double> made;
  with_string_matrix(hamiltonian, vector, machine, [&](const StringMatrix& x, Backend& backend) {
    append(three_particle_density(x, backend), made);
  });
  return made;
}

std::vector<double> contracted_four_particle_density(const Hamiltonian& hamiltonian,
                                                     std::span<const double> vector,
                                                     std::span<const double> integrals,
                                                     const Machine& machine) {
  std::vector<double> made;
  with_string_matrix(hamiltonian, vector, machine, [&](const StringMatrix& x, Backend& backend) {
    const auto pairs = static_cast<Eigen::Index>(x.orbitals) * x.orbitals;
    if (static_cast<Eigen::Index>(integrals.size()) != pairs * pairs) {
      throw InputError("integrals: found " + std::to_string(integrals.size()) +
                       " numbers, expected " + std::to_string(x.orbitals) + "^4");
    }
    append(contracted_four_particle_density(
               x, Eigen::Map<const HostMatrix>(integrals.data(), pairs, pairs), backend),
           made);
  });
  return made;
}

std::vector<double> dipole_moments(const Hamiltonian& hamiltonian, const VectorBlock& vectors,
                                   const PositionIntegrals& integrals, const Machine& machine) {
  require_one_process(machine, "densities are");
  const Session session(hamiltonian, library_config(Task::eigen), machine, {});
  const Entry entry(session);
  const OpenedDeterminants determinants(hamiltonian);
  const DipoleIntegrals dipole =
      dipole_integrals(integrals.values, integrals.nuclear, *determinants, "position integrals");
  const StateDensities found = state_densities(vectors_over(*determinants, vectors), *determinants,
                                               session.backend(), TwoParticle::none);
  std::vector<double> values;
  for (const SpaceVector& moment :
       dipole_moments(dipole, *determinants, found, static_cast<std::size_t>(vectors.columns))) {
    values.insert(values.end(), moment.begin(), moment.end());
  }
  return values;
}

DeterminantMasks determinant_masks(const Hamiltonian& hamiltonian) {
  const auto model = hamiltonian.data().open(Storage::full, {});
  if (model->occupations() == nullptr) {
    throw InputError("the Hamiltonian is a matrix; determinants are of integrals and nucleons");
  }
  model->rows();
  RowDeterminants list = row_determinants(*model->occupations());
  return {list.orbitals,
          {static_cast<int>(list.alpha_electrons), static_cast<int>(list.beta_electrons)},
          list.words,
          std::move(list.alpha),
          std::move(list.beta),
          list.strings.value_or(std::pair<std::int64_t, std::int64_t>{0, 0}),
          list.core_energy};
}

}  // namespace cisolve
