#include <string>
#include <utility>

#include "app/library/session.hpp"
#include "app/states/spinor_state_densities.hpp"
#include "cisolve/density.hpp"
#include "core/binomial.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// A call over the strings of a Hamiltonian of spinors.
class SpinorCall {
 public:
  SpinorCall(const Hamiltonian& hamiltonian, const Machine& machine)
      : session_(hamiltonian, library_config(Task::eigen), machine, {}),
        entry_(session_),
        model_(hamiltonian.data().open(Storage::full, {})) {
    if (model_->spinors().first == nullptr) {
      throw InputError("the Hamiltonian " + model_->nature() + "; these densities are of spinors");
    }
  }
  const StringSpace& strings() const { return model_->occupations()->space().alpha(); }

 private:
  Session session_;
  Entry entry_;
  std::unique_ptr<Model> model_;
};

void require_numbers(std::size_t found, double rows, int vectors) {
  if (vectors >= 1 && static_cast<double>(found) == 2.0 * rows * vectors) return;
  throw InputError("vectors: found " + std::to_string(found) +
                   " real numbers, expected two for each of " +
                   std::to_string(static_cast<std::int64_t>(rows)) + " rows x " +
                   std::to_string(vectors) + " states");
}

SpinorDensityMatrices matrices_of(const SpinorStateDensities& made, int spinors, int states) {
  SpinorDensityMatrices all{spinors, states, {}, {}};
  for (const SpinorDensity& pair : made.one) {
    const auto rows = pair.reshaped<Eigen::RowMajor>();
    all.one.insert(all.one.end(), rows.begin(), rows.end());
  }
  if (!made.two.empty()) all.two = made.two_over_all_spinors();
  return all;
}

}  // namespace

SpinorDensityMatrices spinor_density_matrices(const Hamiltonian& hamiltonian,
                                              std::span<const double> states, int k, bool two,
                                              const Machine& machine) {
  require_one_process(machine, "densities are");
  const SpinorCall call(hamiltonian, machine);
  const StringSpace& strings = call.strings();
  require_numbers(states.size(), strings.size(), k);
  return matrices_of(spinor_state_densities(states, k, strings, {true, two}), strings.orbitals, k);
}

std::vector<std::complex<double>> spinor_transition_density(const Hamiltonian& hamiltonian,
                                                            std::span<const double> bra,
                                                            std::span<const double> ket,
                                                            const Machine& machine) {
  require_one_process(machine, "densities are");
  const SpinorCall call(hamiltonian, machine);
  const StringSpace& strings = call.strings();
  for (const auto& vector : {bra, ket}) require_numbers(vector.size(), strings.size(), 1);
  const double n = strings.orbitals;
  require_host_memory(sizeof(std::complex<double>) * n * n * n * n, "two-particle density");
  std::vector<std::complex<double>> all(static_cast<std::size_t>(n * n * n * n));
  over_all_spinors(spinor_pair_density(strings, bra, ket), strings.orbitals, all);
  return all;
}

SpinorDensityMatrices spinor_density_matrices(int spinors, int electrons,
                                              std::span<const double> vector, bool two,
                                              const Machine& machine) {
  require_one_process(machine, "densities are");
  RunConfig config = library_config(Task::eigen);
  apply(machine, config);
  require_in_range(config);
  const Entry entry(config, BackendKind::cpu);
  if (spinors < 1 || spinors > OrbitalString::most_orbitals || electrons < 1 ||
      electrons > spinors) {
    throw InputError("found " + std::to_string(electrons) + " electrons in " +
                     std::to_string(spinors) + " spinors, expected 1 to all of at most " +
                     std::to_string(OrbitalString::most_orbitals));
  }
  require_numbers(vector.size(), binomial(spinors, electrons), 1);
  StringSpace strings;  // known by their numbers, so that none is listed
  strings.orbitals = spinors;
  strings.electrons = electrons;
  strings.full = true;
  return matrices_of(spinor_state_densities(vector, 1, strings, {false, two}), spinors, 1);
}

}  // namespace cisolve
