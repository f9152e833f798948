#include <cmath>
#include <string>
#include <vector>

#include "app/config/units.hpp"
#include "app/page/document.hpp"
#include "app/page/sections/sections.hpp"

namespace cisolve {
namespace {

// A page shows so many; the JSON has all.
constexpr std::size_t most_states = 60, most_transitions = 120;

const char* const decimals = "{:.6f}";
const std::vector<Table::Column> moment_columns = {{"x / e Bohr"}, {"y / e Bohr"}, {"z / e Bohr"}};

/// x, y, z, or nothing of what is none.
std::vector<double> moment_of(const Json& json) {
  std::vector<double> components;
  for (const Json& component : at(json, "dipole")) {
    components.push_back(component.is_number() ? component.get<double>() : NAN);
  }
  return components.size() == 3 ? components : std::vector<double>();
}

void add_moment(const std::vector<double>& moment, std::vector<std::string>& row) {
  for (const double component : moment) {
    row.push_back(formatted(decimals, std::abs(component) < 5e-7 ? 0.0 : component));
  }
}

Table with_moments(const char* caption, std::vector<Table::Column> first,
                   std::vector<Table::Column> last) {
  first.insert(first.end(), moment_columns.begin(), moment_columns.end());
  first.insert(first.end(), last.begin(), last.end());
  return {caption, std::move(first), {}};
}

std::string of_states(const Json& states) {
  Table table = with_moments("Of the states", {{"state"}}, {{"|μ| / Debye"}});
  for (std::size_t i = 0; i < states.size() && i < most_states; ++i) {
    const std::vector<double> moment = moment_of(states[i]);
    if (moment.empty()) continue;
    std::vector<std::string> row{std::to_string(i + 1)};
    add_moment(moment, row);
    row.push_back(
        formatted(decimals, debyes_per_e_bohr * std::hypot(moment[0], moment[1], moment[2])));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? "" : to_markup(table);
}

std::string of_transitions(const Json& transitions, const std::string& unit) {
  Table table = with_moments("Between states", {{"from"}, {"to"}, {in_unit("energy", unit)}},
                             {{"oscillator strength"}});
  for (const Json& transition : transitions) {
    const std::vector<double> moment = moment_of(transition);
    if (moment.empty()) continue;
    if (table.rows.size() == most_transitions) break;
    std::vector<std::string> row{at(transition, "from").dump(), at(transition, "to").dump(),
                                 formatted(decimals, number_at(transition, "energy"))};
    add_moment(moment, row);
    row.push_back(formatted(decimals, number_at(transition, "oscillator_strength")));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? "" : to_markup(table);
}

}  // namespace

std::string dipole_section(const Json& report) {
  const Json& states = at(report, "states");
  const Json& transitions = at(report, "transitions");
  const std::string moments = of_states(states);
  if (moments.empty()) return "";
  const char* const report_as_json = "the report as JSON";
  return moments + rest_of(states.size(), most_states, "states", report_as_json) +
         of_transitions(transitions, unit_of(report)) +
         rest_of(transitions.size(), most_transitions, "transitions", report_as_json);
}

}  // namespace cisolve
