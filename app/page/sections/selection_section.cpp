#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/page/document.hpp"
#include "app/page/figures/limit_chart.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"

namespace cisolve {
namespace {

constexpr std::size_t most_states_of_a_list = 24;  // the JSON has all

/// "-0.0010168 ± 8.7e-06"; the value alone where it has no bar.
std::string with_bar(double value, double bar) {
  if (!std::isfinite(value)) return "";
  return bar > 0.0 ? fmt::format("{:.7f} ± {:.1e}", value, bar) : fmt::format("{:.10f}", value);
}

std::string limit_of(const Json& state) {
  const Json& limit = at(state, "extrapolated");
  return with_bar(number_at(limit, "energy"), number_at(limit, "uncertainty"));
}

/// "2 (was 3)" where it continues another one of the list before, "2 (new)" where it continues
/// none.
std::string state_of(const Json& state, std::size_t j) {
  std::string number = std::to_string(j + 1);
  if (!state.contains("continues")) return number;  // the first list
  const Json& before = at(state, "continues");
  if (before.is_null()) return number + " (new)";
  return before == j + 1 ? number : number + " (was " + before.dump() + ")";
}

std::string table_of_lists(const Json& steps, const std::string& unit) {
  Table table{
      "Energies in " + (unit.empty() ? "the unit of the integrals" : unit),
      {{"determinants"}, {"state"}, {"variational"}, {"correction"}, {"total"}, {"extrapolated"}},
      {}};
  for (const Json& step : steps) {
    const Json& states = at(step, "states");
    for (std::size_t j = 0; j < std::min(states.size(), most_states_of_a_list); ++j) {
      const Json& state = states[j];
      const double deviation = number_at(state, "deviation");
      table.rows.push_back({at(step, "determinants").dump(), state_of(state, j),
                            formatted("{:.10f}", number_at(state, "variational")),
                            with_bar(number_at(state, "correction"), deviation),
                            with_bar(number_at(state, "total"), deviation), limit_of(state)});
    }
  }
  return to_markup(table);
}

std::string table_of_work(const Json& steps, const std::string& unit) {
  Table table{"Work",
              {{"determinants"},
               {in_unit("epsilon", unit)},
               {"select / s"},
               {"solve / s"},
               {"correct / s"},
               {"converged", false}},
              {}};
  for (const Json& step : steps) {
    std::vector<std::string> row{at(step, "determinants").dump(),
                                 formatted("{:.1e}", number_at(step, "epsilon"))};
    for (const char* stage : {"select", "solve", "correct"}) {
      row.push_back(formatted("{:.2f}", number_at(at(step, "seconds"), stage)));
    }
    row.push_back(at(step, "converged") == true ? "yes" : "NO");
    table.rows.push_back(std::move(row));
  }
  return to_markup(table);
}

/// A state of the last list and the lists that its line goes through, energies above `zero` and all
/// numbers divided by `scale`.
LimitChart::Series series_of(const Json& steps, std::size_t j, double zero, double scale) {
  const Json& limit = at(at(steps.back(), "states")[j], "extrapolated");
  const auto lists = static_cast<std::size_t>(number_at(limit, "lists"));
  LimitChart::Series series{
      fmt::format("state {}: {}", j + 1, limit_of(at(steps.back(), "states")[j])), {}, {}, {}};
  for (std::size_t i = steps.size(); i-- > 0 && series.x.size() < lists;) {
    const Json& state = at(steps[i], "states")[j];
    series.x.push_back(number_at(state, "correction") / scale);
    series.y.push_back((number_at(state, "variational") - zero) / scale);
    const Json& before = at(state, "continues");
    if (before.is_null()) break;
    j = before.get<std::size_t>() - 1;
  }
  series.line = {(number_at(limit, "energy") - zero) / scale, number_at(limit, "slope"),
                 number_at(limit, "uncertainty") / scale};
  return series;
}

/// A picture of the states that have a limit; empty where none has.
std::string picture_of_limits(const Json& steps, const std::string& unit) {
  const Json& states = at(steps.back(), "states");
  double zero = std::numeric_limits<double>::infinity(), largest = 0.0;
  std::vector<std::size_t> shown;
  for (std::size_t j = 0; j < states.size(); ++j) {
    const Json& limit = at(states[j], "extrapolated");
    if (limit.is_null()) continue;
    shown.push_back(j);
    zero = std::min(zero, number_at(limit, "energy"));
    largest = std::max(largest, std::abs(number_at(states[j], "correction")));
  }
  if (shown.empty() || largest == 0.0) return "";
  const bool small = largest < 0.1;
  const double scale = small ? 1e-3 : 1.0;
  const std::string in = small ? (unit.empty() ? "10⁻³" : "10⁻³ " + unit) : unit;
  LimitChart chart{"Extrapolation",
                   in_unit("second-order correction", in),
                   in_unit("energy above lowest limit", in),
                   {}};
  for (const std::size_t j : shown) chart.series.push_back(series_of(steps, j, zero, scale));
  const std::string drawn = to_markup(chart);
  if (drawn.empty()) return "";
  return element("figure",
                 element("h3", xml_escaped(chart.title)) + "\n" + drawn +
                     element("figcaption",
                             "The lists that the lines go through, weighted by 1/correction², and "
                             "where these lead as the correction goes to zero, with a bar of the "
                             "uncertainty: an estimate, and no bound.")) +
         "\n";
}

}  // namespace

std::string selection_section(const Json& report) {
  const Json& steps = at(at(report, "selection"), "steps");
  if (steps.empty()) return "";
  const std::string unit = unit_of(report);
  const std::string ended = element(
      "p", xml_escaped("Ended: " + text_at(at(report, "selection"), "ended") +
                       ". Variational energies are upper bounds; nothing bounds the errors of the "
                       "others."));
  return ended + "\n" + table_of_lists(steps, unit) +
         rest_of(at(steps.back(), "states").size(), most_states_of_a_list, "states",
                 "the report as JSON") +
         picture_of_limits(steps, unit) + table_of_work(steps, unit);
}

}  // namespace cisolve
