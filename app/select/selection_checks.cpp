#include "app/select/selection_checks.hpp"

#include <string>

#include "core/error.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {

void refuse_file_orbitals(const RunConfig& config) {
  std::string key;
  if (!config.input.dipole.empty()) key = "input.dipole";
  if (!config.input.orbitals.empty()) key = "input.orbitals";
  if (!config.output.molden.empty()) key = "output.molden";
  if (!config.input.follow.empty()) key = "input.follow";
  for (const ArraysOutput& output : arrays_outputs(config.output)) {
    if (is_trexio_name(output.file)) key = output.key;
  }
  if (key.empty()) return;
  throw InputError(key + " is of the orbitals of " + config.input.file.string() +
                   ", and this selection is over natural ones (selection.natural); a second run "
                   "takes output.fcidump as its "
                   "input, and the rotation is in the files of output.vectors");
}

void require_consistent_selection(const RunConfig& config) {
  if (config.selection.determinants && config.selection.epsilon) {
    throw InputError("selection.determinants and selection.epsilon both say where to end");
  }
  const InputConfig defaults;
  std::string key;
  if (config.input.space != defaults.space) key = "input.space";
  if (!config.input.determinants.empty()) key = "input.determinants";
  if (!config.input.strings.empty()) key = "input.strings";
  if (config.input.listed) key = "input.determinants";
  if (!config.input.ras1.empty() || !config.input.ras3.empty()) key = "input.ras1, input.ras3";
  if (config.input.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (config.solver.chooses_multiplicity()) {
    throw InputError(
        "solver.multiplicity: lists are closed under an exchange of all spins, which tells even "
        "spins from odd ones alone; input.ms2 makes lower spins impossible");
  }
  if (!config.selection.natural && config.solver.restart.empty() &&
      !config.output.fcidump.empty()) {
    throw InputError("output.fcidump: found no selection.natural, which alone rotates orbitals");
  }
  if (config.selection.natural) refuse_file_orbitals(config);
  if (!key.empty()) {
    throw InputError(key + " chooses determinants, and the task is to select them");
  }
}

}  // namespace cisolve
