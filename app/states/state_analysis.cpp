#include "app/states/state_analysis.hpp"

#include <cmath>
#include <utility>

#include "app/config/irrep.hpp"
#include "app/states/phases.hpp"
#include "app/states/spin_adaptation.hpp"
#include "backends/ranks/agree.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "hamiltonian/states/excitation_rank.hpp"
#include "hamiltonian/states/irrep_weights.hpp"
#include "hamiltonian/states/natural_occupations.hpp"
#include "hamiltonian/states/spin.hpp"
#include "hamiltonian/states/spin_matrix.hpp"

namespace cisolve {
namespace {

void describe_rows(std::vector<LeadingRow>& rows, const Determinants& determinants) {
  const AnySpace& space = determinants.space();
  const DeterminantLabels labels = determinants.labels();
  for (LeadingRow& row : rows) {
    const Determinant determinant = space.determinant(row.row);
    row.occupation = labels.occupation(determinant);
    row.excitation = labels.excitation(determinant, space.reference());
    row.excitation_rank = excitation_rank(determinant, space.reference());
  }
}

/// Facts that determine a state's spin and natural orbitals, for restricted orbitals.
struct SpinFacts {
  double s_squared;
  OneDensities densities;
};

/// ⟨x|S²|x⟩ and the densities of the state that is read.
SpinFacts spin_facts(StateReader& reader, ConstView x, Backend& backend) {
  MultiVector image(backend, x.rows, 1);
  reader.apply_s_squared(x, image.view());
  HostMatrix product;
  backend.gram(x, image.view(), product);
  return {product(0, 0), reader.densities()};
}

StateAnalysis analyse(StateReader::Composition made, const Determinants* determinants,
                      const std::optional<SpinFacts>& spin) {
  StateAnalysis state;
  state.leading = std::move(made.leading);
  state.nucleons = std::move(made.nucleons);
  if (made.spinors.size() > 0) {
    state.natural_occupations = natural_spinors(made.spinors).occupations;
    state.spinor_density = std::move(made.spinors);
  }
  if (determinants == nullptr) return state;
  const Integrals& integrals = determinants->active_integrals();
  describe_rows(state.leading, *determinants);
  state.rank_weights = std::move(made.rank_weights);
  state.irrep = irrep_of(made.irrep_weights, integrals);
  if (state.irrep) state.irrep_name = irrep_name(*state.irrep, integrals);
  const int ms2 = determinants->space().twice_ms();
  if (!integrals.general) state.ms2 = ms2;
  if (!spin) return state;
  state.s_squared = spin->s_squared;
  state.multiplicity = multiplicity(*state.s_squared, ms2);
  if (ms2 == 0 && state.multiplicity) state.spin_inversion = *state.multiplicity % 4 == 1 ? 1 : -1;
  state.densities = spin->densities;
  state.natural_occupations = natural_occupations(spin_summed(state.densities));
  return state;
}

/// The reference determinant, and why something cannot be said.
EigenAnalysis reference_of(const Determinants* determinants) {
  EigenAnalysis analysis;
  if (determinants == nullptr) return analysis;
  const AnySpace& space = determinants->space();
  const Integrals& integrals = determinants->active_integrals();
  analysis.determinants = true;
  analysis.reference_occupation = determinants->labels().occupation(space.reference());
  if (space.holds(space.reference())) {
    analysis.reference_energy = determinant_energy(integrals, space.reference());
  }
  analysis.reference_irrep = irrep_of(space.reference(), integrals);
  const auto [a, b] = space.reference();
  const bool high_spin = (a & ~b).empty() || (b & ~a).empty();
  if (high_spin && !integrals.unrestricted) {
    analysis.reference_multiplicity = std::abs(space.twice_ms()) + 1;
  }
  return analysis;
}

/// True if ⟨S²⟩ is nearer to the S(S + 1) of that multiplicity than to those of the next ones: a
/// truncated space of a high-spin reference mixes a little of higher spins in.
bool is_nearest_spin(double s_squared, int multiplicity) {
  const double s = 0.5 * (multiplicity - 1);
  const double above = s_squared - s * (s + 1.0);
  return (s < 1.0 || above > -s) && above < s + 1.0;  // half-way to s - 1, to s + 1
}

Correlation correlation_of(const EigenAnalysis& analysis, const std::vector<double>& energies,
                           bool restricted) {
  if (!analysis.reference_energy) return {{}, 0, "the reference is not among the determinants"};
  if (analysis.states.empty())
    return {{}, 0, "the states were not analysed, their spins and irreps are not known"};
  if (restricted && !analysis.reference_multiplicity) {
    return {{}, 0, "the reference is no spin eigenfunction"};
  }
  for (std::size_t i = 0; i < analysis.states.size(); ++i) {
    const StateAnalysis& state = analysis.states[i];
    if (state.irrep != analysis.reference_irrep) continue;
    if (restricted &&
        !(state.s_squared && is_nearest_spin(*state.s_squared, *analysis.reference_multiplicity))) {
      continue;
    }
    return {energies[i] - *analysis.reference_energy, i, ""};
  }
  return {{}, 0, "no state found has the reference's spin and irrep"};
}

void analyse_all(EigenAnalysis& analysis, EigenResult& result,
                 std::shared_ptr<const LinearOperator> a, int components, StateReader& reader,
                 Backend& backend, const Determinants* determinants, const RunConfig& config) {
  const bool restricted = determinants != nullptr && !determinants->active_integrals().unrestricted;
  if (restricted) {
    adapt_spin(
        result, *a, backend, [&](ConstView x, View y) { reader.apply_s_squared(x, y); },
        result.tolerance, config.solver.stop_by == StopBy::energy);
  } else if (determinants != nullptr) {
    analysis.notes.push_back(
        determinants->active_integrals().general
            ? "spin and natural occupations are not given: general spin orbitals mix alpha and beta"
            : "spin and natural occupations are not given: the orbitals are unrestricted, and an "
              "FCIDUMP file lacks the overlaps of alpha with beta orbitals that they need");
  }
  a.reset();
  fix_phases(result.vectors.view(), backend, components);
  for (int j = 0; j < result.vectors.columns(); ++j) {
    const View state = result.vectors.slice(j, 1);
    if (!reader.read(state)) {
      analysis.states.emplace_back();
      continue;
    }
    std::optional<SpinFacts> facts;
    if (restricted) facts = spin_facts(reader, state, backend);
    analysis.states.push_back(
        analyse(reader.composition(config.output.leading), determinants, facts));
  }
}

}  // namespace

EigenAnalysis analyse_states(EigenResult& result, std::shared_ptr<const LinearOperator> a,
                             int components, Backend& backend, const Determinants* determinants,
                             const std::function<std::unique_ptr<StateReader>()>& make_reader,
                             const RunConfig& config) {
  EigenAnalysis analysis = reference_of(determinants);
  if (config.output.analysis) {
    // The states were found: what cannot be said of them takes nothing away.
    Communicator& ranks = backend.communicator();
    std::unique_ptr<StateReader> reader;
    bool begun = false;
    try {
      require_on_all(ranks, [&] { reader = make_reader(); });
      begun = true;
      analyse_all(analysis, result, std::move(a), components, *reader, backend, determinants,
                  config);
    } catch (const ResourceError& error) {
      if (begun && !ranks.alone()) throw;  // the others do not know
      reader.reset();
      analysis.states.clear();
      analysis.notes.push_back(std::string("the states are not analysed, for lack of memory: ") +
                               error.what());
    }
  }
  if (analysis.determinants) {
    analysis.correlation =
        correlation_of(analysis, result.energies, !determinants->active_integrals().unrestricted);
  }
  if (analysis.states.empty()) {  // no analysis has
    fix_phases(result.vectors.view(), backend, components);
  }
  return analysis;
}

}  // namespace cisolve
