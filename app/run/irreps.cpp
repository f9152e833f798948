#include "app/run/irreps.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "app/config/irrep.hpp"
#include "app/solve/eigen.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// Of a file name: A' and A'' without what a shell takes for a quote.
std::string in_file_name(std::string irrep) {
  std::ranges::replace(irrep, '\'', 'p');
  return irrep;
}

/// The files that every irrep has for itself.
std::array<std::filesystem::path*, 8> own_files(RunConfig& config) {
  return {&config.output.vectors, &config.output.determinants, &config.output.rdm1,
          &config.output.rdm2,    &config.output.molden,       &config.checkpoint.file,
          &config.solver.restart, &config.input.follow};
}

RunConfig config_of(const RunConfig& config, const IrrepStates& one, const std::string& name) {
  RunConfig made = config;
  made.input.irrep = one.irrep;
  made.solver.states = one.states.value_or(config.solver.states);
  made.output.json.clear();
  made.output.html.clear();
  for (std::filesystem::path* file : own_files(made)) {
    if (!file->empty()) *file = part_of_file(*file, in_file_name(name));
  }
  require_in_range(made);
  return made;
}

}  // namespace

RunConfig without_own_files(RunConfig config) {
  for (std::filesystem::path* file : own_files(config)) file->clear();
  return config;
}

bool asks_for_irreps(const RunConfig& config) {
  return config.task == Task::eigen && config.input.irrep && is_irrep_list(*config.input.irrep);
}

std::vector<IrrepRun> runs_by_irrep(const RunConfig& config, const Model& model) {
  const Integrals& integrals = require_determinants(model, "input.irrep").integrals();
  std::vector<IrrepRun> runs;
  const std::vector<IrrepStates> list = irrep_list(*config.input.irrep);
  const bool all_numbered =
      std::ranges::all_of(list, [](const IrrepStates& one) { return one.states.has_value(); });
  if (all_numbered && config.solver.states != SolverConfig().states) {
    throw InputError("solver.states: found " + std::to_string(config.solver.states) +
                     ", and input.irrep " + *config.input.irrep +
                     " has a number of states for every irrep; leave one of them out");
  }
  for (const IrrepStates& one : list) {
    const int irrep = irrep_number(one.irrep, integrals);
    const std::string name = irrep_name(irrep, integrals);
    const auto same = [&](const IrrepRun& run) { return run.irrep == irrep; };
    if (std::ranges::any_of(runs, same)) {
      throw InputError("input.irrep: " + name + " is asked for twice");
    }
    const Index rows = model.of_irrep(irrep, Storage::full, {})->rows();
    require_states(one.states.value_or(config.solver.states), rows,
                   one.states ? "input.irrep: " + name : "solver.states: irrep " + name);
    runs.push_back({irrep, name, config_of(config, one, name)});
    runs.back().config.solves = static_cast<int>(list.size());
  }
  return runs;
}

}  // namespace cisolve
