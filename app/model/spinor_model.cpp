#include "app/model/spinor_model.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/model/spinor_orbitals.hpp"
#include "app/ways/direct/spinor_way.hpp"
#include "app/ways/stored/host_way.hpp"
#include "core/error.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/kramers/kramers.hpp"
#include "hamiltonian/spinor/restrict_spinors.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"
#include "hamiltonian/spinor/spinor_nonzeros.hpp"

namespace cisolve {
namespace {

/// The integrals over active spinors. Throws InputError on keys that would be ignored, or are of
/// spatial orbitals.
SpinorIntegrals with_keys_of(SpinorIntegrals integrals, const InputConfig& config) {
  const InputConfig defaults;
  std::string key;
  if (config.ms2) key = "input.ms2";
  if (config.irrep) key = "input.irrep";
  if (config.point_group) key = "input.point_group";
  if (config.orbsym != defaults.orbsym) key = "input.orbsym";
  if (config.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (!config.strings.empty()) key = "input.strings";
  const bool listed = !config.determinants.empty() || config.listed;
  if (listed && !(config.frozen.empty() && config.active.empty())) key = "input.frozen";
  if (config.freeze != 0) key = "input.freeze";
  if (key.empty()) {
    if (config.frozen.empty() && config.active.empty()) return integrals;
    return restrict_spinors(std::move(integrals), from_zero(config.frozen),
                            from_zero(config.active));
  }
  throw InputError(key + ": not of spinors, over which the integrals of " + config.file.string() +
                   " are solved");
}

/// Notes are those of the spinors, whose integrals the real ones stand for.
Integrals told_by(const SpinorIntegrals& spinors) {
  Integrals real = diagonal_integrals(spinors);
  real.warnings = spinors.warnings;
  return real;
}

/// Takes the mean over time reversal where that makes pairs of states and is wanted. Returns the
/// deviation before that; infinite of an even number of electrons.
double average(SpinorIntegrals& integrals, Kramers wanted) {
  constexpr double rounding = 1e-14;
  if (integrals.electrons % 2 == 0) return std::numeric_limits<double>::infinity();
  const double deviation = kramers_deviation(integrals);
  if (deviation > kramers_zero) return deviation;
  integrals.warnings.emplace_back(
      "The spinors are Kramers pairs and the electrons odd in number: every level has an even "
      "number of states.");
  if (wanted == Kramers::off || deviation == 0.0) return deviation;
  time_average(integrals);
  if (deviation > rounding) {
    integrals.warnings.push_back(fmt::format(
        "Integrals and those turned round in time differ by up to {:.1e} of the largest, and their "
        "mean is taken: a level is the mean of the two that it would split into (input.kramers off "
        "takes them as they are).",
        deviation));
  }
  return deviation;
}

}  // namespace

SpinorModel::SpinorModel(SpinorIntegrals integrals, const InputConfig& config, Units units,
                         Storage storage, const Log& log)
    : units_(units),
      log_(log),
      frozen_(from_zero(config.frozen)),
      active_(from_zero(config.active)),
      file_spinors_(integrals.spinors),
      integrals_(with_keys_of(std::move(integrals), config)),
      kramers_deviation_(average(integrals_, config.kramers)),
      determinants_(told_by(integrals_), over_active_spinors(config, file_spinors_), log),
      matrix_(determinants_, storage, log,
              [this](const AnySpace& space, Storage held) -> std::unique_ptr<const MatrixBuilder> {
                return std::make_unique<SpinorMatrixBuilder>(integrals_, space.alpha(), held);
              },
              {.components = 2, .fewest = [this] {
                 return fewest_nonzeros(integrals_, determinants_.space().alpha());
               }}) {}

/// Occupation of the file's spinors.
std::string SpinorModel::row_name(std::int64_t row) const {
  const std::string active =
      determinants_.labels().occupation(determinants_.space().determinant(static_cast<Index>(row)));
  std::string name(file_spinors_, '0');
  for (const int p : frozen_) name[p] = '1';
  auto occupied = active.begin();
  for (int p = 0; p < file_spinors_ && occupied != active.end(); ++p) {
    const bool is_active = active_.empty() ? name[p] == '0' : std::ranges::count(active_, p) > 0;
    if (is_active) name[p] = *occupied++;
  }
  return name;
}

std::unique_ptr<KramersModel> SpinorModel::over_kramers_pairs(const RunConfig& config) {
  if (config.input.kramers == Kramers::off) return nullptr;
  std::string why_not;
  auto pairs = kramers_pairs(config, why_not);
  if (pairs) {
    return std::make_unique<KramersModel>(*this, determinants_, integrals_, std::move(*pairs),
                                          log_);
  }
  if (config.input.kramers == Kramers::on) throw InputError("input.kramers: on, but " + why_not);
  return nullptr;
}

std::optional<KramersPairs> SpinorModel::kramers_pairs(const RunConfig& config,
                                                       std::string& why_not) const {
  const SpmvConfig& spmv = config.spmv;
  if (integrals_.electrons % 2 == 0) {
    why_not = fmt::format("{} electrons are even in number: time reversal makes no pairs of states",
                          integrals_.electrons);
  } else if (integrals_.spinors % 2 != 0) {
    why_not = fmt::format("{} active spinors are odd in number", integrals_.spinors);
  } else if (kramers_deviation_ > kramers_zero) {
    why_not = fmt::format(
        "spinors 1 and 2, 3 and 4 ... are no Kramers pairs: integrals and those turned round in "
        "time differ by {:.1e} of the largest, expected at most {:.0e}",
        kramers_deviation_, kramers_zero);
  } else if (const Format& format = find_format(first_format(spmv.format)); format.symmetric) {
    why_not = "format " + spmv.format + " has half of a square matrix, and theirs is not square";
  } else if (format.components < 2) {
    why_not = "format " + spmv.format + " holds no complex numbers";
  } else {
    auto pairs = KramersPairs::of(determinants_.space().alpha());
    if (!pairs) why_not = "the determinants lack some that time reversal makes of them";
    return pairs;
  }
  return {};
}

std::vector<Way> SpinorModel::ways() {
  return {spinor_way(integrals_, determinants_), host_way(matrix_, nullptr)};
}

}  // namespace cisolve
