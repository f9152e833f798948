#include "app/source.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "app/config_value.hpp"
#include "app/irrep.hpp"
#include "core/error.hpp"
#include "hamiltonian/fcidump.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

/// A matrix has no orbitals or electrons: whatever chooses among them would be ignored.
void refuse_determinant_keys(const InputConfig& config) {
  const InputConfig defaults;
  std::string key;
  if (config.electrons) key = "input.electrons";
  if (config.ms2) key = "input.ms2";
  if (config.irrep) key = "input.irrep";
  if (config.space != defaults.space) key = "input.space";
  if (!config.frozen.empty()) key = "input.frozen";
  if (!config.active.empty()) key = "input.active";
  if (config.allow_missing_diagonal) key = "input.allow_missing_diagonal";
  if (!key.empty()) {
    throw InputError(key + " chooses determinants, and " + config.file.string() +
                     " is a matrix; it needs an FCIDUMP file");
  }
}

std::optional<int> max_excitation(Space space) {
  switch (space) {
    case Space::fci:
      return std::nullopt;
    case Space::cis:
      return 1;
    case Space::cisd:
      return 2;
    case Space::cisdt:
      return 3;
    case Space::cisdtq:
      return 4;
  }
  return std::nullopt;
}

std::vector<int> from_zero(std::vector<int> orbitals) {
  for (int& orbital : orbitals) --orbital;
  return orbitals;
}

}  // namespace

HamiltonianSource::HamiltonianSource(const InputConfig& config) : config_(config) {
  if (config.file.empty()) throw InputError("input.file is required: no Hamiltonian is named");
  require_file(config.file);
  if (is_matrix_file(config.file)) {
    refuse_determinant_keys(config);
    matrix_ = read_matrix(config.file);
  } else if (looks_like_fcidump(config.file)) {
    integrals_ = std::make_unique<Integrals>(
        read_fcidump(config.file, {config.electrons, config.ms2, config.allow_missing_diagonal}));
    note(integrals_->warnings);
  } else {
    throw InputError(config.file.string() +
                     ": expected an FCIDUMP file, which opens with &FCI, or a matrix file with the "
                     "extension .mtx, .mtx.gz, .h5, .hdf5 or .npz");
  }
}

void HamiltonianSource::note(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    spdlog::warn("{}", sentence);
    notes_.push_back(sentence);
  }
}

const CsrMatrix& HamiltonianSource::outline() {
  if (is_fcidump() && !builder_) {
    CiSpaceOptions options{max_excitation(config_.space), {}};
    if (config_.irrep) options.irrep = irrep_number(*config_.irrep, *integrals_);
    active_integrals_ = std::make_unique<Integrals>(
        restrict_orbitals(*integrals_, from_zero(config_.frozen), from_zero(config_.active)));
    space_ = std::make_unique<CiSpace>(make_ci_space(*active_integrals_, options));
    for (const std::string& sentence : space_->notes) spdlog::info("{}", sentence);
    notes_.insert(notes_.end(), space_->notes.begin(), space_->notes.end());
    builder_ = std::make_unique<CiMatrixBuilder>(*active_integrals_, *space_);
    matrix_.rows = matrix_.columns = static_cast<Index>(space_->size());
    matrix_.row_offsets = builder_->count();
  }
  return matrix_;
}

CsrMatrix HamiltonianSource::take() {
  outline();
  if (!is_fcidump()) return std::move(matrix_);
  return builder_->fill(std::move(matrix_.row_offsets));
}

}  // namespace cisolve
