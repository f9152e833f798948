#include "app/report/states/dipole_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <optional>
#include <vector>

#include "app/config/units.hpp"
#include "app/report/states/state_table.hpp"

namespace cisolve {
namespace {

struct Transition {
  std::size_t from, to;  ///< states, from 0
  double energy;         ///< in the unit of energies
  SpaceVector dipole;
  std::optional<double> strength;
};

std::vector<Transition> transitions(const EigenOutcome& o) {
  const std::vector<double>& energies = o.result.energies;
  const std::size_t states = energies.size();
  std::vector<Transition> all;
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t j = i + 1; j < states; ++j) {
      Transition t{i, j, energies[j] - energies[i], (*o.dipole)[i * states + j], {}};
      if (o.facts.units != Units::none) {
        t.strength = oscillator_strength(in_hartree(t.energy, o.facts.units), t.dipole);
      }
      all.push_back(t);
    }
  }
  return all;
}

std::string components(const SpaceVector& dipole) {
  std::string text;
  for (const double component : dipole) text += "  " + decimals(component, 10, 6);
  return text;
}

double length(const SpaceVector& dipole) {
  return std::hypot(dipole[0], dipole[1], dipole[2]);
}

}  // namespace

Json transitions_json(const EigenOutcome& outcome) {
  Json list = Json::array();
  for (const Transition& t : transitions(outcome)) {
    list.push_back({{"from", t.from + 1},
                    {"to", t.to + 1},
                    {"energy", with_12_decimals(t.energy)},
                    {"dipole", t.dipole},
                    {"oscillator_strength", or_null(t.strength)}});
  }
  return list;
}

void print_dipoles(std::ostream& out, const EigenOutcome& outcome) {
  const std::size_t states = outcome.result.energies.size();
  out << "\nstate  dipole/(e Bohr):  x           y           z  |dipole|/D\n";
  for (std::size_t i = 0; i < states; ++i) {
    const SpaceVector& dipole = (*outcome.dipole)[i * states + i];
    out << fmt::format("{:5}{}  {}\n", i + 1, components(dipole),
                       decimals(debyes_per_e_bohr * length(dipole), 10, 6));
  }
  if (states < 2) return;
  out << "\n from     to  dipole/(e Bohr):  x           y           z  oscillator strength\n";
  for (const Transition& t : transitions(outcome)) {
    out << fmt::format("{:5}  {:5}{}  {}\n", t.from + 1, t.to + 1, components(t.dipole),
                       t.strength ? decimals(*t.strength, 19, 6) : "");
  }
}

}  // namespace cisolve
