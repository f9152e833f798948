#include "app/run/arrays_files.hpp"

#include <optional>

#include "app/run/molden_states.hpp"
#include "app/run/states_file.hpp"
#include "backends/ranks/world.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "hamiltonian/integrals/fcidump/write_fcidump.hpp"
#include "io/determinants/determinant_file.hpp"
#include "io/trexio/trexio_output.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

bool writes_arrays() {
  return world().ranks().first();
}
/// The file on the rank that writes; empty on the others.
std::filesystem::path if_written(const std::filesystem::path& file) {
  return writes_arrays() ? file : std::filesystem::path();
}

/// Throws InputError where there is no such format for what is solved.
void require_format(const ArraysOutput& output, const RunConfig& config) {
  const auto& [key, file, densities] = output;
  const auto refuse_if = [&](bool wrong, const char* reason) {
    if (wrong) throw InputError(std::string(key) + ": " + file.string() + reason);
  };
  const bool linear = config.task == Task::linear;
  refuse_if(linear && densities, ": densities are of eigenstates");
  refuse_if(linear && has_states(file),
            " would hold eigenstates; the solution of a linear system is written as .npy");
  refuse_if(densities && !has_states(file),
            ": expected a name that ends in .npz, .h5, .hdf5 or .trexio");
  if (!is_trexio_name(file)) return;
  refuse_if(!has_trexio(), ": this program is built without TREXIO (libtrexio)");
  refuse_if(densities && config.solver.states > 1,
            ": a TREXIO file has the densities of one state, and solver.states is more; .npz and "
            ".h5 have those of all");
}

void require_array_name(const std::filesystem::path& file) {
  const std::string extension = to_lower(file.extension().string());
  if (has_states(file) || extension.empty() || extension == ".npy") return;
  throw InputError("output.vectors: " + file.string() +
                   ": expected a name that ends in .npy, .npz, .h5, .hdf5 or .trexio");
}

/// Throws InputError where no list of determinants is written of that name or task.
void require_determinants_name(const RunConfig& config) {
  const std::filesystem::path& file = config.output.determinants;
  if (file.empty()) return;
  if (config.task == Task::linear) {
    throw InputError(
        "output.determinants: it has coefficients of an eigenstate, and the task is "
        "a linear system");
  }
  if (is_determinants_output(file)) return;
  throw InputError("output.determinants: " + file.string() +
                   ": expected a name that ends in .txt, .npz, .h5 or .hdf5");
}

}  // namespace

void require_formats(const RunConfig& config) {
  for (const ArraysOutput& output : arrays_outputs(config.output)) require_format(output, config);
}

void require_names(const RunConfig& config) {
  require_array_name(config.output.vectors);
  require_determinants_name(config);
  if (!config.output.fcidump.empty() && config.task != Task::select) {
    throw InputError(
        "output.fcidump: it has the natural orbitals of a selection, and the task is none");
  }
}

ArraysFiles::ArraysFiles(const RunConfig& config)
    : takes_part_(!writes_arrays() &&
                  !(config.output.vectors.empty() && config.output.determinants.empty())),
      vectors_(if_written(config.output.vectors)),
      determinants_(if_written(config.output.determinants)),
      rdm1_(if_written(config.output.rdm1)),
      rdm2_(if_written(config.output.rdm2)),
      rdm3_(if_written(config.output.rdm3)),
      fcidump_(if_written(config.output.fcidump)) {
  if (!writes_arrays()) return;
  for (const auto& file : molden_outputs(config)) molden_.push_back(output_file(file));
}

void ArraysFiles::write(const EigenOutcome& outcome, const std::function<HostMatrix()>& vectors) {
  if (takes_part_) vectors();
  try {
    write_states_of(outcome, vectors);
    write_densities_of(outcome);
  } catch (const std::exception&) {
    failure_ = std::current_exception();
  }
}

void ArraysFiles::write(const SelectionOutcome& outcome,
                        const std::function<HostMatrix()>& vectors) {
  try {  // it is small beside vectors
    write_integrals_of(outcome);
  } catch (const std::exception&) {
    failure_ = std::current_exception();
  }
  write(outcome.last, vectors);
}

void ArraysFiles::write(const LinearOutcome& outcome, const std::function<HostMatrix()>& vectors) {
  if (takes_part_) vectors();
  try {
    vectors_.write([&](const auto& path, const std::string& name) {
      write_npy(vectors(), path, name, outcome.facts.components);
    });
  } catch (const std::exception&) {
    failure_ = std::current_exception();
  }
}

void ArraysFiles::write_states_of(const EigenOutcome& outcome,
                                  const std::function<HostMatrix()>& vectors) {
  std::optional<HostMatrix> gathered;
  const auto x = [&]() -> const HostMatrix& {
    if (!gathered) gathered = vectors();
    return *gathered;
  };
  vectors_.write([&](const auto& path, const std::string& name) {
    if (has_states(name)) {
      write_states(outcome, x(), path, name);
    } else {
      write_npy(x(), path, name, outcome.components);
    }
  });
  determinants_.write([&](const auto& path, const std::string& name) {
    write_row_determinants(outcome, x(), path, name);
  });
}

void ArraysFiles::write_integrals_of(const SelectionOutcome& outcome) {
  if (outcome.natural) {
    fcidump_.write([&](const auto& path, const std::string& name) {
      write_fcidump(outcome.natural->integrals, path, name);
    });
  } else if (outcome.last.result.status == SolveStatus::converged) {
    fcidump_.fail("for no orbitals were rotated: the selection ended before");
  }
}

void ArraysFiles::write_densities_of(const EigenOutcome& outcome) {
  const auto& of_spins = outcome.densities;
  const auto& of_spinors = outcome.spinor_densities;
  const bool one = of_spins || of_spinors;
  const bool two = (of_spins && !of_spins->two.empty()) || (of_spinors && !of_spinors->two.empty());
  const bool asked = outcome.result.status == SolveStatus::converged;  // else there may be none
  if (!one && asked) {
    const std::string reason = "for there are no densities; the report's notes say why";
    rdm1_.fail(reason);
    rdm2_.fail(reason);
    rdm3_.fail(reason);
    if (!molden_.empty()) throw ResourceError("output.molden: not written, " + reason);
  }
  if (!one) return;
  rdm1_.write(
      [&](const auto& path, const std::string& name) { write_one_densities(outcome, path, name); });
  if (two) {
    rdm2_.write([&](const auto& path, const std::string& name) {
      write_two_densities(outcome, path, name);
    });
  }
  if (!outcome.three_particle.empty()) {
    rdm3_.write([&](const auto& path, const std::string& name) {
      write_three_densities(outcome, path, name);
    });
  } else if (asked) {
    rdm3_.fail("for there are no three-particle densities; the report's notes say why");
  }
  for (std::size_t i = 0; i < molden_.size(); ++i) {
    molden_[i]->write(molden_of_state(outcome, i));
  }
  if (!two && asked) {
    rdm2_.fail("for there are no two-particle densities; the report's notes say why");
  }
}

}  // namespace cisolve
