#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace binding;

namespace {

/// An extrapolated energy or its uncertainty of each state; NaN: of too few lists.
std::vector<double> of_limits(const cisolve::SelectedList& list,
                              double cisolve::Extrapolation::*member) {
  std::vector<double> made;
  for (const auto& limit : list.limits) {
    made.push_back(limit ? (*limit).*member : std::numeric_limits<double>::quiet_NaN());
  }
  return made;
}

nb::dict facts_of(const cisolve::SelectedList& list) {
  nb::dict made;
  made["determinants"] = list.determinants;
  made["epsilon"] = list.epsilon;
  made["converged"] = list.converged;
  made["energies"] = list.energies;
  made["corrections"] = list.corrections;
  made["deviations"] = list.deviations;
  made["extrapolated"] = of_limits(list, &cisolve::Extrapolation::energy);
  made["uncertainties"] = of_limits(list, &cisolve::Extrapolation::uncertainty);
  made["seconds"] = list.seconds;
  made["natural"] = list.natural;
  made["continues"] = list.continues;
  return made;
}

nb::dict selection(const cisolve::Hamiltonian& hamiltonian, const Keys& keys, nb::object callback) {
  Caller caller(std::move(callback));
  std::vector<std::string> warnings;
  cisolve::Selection found;
  {
    const nb::gil_scoped_release without_gil;
    const cisolve::SelectionObserver observer{[&](const cisolve::SelectedList& list) {
                                                return caller.go_on([&] { return facts_of(list); });
                                              },
                                              [&] { return caller.go_on(); }};
    found = cisolve::select_states(hamiltonian, {}, {},
                                   {machine_of(keys), observer, listener_of(warnings), {}});
  }
  caller.rethrow();
  const auto words = static_cast<std::size_t>(found.determinants.words),
             rows = found.determinants.alpha.size() / words;
  nb::dict made;
  made["alpha"] = array_of(std::move(found.determinants.alpha), {rows, words});
  made["beta"] = array_of(std::move(found.determinants.beta), {rows, words});
  nb::list lists;
  for (const auto& list : found.lists) lists.append(facts_of(list));
  made["lists"] = lists;
  made["complete"] = found.complete;
  made["ended"] = found.ended;
  if (found.natural) {
    auto& [orbitals, rotation, h1, eri, electrons, ms2, core_energy, irreps, frozen] =
        *found.natural;
    const auto m = static_cast<std::size_t>(orbitals), pairs = m * (m + 1) / 2;
    made["rotation"] = array_of(std::move(rotation), {m, m});
    made["frozen"] = frozen;
    made["integrals"] =
        nb::make_tuple(array_of(std::move(h1), {m, m}), array_of(std::move(eri), {pairs, pairs}), m,
                       std::pair((electrons + ms2) / 2, (electrons - ms2) / 2), core_energy,
                       irreps.empty() ? nb::none() : nb::cast(irreps));
  }
  made["states"] = dict_of(std::move(found.states), caller, warnings);
  return made;
}

}  // namespace

void add_selection(nb::module_& m) {
  m.def("select", &selection, "hamiltonian"_a, "keys"_a, "callback"_a.none());
}
