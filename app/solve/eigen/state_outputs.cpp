#include "app/solve/eigen/state_outputs.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/checkpoint/start_vectors.hpp"
#include "app/solve/facts.hpp"
#include "app/solve/outcome/string_matrix.hpp"
#include "backends/ranks/agree.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

/// Throws InputError where orbitals are more than strings of three-particle densities have, and
/// ResourceError where memory lacks for the densities and their copy in the order of the file.
void require_room_for_three(const Determinants& determinants, int states) {
  const int m = determinants.space().alpha().orbitals;
  if (m > 64) {
    throw InputError(fmt::format("output.rdm3: found {} orbitals, expected at most 64", m));
  }
  require_host_memory(
      (2.0 * states + 1.0) * std::pow(m, 6) * sizeof(double),
      fmt::format("output.rdm3: densities of {} states over {} orbitals", states, m));
}

/// Throws InputError where an output is asked for of what has no determinants, or a file of TREXIO
/// of what it has no place for.
void require_outputs(const RunConfig& config, const Model& model) {
  const auto refuse_if = [&](bool wrong, const std::string& key, const std::string& reason) {
    if (wrong) throw InputError(key + ": " + model.name() + " " + reason);
  };
  const Determinants* const determinants = model.determinants();
  const bool matrix = determinants == nullptr, spinors = model.spinors().first != nullptr;
  const std::string none = model.nature() + "; ";
  const bool unrestricted = !matrix && determinants->integrals().unrestricted;
  const std::string orbitals =
      unrestricted ? "has " + kind_of_orbitals(determinants->integrals()) + "; " : "";
  for (const auto& [key, file, densities] : arrays_outputs(config.output)) {
    const bool trexio = is_trexio_name(file);
    refuse_if(matrix && !spinors && densities, key,
              none + "densities are of determinants, which integrals give (FCIDUMP, TREXIO)");
    refuse_if(matrix && trexio, key,
              none + "TREXIO files have determinants, which real integrals give");
    refuse_if(trexio && key == std::string_view("output.rdm3"), key,
              "goes to .npz or .h5; TREXIO files have no place for three-particle densities");
    refuse_if(trexio && unrestricted, key,
              orbitals + "TREXIO files are written of restricted ones");
    refuse_if(densities && unrestricted && determinants->integrals().general, key,
              orbitals + "densities are of electrons of either spin");
  }
  if (!config.output.rdm3.empty()) {
    refuse_if(matrix, "output.rdm3", none + "three-particle densities are of real integrals");
    refuse_if(unrestricted, "output.rdm3",
              orbitals + "three-particle densities are of restricted ones");
    require_room_for_three(*determinants, config.solver.states);
  }
  refuse_if(matrix && !config.output.determinants.empty(), "output.determinants",
            none + "determinants are of real integrals (FCIDUMP, TREXIO)");
  refuse_if(
      matrix && !config.input.dipole.empty(), "input.dipole",
      none + "dipole moments are of determinants, which real integrals give (FCIDUMP, TREXIO)");
  const bool molden = !config.output.molden.empty();
  if (molden && config.input.orbitals.empty()) {
    throw InputError(
        "output.molden: found no input.orbitals, expected a Molden file that has the atoms and "
        "functions of the orbitals");
  }
  if (!molden && !config.input.orbitals.empty()) {
    throw InputError(
        "input.orbitals: found no output.molden, which alone needs the atoms and functions from "
        "there");
  }
  refuse_if(
      matrix && molden, "output.molden",
      none + "natural orbitals are of determinants, which real integrals give (FCIDUMP, TREXIO)");
  refuse_if(molden && unrestricted, "output.molden",
            orbitals + "natural orbitals are written of restricted ones");
}

/// Throws InputError where they are not as many as the Hamiltonian's.
MoldenOrbitals read_orbitals(const std::filesystem::path& file, const Determinants& determinants) {
  MoldenOrbitals read = read_molden(file);
  const int expected = determinants.integrals().orbitals;
  if (static_cast<int>(read.labels.size()) != expected) {
    throw InputError(fmt::format("input.orbitals: {}: found {} orbitals, expected {}, those of {}",
                                 file.string(), read.labels.size(), expected, determinants.name()));
  }
  return read;
}

/// Throws ResourceError where a state was given up.
void require_finite(const EigenResult& result) {
  const bool finite =
      std::ranges::all_of(result.energies, [](double energy) { return std::isfinite(energy); });
  if (!finite) throw ResourceError("there are states without energy");
}

}  // namespace

StateOutputs::StateOutputs(const RunConfig& config, const Model& model)
    : config_(config), determinants_(model.determinants()) {
  require_outputs(config, model);
  if (model.spinors().first != nullptr) spinors_ = &model.occupations()->space().alpha();
  if (!config.input.dipole.empty()) dipole_ = read_dipole(config.input.dipole, *determinants_);
  if (!config.output.molden.empty()) {
    orbitals_ = read_orbitals(config.input.orbitals, *determinants_);
  }
}

void StateOutputs::require_vectors_over(Index rows) {
  const std::filesystem::path& file = config_.input.follow;
  if (file.empty()) return;
  const std::vector<std::int64_t> shape = check_start_vectors(file);
  const std::int64_t expected = determinants_ ? determinants_->space().size() : std::int64_t{rows};
  require_vectors(file, shape, expected);
  vector_rows_ = static_cast<double>(expected);
  followed_ = std::accumulate(shape.begin(), shape.end(), 1.0 / vector_rows_, std::multiplies<>());
  if (determinants_) {
    require_determinants(file, determinants_->space(), determinants_->frozen_and_active().second);
  }
}

bool StateOutputs::wants_density_files() const {
  const OutputConfig& output = config_.output;
  return !output.rdm1.empty() || !output.rdm2.empty() || !output.rdm3.empty() ||
         !output.molden.empty();
}

void StateOutputs::add(const RunContext& context, EigenOutcome& outcome) {
  const auto attempt = [&](const char* what, const auto& work) {
    try {
      work();
    } catch (const std::exception& error) {
      add_note(outcome.facts, context.log, std::string(what) + ": " + error.what());
    }
  };
  outcome.orbitals = std::move(orbitals_);
  if (wants_density_files() || dipole_) {
    attempt("no densities are made, and nothing of them", [&] { add_densities(context, outcome); });
  }
  if (!config_.input.follow.empty()) {
    attempt("no vectors are followed", [&] { add_followed(context, outcome); });
  }
  const bool archived = has_states(config_.output.vectors) ||
                        !config_.output.determinants.empty() || wants_density_files();
  if (archived && determinants_) outcome.determinants = row_determinants(*determinants_);
}

/// Two-particle densities: as many as memory allows.
void StateOutputs::add_densities(const RunContext& context, EigenOutcome& outcome) const {
  require_finite(outcome.result);
  const HostMatrix x = outcome.vectors(context.backend);
  if (spinors_ != nullptr) return add_spinor_densities(x, context, outcome);
  const auto make = [&](TwoParticle two) {
    outcome.densities = state_densities(x, *determinants_, context.backend, two);
  };
  const auto make_or = [&](TwoParticle two, const char* instead, const auto& otherwise) {
    try {
      make(two);
    } catch (const ResourceError& error) {
      add_note(outcome.facts, context.log, std::string(instead) + ": " + error.what());
      otherwise();
    }
  };
  const auto none = [&] { make(TwoParticle::none); };
  if (config_.output.rdm2.empty()) {
    none();
  } else {
    make_or(TwoParticle::states_and_transitions, "no two-particle densities of transitions", [&] {
      make_or(TwoParticle::states, "no two-particle densities, and no output.rdm2", none);
    });
  }
  if (!config_.output.rdm3.empty()) add_three_particle(x, context, outcome);
  if (dipole_) {
    outcome.dipole = dipole_moments(*dipole_, *determinants_, *outcome.densities,
                                    outcome.result.energies.size());
  }
}

void StateOutputs::add_three_particle(const HostMatrix& x, const RunContext& context,
                                      EigenOutcome& outcome) const {
  std::vector<HostMatrix> made;
  try {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      made.push_back(
          three_particle_density(string_matrix(*determinants_, x.col(j)), context.backend));
    }
    outcome.three_particle = std::move(made);
  } catch (const ResourceError& error) {
    add_note(outcome.facts, context.log,
             std::string("no three-particle densities, and no output.rdm3: ") + error.what());
  }
}

void StateOutputs::add_spinor_densities(const HostMatrix& x, const RunContext& context,
                                        EigenOutcome& outcome) const {
  require_host_memory(sizeof(double) * static_cast<double>(x.size()), "densities of the states");
  const HostMatrix states = x.transpose();  // one behind another
  const auto make = [&](bool two) {
    outcome.spinor_densities = spinor_state_densities(
        {states.data(), static_cast<std::size_t>(states.size())}, static_cast<int>(states.rows()),
        *spinors_, {!config_.output.rdm1.empty(), two});
  };
  try {
    make(!config_.output.rdm2.empty());
  } catch (const ResourceError& error) {
    add_note(outcome.facts, context.log,
             std::string("no two-particle densities, and no output.rdm2: ") + error.what());
    make(false);
  }
}

void StateOutputs::add_followed(const RunContext& context, EigenOutcome& outcome) const {
  require_finite(outcome.result);
  const std::string file = config_.input.follow.string();
  // Vectors in the file's order and as columns, and the states.
  const double columns = 2.0 * followed_ + static_cast<double>(outcome.result.energies.size());
  require_on_all(context.backend.communicator(),
                 [&] { require_host_memory(sizeof(double) * columns * vector_rows_, file); });
  if (const std::string note = note_of_rotated_vectors(file); !note.empty()) {
    add_note(outcome.facts, context.log, note);
  }
  const HostMatrix states = outcome.vectors(context.backend);
  outcome.followed = follow(read_start_vectors(config_.input.follow, states.rows()), states);
  for (std::size_t j = 0; j < outcome.followed.size(); ++j) {
    const Followed& one = outcome.followed[j];
    if (one.state && one.found >= least_found) continue;
    add_note(outcome.facts, context.log,
             fmt::format("{}: {:.0f} % of vector {} lies in the states found{}; more of them "
                         "(solver.states) may have what continues it",
                         file, 100.0 * one.found, j + 1,
                         one.state ? "" : ", and none that is not another's continues it"));
  }
}

}  // namespace cisolve
