#include "app/report/parts_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "app/report/run_report.hpp"
#include "app/report/states/exchange_coupling.hpp"
#include "app/report/states/state_table.hpp"
#include "app/report/states/verification_report.hpp"

namespace cisolve {
namespace {

/// A state of a part, by the place of the part and its own there.
struct Place {
  std::size_t part, state;
};

/// Names for parts that differ in irreps, multiplicities or both.
struct PartWords {
  const char *parts, *state, *all, *each;
};
PartWords words_of(const PartLabel& part) {
  if (!part.multiplicity) return {"irreps", "state_of_irrep", "all irreps", "in each irrep"};
  if (!part.irrep) {
    return {"multiplicities", "state_of_multiplicity", "all multiplicities",
            "in each multiplicity"};
  }
  return {"parts", "state_of_part", "all irreps and multiplicities",
          "in each irrep and multiplicity"};
}

/// Places in order of energy; those without one last.
std::vector<Place> by_energy(const std::vector<PartReport>& parts) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < parts[i].outcome.result.energies.size(); ++j) {
      places.push_back({i, j});
    }
  }
  std::ranges::stable_sort(places, [&](const Place& a, const Place& b) {
    const double x = parts[a.part].outcome.result.energies[a.state];
    const double y = parts[b.part].outcome.result.energies[b.state];
    return x < y || (x == x && y != y);
  });
  return places;
}

/// Exclusion of all parts together: each part's statement has to hold.
void add_exclusion(const Exclusion& one, Exclusion& all) {
  all.gap = std::max(all.gap, one.gap);
  all.probability += one.probability;
  all.products += one.products;
  all.products_needed += one.products_needed;
  all.seconds += one.seconds;
  all.lower_exists = all.lower_exists || one.lower_exists;
  if (all.cut_short.empty()) all.cut_short = one.cut_short;
}

void add_seconds(const StageSeconds& one, StageSeconds& all) {
  for (const auto stage : {&StageSeconds::read, &StageSeconds::build, &StageSeconds::convert,
                           &StageSeconds::solve, &StageSeconds::analysis}) {
    all.*stage += one.*stage;
  }
}

void add_traffic(const Communicator::Traffic& one, Communicator::Traffic& all) {
  all.seconds += one.seconds;
  all.exchanges += one.exchanges;
  all.bytes += one.bytes;
}

/// Figures of the whole solve: numbers that hold for all, and sums.
void add_solve(const EigenOutcome& one, EigenOutcome& all) {
  EigenResult& result = all.result;
  if (result.status == SolveStatus::converged) result.status = one.result.status;
  result.verified = result.verified && one.result.verified;
  result.operator_applications += one.result.operator_applications;
  result.probe_applications += one.result.probe_applications;
  result.inner_applications += one.result.inner_applications;
  add_exclusion(one.result.exclusion, result.exclusion);
  add_seconds(one.facts.seconds, all.facts.seconds);
  result.tolerance = std::max(result.tolerance, one.result.tolerance);
  result.energy_tolerance = std::max(result.energy_tolerance, one.result.energy_tolerance);
  result.scale = std::max(result.scale, one.result.scale);
  all.facts.units = one.facts.units;
  all.facts.ranks = one.facts.ranks;
  all.facts.ranks_text = one.facts.ranks_text;
  add_traffic(one.facts.traffic, all.facts.traffic);
  add_traffic(one.facts.solve_traffic, all.facts.solve_traffic);
  for (const std::string& note : one.facts.notes) {
    if (std::ranges::find(all.facts.notes, note) == all.facts.notes.end()) {
      all.facts.notes.push_back(note);
    }
  }
}

void add_state(const PartReport& part, std::size_t j, EigenOutcome& all) {
  const EigenOutcome& one = part.outcome;
  all.result.energies.push_back(one.result.energies[j]);
  all.result.residual_norms.push_back(one.result.residual_norms[j]);
  all.result.energy_changes.push_back(one.result.energy_changes[j]);
  all.result.converged.push_back(one.result.converged[j]);
  all.result.sectors.push_back(one.result.sectors[j]);
  const bool known = j < one.analysis.states.size();
  all.analysis.states.push_back(known ? one.analysis.states[j] : StateAnalysis{});
  StateAnalysis& state = all.analysis.states.back();
  const auto& [irrep, irrep_name, multiplicity, ms2] = part.part;
  if (irrep) {
    state.irrep = irrep;
    state.irrep_name = irrep_name;
  }
  if (multiplicity) state.multiplicity = multiplicity;
}

/// Excitations of the joint states, which count from the lowest of all, for the states of a part.
void take_excitations(const Json& joint, const std::vector<Place>& places, std::size_t part,
                      Json& states) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].part != part) continue;
    for (const char* key : {"excitation", "excitation_ev", "excitation_cm1"}) {
      states[places[i].state][key] = joint[i][key];
    }
  }
}

std::string exclusion_of_each(const PartWords& words, const RunConfig& config,
                              const EigenOutcome& joint) {
  return words.each + (": " + exclusion_text(config, joint));
}

}  // namespace

EigenOutcome joined(const std::vector<PartReport>& parts) {
  EigenOutcome all;
  all.result.status = SolveStatus::converged;
  all.result.verified = true;
  all.result.exclusion.gap = all.result.exclusion.probability = 0.0;
  all.result.tolerance = all.result.energy_tolerance = all.result.scale = 0.0;
  all.analysis.determinants = true;
  for (const PartReport& one : parts) add_solve(one.outcome, all);
  // The parts' error probabilities add up, so all together may be less certain than each. The sum
  // rounds.
  EigenResult& result = all.result;
  result.verified =
      result.verified && result.exclusion.probability <= verified_probability * (1.0 + 1e-9);
  for (const auto& [i, j] : by_energy(parts)) add_state(parts[i], j, all);
  return all;
}

Json parts_json(const RunConfig& config, const EigenOutcome& joint,
                const std::vector<PartReport>& parts) {
  const PartWords words = words_of(parts.front().part);
  const EigenResult& result = joint.result;
  Json json;
  json["status"] = to_string(result.status);
  json["summary"] = status_text(result);
  json["states"] = states_json(joint);
  const std::vector<Place> places = by_energy(parts);
  for (std::size_t i = 0; i < places.size(); ++i) {
    json["states"][i][words.state] = places[i].state + 1;
  }
  json["operator_applications"] = result.operator_applications;
  json["probe_applications"] = result.probe_applications;
  json["inner_applications"] = result.inner_applications;
  json["verified"] = result.verified;
  json["tolerance"] = result.tolerance;
  json["energy_tolerance"] = result.energy_tolerance;
  json["scale"] = result.scale;
  json["verification"] = verification_json(config, joint);
  json["verification"]["summary"] = exclusion_of_each(words, config, joint);
  if (Json exchange = exchange_json(exchange_couplings(parts, result.status), joint.facts.units);
      !exchange.is_null()) {
    json["exchange_coupling"] = std::move(exchange);
  }
  json[words.parts] = Json::array();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartReport& one = parts[i];
    Json report = one.report;
    take_excitations(json["states"], places, i, report["states"]);
    report["name"] = one.part.name();
    if (one.part.irrep) {
      report["irrep"] = *one.part.irrep;
      report["irrep_name"] = one.part.irrep_name;
    }
    if (one.part.multiplicity) {
      report["multiplicity"] = *one.part.multiplicity;
      report["ms2"] = one.part.ms2;
    }
    json[words.parts].push_back(std::move(report));
  }
  add_run(json, config, joint.facts);
  return json;
}

void print_parts(std::ostream& out, const RunConfig& config, const EigenOutcome& joint,
                 const std::vector<PartReport>& parts) {
  const PartWords words = words_of(parts.front().part);
  out << '\n' << words.all;
  if (parts.size() > 1) out << "; excitations are from the lowest of all states";
  out << '\n';
  print_state_table(out, joint);
  print_exchange(out, exchange_couplings(parts, joint.result.status), joint.facts.units);
  out << fmt::format("\nstatus      {}\n", status_text(joint.result));
  out << fmt::format("lower       {}\n", exclusion_of_each(words, config, joint));
  out << "seconds     " << seconds_text(joint.facts.seconds) << '\n';
}

}  // namespace cisolve
