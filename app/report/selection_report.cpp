#include "app/report/selection_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <string>

#include "app/report/eigen_report.hpp"

namespace cisolve {
namespace {

Json limit_json(const std::optional<Extrapolation>& limit) {
  if (!limit) return nullptr;
  return {{"energy", limit->energy},
          {"uncertainty", limit->uncertainty},
          {"lists", limit->points},
          {"slope", limit->slope}};
}

/// Energies of a state: within the list, with what is outside, and where both lead. `continues`,
/// but of the first list: the state of the one before that it continues, from 1; null: none.
Json state_json(const SelectionStep& step, std::size_t j) {
  Json json = {{"variational", step.energies[j]},
               {"correction", step.correction.energies[j]},
               {"deviation", step.correction.deviations[j]},
               {"total", step.energies[j] + step.correction.energies[j]},
               {"extrapolated", limit_json(step.limits[j])}};
  if (step.continues.empty()) return json;
  const int before = step.continues[j];
  json["continues"] = before < 0 ? Json() : Json(before + 1);
  return json;
}

Json step_json(const SelectionStep& step) {
  Json json = {{"determinants", step.determinants},
               {"epsilon", step.epsilon},
               {"converged", step.converged},
               {"natural", step.natural},
               {"states", Json::array()}};
  for (std::size_t j = 0; j < step.limits.size(); ++j)
    json["states"].push_back(state_json(step, j));
  json["external_strings"] = {{"reached", step.correction.targets},
                              {"summed", step.correction.summed}};
  json["seconds"] = {{"select", step.seconds.select},
                     {"solve", step.seconds.solve},
                     {"correct", step.seconds.correct}};
  return json;
}

/// "-75.7285(3)": the digits that are known.
std::string with_uncertainty(double value, double uncertainty) {
  if (!(uncertainty > 1e-10)) return fmt::format("{:.10f}", value);
  int digits = 0;
  double unit = 1.0;
  while (uncertainty / unit < 2.0 && digits < 10) {
    unit *= 0.1;
    ++digits;
  }
  return fmt::format("{:.{}f}({:.0f})", value, digits, uncertainty / unit);
}

}  // namespace

Json selection_json(const RunConfig& config, const SelectionOutcome& outcome) {
  Json json = eigen_json(config, outcome.last);
  Json& selection = json["selection"];
  selection["ended"] = outcome.ended;
  selection["complete"] = outcome.complete;
  selection["notes"] = outcome.notes;
  selection["natural"] = outcome.natural.has_value();
  selection["steps"] = Json::array();
  for (const SelectionStep& step : outcome.steps) selection["steps"].push_back(step_json(step));
  return json;
}

void print_selection_step(std::ostream& out, const SelectionStep& step, bool first) {
  if (first) {
    out << "determinants   epsilon  state        variational           corrected         "
           "extrapolated   select    solve  correct\n";
  }
  for (std::size_t j = 0; j < step.limits.size(); ++j) {
    const std::string list = j == 0 ? fmt::format("{:12}  {:8.1e}", step.determinants, step.epsilon)
                                    : std::string(22, ' ');
    const double total = step.energies[j] + step.correction.energies[j];
    const auto& limit = step.limits[j];
    out << fmt::format("{}  {:5}  {:17.10f}  {:>18}  {:>19}", list, j + 1, step.energies[j],
                       with_uncertainty(total, step.correction.deviations[j]),
                       limit ? with_uncertainty(limit->energy, limit->uncertainty) : "");
    if (j == 0) {
      out << fmt::format("  {:7.2f}  {:7.2f}  {:7.2f}", step.seconds.select, step.seconds.solve,
                         step.seconds.correct);
    }
    out << std::endl;
  }
}

void print_selection(std::ostream& out, const RunConfig& config, const SelectionOutcome& outcome) {
  print_eigen(out, config, outcome.last);
  out << "\nselection   ended: " << outcome.ended << '\n';
  if (outcome.complete && outcome.last.result.status == SolveStatus::converged) {
    out << "            nothing outside couples to the states above\n";
    return;
  }
  if (outcome.steps.empty()) return;
  out << "            the energies above are within the list and upper bounds; with what is "
         "outside, to second\n            order, and as lists grow (nothing bounds the error of "
         "either):\n";
  print_selection_step(out, outcome.steps.back(), true);
}

}  // namespace cisolve
