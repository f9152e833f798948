#include "app/run/parts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "app/config/irrep.hpp"
#include "app/config/multiplicities.hpp"
#include "app/run/cheapest_space.hpp"
#include "app/solve/eigen/eigen.hpp"
#include "app/states/spin_projection.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// A part before its space is chosen: none of irreps or multiplicities where one serves all.
struct Asked {
  PartLabel part;
  std::optional<int> states;
};

/// The files that every part has for itself.
std::array<std::filesystem::path*, 9> own_files(RunConfig& config) {
  return {&config.output.vectors,  &config.output.determinants, &config.output.rdm1,
          &config.output.rdm2,     &config.output.rdm3,         &config.output.molden,
          &config.checkpoint.file, &config.solver.restart,      &config.input.follow};
}

bool asks_for_irreps(const RunConfig& config) {
  return config.input.irrep && is_kind_list(*config.input.irrep);
}

std::vector<Asked> asked_irreps(const RunConfig& config, const Integrals& integrals) {
  if (!asks_for_irreps(config)) return {{}};
  std::vector<Asked> asked;
  for (const CountedKind& one : irrep_list(*config.input.irrep)) {
    PartLabel part;
    part.irrep = irrep_number(one.kind, integrals);
    part.irrep_name = irrep_name(*part.irrep, integrals);
    const auto same = [&](const Asked& other) { return other.part.irrep == part.irrep; };
    if (std::ranges::any_of(asked, same)) {
      throw InputError("input.irrep: " + part.irrep_name + " is asked for twice");
    }
    asked.push_back({part, one.states});
  }
  return asked;
}

std::vector<Asked> asked_multiplicities(const RunConfig& config) {
  if (config.solver.multiplicities.empty()) return {{}};
  std::vector<Asked> asked;
  for (const auto& [multiplicity, states] : config.solver.multiplicities) {
    PartLabel part;
    part.multiplicity = multiplicity;
    const auto same = [&](const Asked& other) { return other.part.multiplicity == multiplicity; };
    if (std::ranges::any_of(asked, same)) {
      throw InputError("solver.multiplicity: " + std::to_string(multiplicity) +
                       " is asked for twice");
    }
    asked.push_back({part, states});
  }
  return asked;
}

bool all_have_numbers(const std::vector<Asked>& asked) {
  return std::ranges::all_of(asked, [](const Asked& one) { return one.states.has_value(); });
}
bool some_have_numbers(const std::vector<Asked>& asked) {
  return std::ranges::any_of(asked, [](const Asked& one) { return one.states.has_value(); });
}

/// Throws InputError where a number of states is said twice.
void require_one_number(const RunConfig& config, const std::vector<Asked>& irreps,
                        const std::vector<Asked>& multiplicities) {
  if (some_have_numbers(irreps) && some_have_numbers(multiplicities)) {
    throw InputError("solver.multiplicity: found " + multiplicities_text(config.solver) +
                     ", and input.irrep " + *config.input.irrep +
                     " has numbers of states, too; only one of them may");
  }
  if (config.solver.states == SolverConfig().states) return;
  const std::string found =
      "solver.states: found " + std::to_string(config.solver.states) + ", and ";
  if (all_have_numbers(irreps)) {
    throw InputError(found + "input.irrep " + *config.input.irrep +
                     " has a number of states for every irrep; leave one of them out");
  }
  if (all_have_numbers(multiplicities)) {
    throw InputError(found + "solver.multiplicity " + multiplicities_text(config.solver) +
                     " has a number of states for every multiplicity; leave one of them out");
  }
}

/// Throws InputError, which names the part where there are both, without as many states.
void require_states_of(const Model& model, const PartRun& run, const std::string& asked_by) {
  try {
    const auto over = model.of(run.space, Storage::full, {});
    if (requested_multiplicity(run.config, over->determinants(), over->nature())) return;
    require_states(run.config.solver.states, over->rows(), asked_by);
  } catch (const InputError& error) {
    if (!run.part.irrep || !run.part.multiplicity) throw;
    throw InputError(run.part.name() + ": " + error.what());
  }
}

RunConfig config_of(const RunConfig& config, const PartRun& run, std::optional<int> states) {
  RunConfig made = config;
  const auto& [part, space, own] = run;
  if (part.irrep) made.input.irrep = part.irrep_name;
  if (space.ms2) made.input.ms2 = space.ms2;
  if (space.spin_inversion) made.input.spin_inversion = *space.spin_inversion;
  if (part.multiplicity) made.solver.multiplicity = part.multiplicity;
  made.solver.multiplicities.clear();
  made.solver.states = states.value_or(config.solver.states);
  made.output.json.clear();
  made.output.html.clear();
  for (std::filesystem::path* file : own_files(made)) {
    if (!file->empty()) *file = part_of_file(*file, part.in_file_name());
  }
  require_in_range(made);
  return made;
}

}  // namespace

RunConfig without_own_files(RunConfig config) {
  for (std::filesystem::path* file : own_files(config)) file->clear();
  return config;
}

CommandFiles files_of_parts(const RunConfig& config, const std::vector<PartRun>& parts) {
  CommandFiles files = files_of_run(without_own_files(config));
  for (const PartRun& one : parts) files.of_solve(one.config);
  return files;
}

bool asks_for_parts(const RunConfig& config) {
  return config.task == Task::eigen &&
         (asks_for_irreps(config) || !config.solver.multiplicities.empty());
}

std::vector<PartRun> parts_of(const RunConfig& config, const Model& model, const Backend& backend) {
  const std::string key = asks_for_irreps(config) ? "input.irrep" : "solver.multiplicity";
  const Determinants& determinants = require_determinants(model, key);
  const auto irreps = asked_irreps(config, determinants.integrals());
  const auto multiplicities = asked_multiplicities(config);
  require_one_number(config, irreps, multiplicities);
  std::vector<PartRun> parts;
  for (const Asked& of_irrep : irreps) {
    for (const Asked& of_spin : multiplicities) {
      PartRun made{of_irrep.part, {of_irrep.part.irrep, {}, {}}, {}};
      made.part.multiplicity = of_spin.part.multiplicity;
      if (made.part.multiplicity) {
        made.space = cheapest_space(model, made.space, *made.part.multiplicity, config, backend);
      }
      made.part.ms2 = made.space.ms2.value_or(determinants.integrals().ms2);
      const Asked& counted = of_irrep.states ? of_irrep : of_spin;
      made.config = config_of(config, made, counted.states);
      made.config.solves = static_cast<int>(irreps.size() * multiplicities.size());
      require_states_of(model, made,
                        counted.states ? "input.irrep: " + made.part.irrep_name
                                       : "solver.states: " + made.part.name());
      parts.push_back(std::move(made));
    }
  }
  return parts;
}

void begin_anew_without_files(std::vector<PartRun>& parts, const Log& log) {
  const auto has_file = [](const PartRun& run) {
    return std::filesystem::exists(run.config.solver.restart);
  };
  if (std::ranges::none_of(parts, has_file)) return;
  for (PartRun& run : parts) {
    if (has_file(run)) continue;
    log.inform(run.part.name() + " begin anew: there is no " + run.config.solver.restart.string());
    run.config.solver.restart.clear();
  }
}

}  // namespace cisolve
