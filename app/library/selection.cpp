#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/library/eigenstates.hpp"
#include "app/library/session.hpp"
#include "app/report/report.hpp"
#include "app/report/selection_report.hpp"
#include "app/select/selection.hpp"
#include "app/solve/outcome/file_strings.hpp"
#include "cisolve/select.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

SelectedList list_of(const SelectionStep& step) {
  return {step.determinants,
          step.epsilon,
          step.converged,
          step.energies,
          step.correction.energies,
          step.correction.deviations,
          step.limits,
          step.seconds.select + step.seconds.solve + step.seconds.correct,
          step.natural,
          step.continues};
}

DeterminantArrays arrays_of(const RowDeterminants& rows) {
  const DeterminantList list = file_determinants(FileStrings(rows));
  const int words = OrbitalString::words_of(rows.file_orbitals);
  const auto written = [&](const std::vector<OrbitalString>& strings) {
    std::vector<std::uint64_t> made;
    made.reserve(strings.size() * static_cast<std::size_t>(words));
    for (const OrbitalString& string : strings) {
      for (int k = 0; k < words; ++k) made.push_back(string.word(k));
    }
    return made;
  };
  return {written(list.alpha), written(list.beta), words, false};
}

NaturalIntegrals natural_of(const SelectionOrbitals& natural) {
  const Integrals& integrals = natural.integrals;
  const int n = integrals.orbitals;
  NaturalIntegrals made;
  made.orbitals = n;
  made.rotation = by_rows(natural.rotation);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) made.h1.push_back((*integrals.one_electron[alpha])(p, q));
  }
  const TwoElectron& g = *integrals.alpha_beta;
  for (int pq = 0; pq < g.pairs(); ++pq) {
    made.eri.insert(made.eri.end(), g.row(pq), g.row(pq) + g.pairs());
  }
  made.electrons = integrals.electrons;
  made.ms2 = integrals.ms2;
  made.core_energy = integrals.core_energy;
  made.irreps = integrals.orbital_irreps[alpha];
  for (const int orbital : natural.frozen) made.frozen.push_back(orbital + 1);
  return made;
}

SelectionObservers observers_of(const SelectionObserver& caller) {
  const auto goes_on = [&caller] { return !caller.goes_on || caller.goes_on(); };
  SelectionObservers observers;
  observers.goes_on = goes_on;
  observers.last.eigen = [goes_on](const EigenIteration&) { return goes_on(); };
  observers.step = [&caller](const SelectionStep& step) {
    return !caller.list || caller.list(list_of(step));
  };
  return observers;
}

}  // namespace

Selection select_states(const Hamiltonian& hamiltonian, const EigenSettings& settings,
                        const SelectionSettings& selection, const Call<SelectionObserver>& call) {
  if (settings.project || !call.start.values.empty()) {
    throw InputError(std::string(settings.project ? "project" : "start vectors") +
                     ": rows are determinants that are not selected yet");
  }
  RunConfig config = library_config(Task::select);
  static_cast<EigenSettings&>(config.solver) = settings;
  config.selection = selection;
  const Session session(hamiltonian, std::move(config), call.machine, call.listener);
  const Entry entry(session);
  const SelectionOutcome outcome =
      select_determinants(session.context(), session.open(), observers_of(call.observer));

  Selection made;
  made.states = eigenstates_of(outcome.last, session);
  made.states.report =
      Report([text = report_text(selection_json(session.config(), outcome))] { return text; });
  made.states.notes.insert(made.states.notes.end(), outcome.notes.begin(), outcome.notes.end());
  made.determinants = arrays_of(*outcome.last.determinants);
  for (const SelectionStep& step : outcome.steps) made.lists.push_back(list_of(step));
  made.complete = outcome.complete;
  made.ended = outcome.ended;
  if (outcome.natural) made.natural = natural_of(*outcome.natural);
  return made;
}

}  // namespace cisolve
