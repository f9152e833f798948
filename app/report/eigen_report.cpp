#include "app/report/eigen_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <string>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/report/states/dipole_report.hpp"
#include "app/report/states/followed_report.hpp"
#include "app/report/states/state_table.hpp"
#include "app/report/states/verification_report.hpp"

namespace cisolve {
namespace {

void add_checkpoint(Json& json, const RunConfig& config, const CheckpointFacts& facts) {
  if (!config.checkpoint.file.empty()) {
    json["checkpoint"] = {{"written", facts.written}, {"seconds", facts.seconds}};
  }
  if (!config.solver.restart.empty()) {
    json["restart"] = {{"iterations", facts.iterations},
                       {"operator_applications", facts.operator_applications},
                       {"probe_applications", facts.probe_applications},
                       {"seconds", facts.seconds_before}};
  }
}

void add_reference(Json& json, const EigenAnalysis& analysis) {
  json["reference"] = {{"occupation", analysis.reference_occupation},
                       {"energy", or_null(analysis.reference_energy)},
                       {"irrep", or_null(analysis.reference_irrep)},
                       {"multiplicity", or_null(analysis.reference_multiplicity)}};
  const Correlation& correlation = analysis.correlation;
  json["correlation_energy"] = or_null(correlation.energy);
  json["correlation_state"] = correlation.energy ? Json(correlation.state + 1) : Json(nullptr);
  if (!correlation.energy) json["correlation_reason"] = correlation.reason;
}

void print_reference(std::ostream& out, const EigenAnalysis& analysis, Units units) {
  const Correlation& correlation = analysis.correlation;
  out << fmt::format("\nreference   {}", analysis.reference_occupation);
  if (analysis.reference_energy) {
    out << ", " << decimals(*analysis.reference_energy, 0, 10) << after_number(units);
  }
  if (!correlation.energy) {
    out << "; no correlation energy: " << correlation.reason << '\n';
    return;
  }
  out << fmt::format(
      "; correlation energy {}{}\n", decimals(*correlation.energy, 0, 10),
      correlation.state == 0 ? "" : fmt::format(" of state {}", correlation.state + 1));
}

void print_state(std::ostream& out, const EigenAnalysis& analysis, std::size_t i) {
  const StateAnalysis& state = analysis.states[i];
  if (state.leading.empty() && state.rank_weights.empty()) return;
  out << fmt::format("\nstate {}{}\n", i + 1, state.irrep ? ", irrep " + state.irrep_name : "");
  for (const LeadingRow& row : state.leading) {
    const std::string name =
        row.occupation.empty() ? fmt::format("row {}", row.row + 1) : row.occupation;
    std::string components;
    for (const double one : row.components) components += fmt::format(" {:9.6f}", one);
    out << fmt::format("  {:9.6f}  {}{}{}\n", row.coefficient, name,
                       analysis.determinants ? "  " + row.excitation : "",
                       components.empty() ? "" : "  (" + components.substr(1) + ")");
  }
  const auto print_list = [&](const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    out << "  " << name << " ";
    for (const double value : values) out << " " << decimals(value, 0, 4);
    out << "\n";
  };
  print_list("weights of ranks 0, 1, ...", state.rank_weights);
  print_list("natural occupations       ", state.natural_occupations);
  if (state.nucleons) {
    out << "  nucleons in orbits         ";
    for (const auto& [orbit, number] : state.nucleons->orbit_occupations) {
      out << (&orbit == &state.nucleons->orbit_occupations.front().first ? " " : ", ") << orbit
          << ' ' << decimals(number, 0, 4);
    }
    out << "\n";
  }
}

void print_states(std::ostream& out, const EigenOutcome& outcome, bool lowest_known) {
  const EigenAnalysis& analysis = outcome.analysis;
  print_state_table(out, outcome, lowest_known);
  if (analysis.determinants) print_reference(out, analysis, outcome.facts.units);
  for (std::size_t i = 0; i < analysis.states.size(); ++i) print_state(out, analysis, i);
  if (outcome.dipole) print_dipoles(out, outcome);
  if (!outcome.followed.empty()) print_followed(out, outcome.followed);
  for (const std::string& note : analysis.notes) out << "\n" << note << "\n";
}

Json history_json(const EigenHistory& history) {
  Json list = Json::array();
  for (const EigenHistory::Entry& entry : history.entries()) {
    list.push_back({{"iteration", entry.iteration},
                    {"operator_applications", entry.operator_applications},
                    {"seconds", entry.seconds},
                    {"energies", entry.energies},
                    {"residual_norms", entry.residual_norms}});
  }
  return list;
}

}  // namespace

Json eigen_json(const RunConfig& config, const EigenOutcome& outcome) {
  const RunFacts& facts = outcome.facts;
  const EigenResult& result = outcome.result;
  const EigenAnalysis& analysis = outcome.analysis;
  Json json;
  json["status"] = to_string(result.status);
  json["summary"] = status_text(result);
  json["states"] = states_json(outcome);
  if (outcome.dipole) json["transitions"] = transitions_json(outcome);
  if (!outcome.followed.empty()) json["followed"] = followed_json(outcome.followed);
  if (analysis.determinants) add_reference(json, analysis);
  json["operator_applications"] = result.operator_applications;
  json["probe_applications"] = result.probe_applications;
  json["inner_applications"] = result.inner_applications;
  json["verified"] = result.verified;
  json["verification"] = verification_json(config, outcome);
  json["sectors"] = result.sector_sizes;
  json["attainable_residual"] = result.attainable_residual;
  json["tolerance"] = result.tolerance;
  json["energy_tolerance"] = result.energy_tolerance;
  json["scale"] = result.scale;
  if (facts.multiplicity) json["multiplicity_requested"] = *facts.multiplicity;
  json["iterations"] = result.iterations;
  json["history"] = history_json(outcome.history);
  if (result.single_precision_iterations > 0) {
    json["single_precision_iterations"] = result.single_precision_iterations;
  }
  if (const EngineFacts& engine = facts.engine; !engine.name.empty()) {
    json["engine"] = {{"name", engine.name},
                      {"iterations", engine.iterations},
                      {"operator_applications", engine.operator_applications},
                      {"seconds", engine.seconds},
                      {"product_seconds", engine.product_seconds}};
  }
  add_checkpoint(json, config, facts.checkpoint);
  add_facts(json, config, facts);
  return json;
}

void print_eigen(std::ostream& out, const RunConfig& config, const EigenOutcome& outcome) {
  const RunFacts& facts = outcome.facts;
  const EigenResult& result = outcome.result;
  print_states(out, outcome, config.solves == 1);
  out << fmt::format("\nstatus      {}\n", status_text(result));
  out << fmt::format("lower       {}\n", exclusion_text(config, outcome));
  if (facts.units == Units::none) {
    out << fmt::format("scale       {:g}, the typical size of a row; tolerance {:g}\n",
                       result.scale, result.tolerance);
  }
  const auto also = [](const char* of, std::int64_t n, const char* where) {
    return n > 0 ? of + std::to_string(n) + where : "";
  };
  out << fmt::format(
      "iterations  {}, with {} products{}; products took {:.2f} s{}\n", result.iterations,
      result.operator_applications,
      also(", and ", result.probe_applications, " in the search for lower states"),
      result.product_seconds,
      also(", corrections ", result.inner_applications, " over the selected determinants"));
  if (const EngineFacts& engine = facts.engine; !engine.name.empty()) {
    out << fmt::format("engine      {}: {} iterations and {} products of these; it took {:.2f} s\n",
                       engine.name, engine.iterations, engine.operator_applications,
                       engine.seconds);
  }
  const CheckpointFacts& before = facts.checkpoint;
  if (before.iterations > 0) {
    out << fmt::format("restarted   after {} iterations, {} products; they took {:.2f} s\n",
                       before.iterations, before.operator_applications + before.probe_applications,
                       before.seconds_before);
  }
  if (before.written > 0) {
    out << fmt::format("checkpoint  written {} times; writing took {:.2f} s\n", before.written,
                       before.seconds);
  }
  print_facts(out, facts);
}

}  // namespace cisolve
