#include "app/report/states/state_table.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "app/config/multiplicities.hpp"

namespace cisolve {
namespace {

/// The unit of numbers with twelve decimals; the scale of a matrix without a unit.
double unit_of_decimals(const EigenOutcome& o) {
  return o.facts.units == Units::none ? o.result.scale : 1.0;
}

double excitation(const EigenOutcome& o, std::size_t i) {
  return o.result.energies[i] - o.result.energies[0];
}

Json leading_json(const std::vector<LeadingRow>& rows, bool determinants) {
  Json list = Json::array();
  for (const LeadingRow& row : rows) {
    list.push_back({{"row", row.row + 1}, {"coefficient", row.coefficient}});
    if (!row.components.empty()) list.back()["components"] = row.components;
    if (!row.occupation.empty()) list.back()["occupation"] = row.occupation;
    if (!determinants) continue;
    list.back()["excitation"] = row.excitation;
    list.back()["rank"] = row.excitation_rank;
  }
  return list;
}

bool analysed(const EigenOutcome& o) {
  return !o.analysis.states.empty();
}
bool analysed_determinants(const EigenOutcome& o) {
  return analysed(o) && o.analysis.determinants;
}
bool has_occupations(const EigenOutcome& o) {
  return analysed_determinants(o) ||
         (analysed(o) && o.analysis.states[0].spinor_density.size() > 0);
}
bool has_spins(const EigenOutcome& o) {
  return analysed(o) && o.analysis.states[0].s_squared;
}
/// States that were not analysed have the multiplicity that was asked for.
bool has_multiplicities(const EigenOutcome& o) {
  return has_spins(o) || (analysed(o) && o.analysis.states[0].multiplicity);
}

bool has_nucleons(const EigenOutcome& o) {
  return analysed(o) && o.analysis.states[0].nucleons;
}
/// J and parity: "5/2+".
std::string j_text(const EigenOutcome& o, std::size_t i) {
  const auto& state = o.analysis.states[i].nucleons;
  if (!state) return "    ";
  const auto twice_j = state->twice_j;
  if (!twice_j) return "mixed";
  return fmt::format("{:>4}", spin_text(*twice_j + 1) + (state->parity > 0 ? "+" : "-"));
}
/// Column from the analysis of nucleons.
template <class F>
StateColumn of_nucleons(const char* key, F value) {
  return {key,
          "",
          [=](const EigenOutcome& o, std::size_t i) {
            const auto& state = o.analysis.states[i].nucleons;
            return state ? Json(value(*state)) : Json();
          },
          {},
          has_nucleons};
}

// Columns of JSON alone, and of the table alone.
using There = std::function<bool(const EigenOutcome&)>;
StateColumn in_json(const char* key, decltype(StateColumn::value) value, There there = {}) {
  return {key, "", std::move(value), {}, std::move(there)};
}
StateColumn in_table(const char* heading, decltype(StateColumn::text) text, There there = {}) {
  return {"", heading, {}, std::move(text), std::move(there)};
}

StateColumn of_excitations(StateColumn column) {
  column.excitation = true;
  return column;
}

/// Column from the analysis of determinants.
template <class T>
StateColumn of_determinants(const char* key, T StateAnalysis::*member) {
  const auto value = [=](const EigenOutcome& o, std::size_t i) {
    return or_null(o.analysis.states[i].*member);
  };
  return in_json(key, value, analysed_determinants);
}

bool has_units(const EigenOutcome& o) {
  return o.facts.units != Units::none;
}
bool in_mev(const EigenOutcome& o) {
  return o.facts.units == Units::megaelectronvolt;
}
/// Excitations are read in eV and cm^-1.
bool of_electrons(const EigenOutcome& o) {
  return has_units(o) && !in_mev(o);
}
bool has_irreps(const EigenOutcome& o) {
  return std::ranges::any_of(o.analysis.states,
                             [](const StateAnalysis& state) { return state.irrep.has_value(); });
}

double excitation_ev(const EigenOutcome& o, std::size_t i) {
  return in_electronvolts(excitation(o, i), o.facts.units);
}
double excitation_cm1(const EigenOutcome& o, std::size_t i) {
  return in_wavenumbers(excitation(o, i), o.facts.units);
}

/// Number of a state's level, from 1: energies that follow within `width` of the scale.
int level(const EigenOutcome& o, std::size_t state) {
  constexpr double width = 1e-7;
  int number = 1;
  for (std::size_t i = 1; i <= state; ++i) {
    number += !(o.result.energies[i] - o.result.energies[i - 1] <= width * o.result.scale);
  }
  return number;
}
/// True if a level has several states.
bool has_degenerate_levels(const EigenOutcome& o) {
  const std::size_t count = o.result.energies.size();
  return count > 0 && level(o, count - 1) < static_cast<int>(count);
}

/// A number with so many decimals or, if these are too few for the matrix's scale, with so many
/// digits.
std::string number_text(double x, const EigenOutcome& o, int width, int count) {
  constexpr double small = 1e-2, large = 1e9;
  if (o.result.scale >= small && o.result.scale <= large) return decimals(x, width, count);
  return fmt::format("{:{}.{}e}", x, width, std::min(count, width - 8));
}

/// A column of the table alone: the energies where that is their unit.
StateColumn energies_in(Units units, const char* heading) {
  const auto text = [](const EigenOutcome& o, std::size_t i) {
    return "  " + number_text(o.result.energies[i], o, 22, 10);
  };
  return in_table(heading, text, [=](const EigenOutcome& o) { return o.facts.units == units; });
}

/// Energies and excitations.
std::vector<StateColumn> energy_columns() {
  using O = EigenOutcome;
  return {
      in_table("state", [](const O&, std::size_t i) { return fmt::format("{:5}", i + 1); }),
      in_json("energy",
              [](const O& o, std::size_t i) {
                return with_12_decimals(o.result.energies[i], unit_of_decimals(o));
              }),
      energies_in(Units::none, "              eigenvalue"),
      energies_in(Units::hartree, "  total energy / Hartree"),
      energies_in(Units::electronvolt, "       total energy / eV"),
      energies_in(Units::wavenumber, "    total energy / cm^-1"),
      energies_in(Units::megaelectronvolt, "      total energy / MeV"),
      in_json("excitation",
              [](const O& o, std::size_t i) {
                return with_12_decimals(excitation(o, i), unit_of_decimals(o));
              }),
      of_excitations(in_table(
          "     above first",
          [](const O& o, std::size_t i) { return "  " + number_text(excitation(o, i), o, 14, 8); },
          [](const O& o) { return !has_units(o); })),
      of_excitations(in_table(
          "  excitation / MeV",
          [](const O& o, std::size_t i) { return "  " + decimals(excitation(o, i), 16, 6); },
          in_mev)),
      in_json("excitation_ev",
              [](const O& o, std::size_t i) {
                return of_electrons(o) ? Json(excitation_ev(o, i)) : Json();
              }),
      of_excitations(in_table(
          "  excitation / eV",
          [](const O& o, std::size_t i) { return "  " + decimals(excitation_ev(o, i), 15, 6); },
          of_electrons)),
      in_json("excitation_cm1",
              [](const O& o, std::size_t i) {
                return of_electrons(o) ? Json(excitation_cm1(o, i)) : Json();
              }),
      of_excitations(in_table(
          "     / cm^-1",
          [](const O& o, std::size_t i) { return "  " + decimals(excitation_cm1(o, i), 10, 2); },
          of_electrons)),
      {"level", "  level", [](const O& o, std::size_t i) { return level(o, i); },
       [](const O& o, std::size_t i) { return fmt::format("  {:>5}", level(o, i)); },
       has_degenerate_levels},
  };
}

/// Irrep and spin, as the table has them.
std::vector<StateColumn> symmetry_columns() {
  using O = EigenOutcome;
  return {
      in_table(
          "  irrep",
          [](const O& o, std::size_t i) {
            const StateAnalysis& state = o.analysis.states[i];
            return fmt::format("  {:>5}", state.irrep ? state.irrep_name : "mixed");
          },
          has_irreps),
      in_table(
          "   2S+1",
          [](const O& o, std::size_t i) {
            const auto& m = o.analysis.states[i].multiplicity;
            if (!m && !o.analysis.states[i].s_squared) return std::string(7, ' ');
            return fmt::format("  {:>5}", m ? std::to_string(*m) : "mixed");
          },
          has_multiplicities),
      in_table(
          "     <S^2>",
          [](const O& o, std::size_t i) {
            const auto& s = o.analysis.states[i].s_squared;
            return s ? "  " + decimals(*s, 8, 5) : std::string(10, ' ');
          },
          has_spins),
      in_table(
          "     J", [](const O& o, std::size_t i) { return "  " + j_text(o, i); }, has_nucleons),
  };
}

/// Columns on the quality of a state.
std::vector<StateColumn> residual_columns() {
  using O = EigenOutcome;
  return {
      {"residual_norm", "  residual",
       [](const O& o, std::size_t i) { return o.result.residual_norms[i]; },
       [](const O& o, std::size_t i) {
         return fmt::format("  {:8.1e}", o.result.residual_norms[i]);
       }},
      in_json("energy_change",
              [](const O& o, std::size_t i) { return o.result.energy_changes[i]; }),
      {"converged", "  converged",
       [](const O& o, std::size_t i) { return static_cast<bool>(o.result.converged[i]); },
       [](const O& o, std::size_t i) { return o.result.converged[i] ? "  yes" : "  NO"; }},
  };
}

/// The analysis, in JSON alone.
std::vector<StateColumn> analysis_columns() {
  using O = EigenOutcome;
  return {
      of_determinants("irrep", &StateAnalysis::irrep),
      in_json(
          "irrep_name",
          [](const O& o, std::size_t i) {
            const StateAnalysis& state = o.analysis.states[i];
            return state.irrep ? Json(state.irrep_name) : Json(nullptr);
          },
          analysed_determinants),
      of_determinants("ms2", &StateAnalysis::ms2),
      of_determinants("s_squared", &StateAnalysis::s_squared),
      of_determinants("multiplicity", &StateAnalysis::multiplicity),
      of_determinants("spin_inversion", &StateAnalysis::spin_inversion),
      in_json(
          "rank_weights",
          [](const O& o, std::size_t i) { return o.analysis.states[i].rank_weights; },
          analysed_determinants),
      in_json(
          "natural_occupations",
          [](const O& o, std::size_t i) {
            const std::vector<double>& all = o.analysis.states[i].natural_occupations;
            return all.empty() ? Json() : Json(all);
          },
          has_occupations),
      in_json(
          "leading",
          [](const O& o, std::size_t i) {
            return leading_json(o.analysis.states[i].leading, o.analysis.determinants);
          },
          analysed),
      of_nucleons("twice_j", [](const NucleonState& s) { return or_null(s.twice_j); }),
      of_nucleons("j_squared", [](const NucleonState& s) { return s.j_squared; }),
      of_nucleons("parity", [](const NucleonState& s) { return s.parity; }),
      of_nucleons("orbit_occupations",
                  [](const NucleonState& s) {
                    Json occupations = Json::object();
                    for (const auto& [orbit, number] : s.orbit_occupations)
                      occupations[orbit] = number;
                    return occupations;
                  }),
      in_json(
          "dipole",
          [](const O& o, std::size_t i) { return (*o.dipole)[i * o.result.energies.size() + i]; },
          [](const O& o) { return o.dipole.has_value(); }),
      in_json("sector",
              [](const O& o, std::size_t i) {
                return o.result.sectors[i] < 0 ? Json() : Json(o.result.sectors[i]);
              }),
  };
}

const std::vector<StateColumn>& state_columns() {
  static const std::vector<StateColumn> columns = [] {
    std::vector<StateColumn> all;
    for (const auto part : {energy_columns, symmetry_columns, residual_columns, analysis_columns}) {
      std::ranges::move(part(), std::back_inserter(all));
    }
    return all;
  }();
  return columns;
}

bool is_there(const StateColumn& column, const EigenOutcome& outcome) {
  return !column.there || column.there(outcome);
}

}  // namespace

std::string decimals(double x, int width, int count) {
  std::string text = fmt::format("{:{}.{}f}", x, width, count);
  if (text.find_first_of("123456789ni") == text.npos) {  // of nan and inf too
    text = fmt::format("{:{}.{}f}", 0.0, width, count);
  }
  return text;
}

double with_12_decimals(double x, double unit) {
  const double scaled = x / unit * 1e12;
  return std::abs(scaled) < 0x1p53 ? std::round(scaled) / 1e12 * unit : x;
}

Json states_json(const EigenOutcome& outcome) {
  Json states = Json::array();
  for (std::size_t i = 0; i < outcome.result.energies.size(); ++i) {
    Json state;
    for (const StateColumn& column : state_columns()) {
      if (!column.key.empty() && is_there(column, outcome)) {
        state[column.key] = column.value(outcome, i);
      }
    }
    states.push_back(std::move(state));
  }
  return states;
}

void print_state_table(std::ostream& out, const EigenOutcome& outcome, bool lowest_known) {
  const auto line = [&](const auto& text) {
    for (const StateColumn& column : state_columns()) {
      if (column.excitation && !lowest_known) continue;
      if (!column.heading.empty() && is_there(column, outcome)) out << text(column);
    }
    out << '\n';
  };
  out << '\n';
  line([](const StateColumn& column) { return column.heading; });
  for (std::size_t i = 0; i < outcome.result.energies.size(); ++i) {
    line([&](const StateColumn& column) { return column.text(outcome, i); });
  }
}

}  // namespace cisolve
