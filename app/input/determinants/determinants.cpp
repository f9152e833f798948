#include "app/input/determinants/determinants.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "app/config/irrep.hpp"
#include "app/input/determinants/listed_input.hpp"
#include "app/input/determinants/restricted_active_space.hpp"
#include "core/error.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"
#include "hamiltonian/integrals/rotate_orbitals.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

/// Determinants, or functions of the parity that is wanted: of those |ab⟩ and |ba⟩ make one, and
/// |aa⟩ is even. Throws InputError where there is no parity.
std::int64_t functions(SpinInversion parity, const Integrals& integrals, const CiSpace& space) {
  if (integrals.unrestricted) {
    throw InputError("input.spin_inversion: even and odd are of restricted orbitals; found " +
                     kind_of_orbitals(integrals));
  }
  if (space.alpha.strings != space.beta.strings) {
    throw InputError(
        "input.spin_inversion: even and odd are of as many alpha as beta electrons, M_s = 0");
  }
  std::int64_t own = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) own += space.row(a, a) >= 0 ? 1 : 0;
  const std::int64_t rows = (space.size() + (parity == SpinInversion::even ? own : -own)) / 2;
  if (rows == 0) throw InputError("input.spin_inversion: all functions of the space are even");
  if (rows > std::numeric_limits<Index>::max()) {
    throw InputError("input.spin_inversion: " + std::to_string(rows) +
                     " functions; expected at most 2147483647 (an irrep or fewer active orbitals "
                     "make fewer)");
  }
  return rows;
}

/// Throws InputError where a key chooses among determinants that are listed.
void refuse_choice(const InputConfig& config) {
  std::string key;
  if (config.space != Space::fci) key = "input.space";
  if (asks_for_ras(config)) key = "input.ras1, input.ras3";
  if (config.spin_inversion != SpinInversion::all) key = "input.spin_inversion";
  if (key.empty()) return;
  throw InputError(key + ": the determinants are listed, and this would choose others");
}

std::vector<int> from_zero(std::vector<int> orbitals) {
  for (int& orbital : orbitals) --orbital;
  return orbitals;
}

}  // namespace

std::string nucleon_key(const InputConfig& config) {
  if (config.protons) return "input.protons";
  if (config.neutrons) return "input.neutrons";
  if (config.twice_m) return "input.twice_m";
  return config.parity == NuclearParity::automatic ? "" : "input.parity";
}

Determinants::Determinants(Integrals integrals, const InputConfig& config, Log log)
    : config_(config), log_(std::move(log)) {
  if (const std::string key = nucleon_key(config_); !key.empty()) {
    throw InputError(key + ": of nucleons, and " + name() + " has electrons");
  }
  if (config_.symmetrize) {
    throw InputError("input.symmetrize: of matrices alone, and " + name() + " has integrals");
  }
  if (config_.point_group) set_point_group(*config_.point_group, integrals);
  integrals_ = std::make_shared<Integrals>(std::move(integrals));
  if (auto read = read_listed(config_, *integrals_)) {
    refuse_choice(config_);
    for (const std::string& sentence : read->notes) note(sentence);
    list_ = std::make_shared<const DeterminantList>(std::move(read->list));
  }
  for (const std::string& warning : integrals_->warnings) note(warning);
  if (config_.freeze > 0) freeze();
}

Determinants Determinants::of(const SpaceChoice& choice, Log log) const {
  Determinants made;
  made.config_ = config_;
  if (choice.irrep) made.config_.irrep = std::to_string(*choice.irrep);
  made.config_.spin_inversion = choice.spin_inversion.value_or(config_.spin_inversion);
  made.log_ = std::move(log);
  made.integrals_ = integrals_;
  if (choice.ms2 && *choice.ms2 != integrals_->ms2) {
    auto turned = std::make_shared<Integrals>(*integrals_);  // whose arrays are shared
    turned->ms2 = *choice.ms2;
    made.integrals_ = std::move(turned);
  }
  made.list_ = list_;
  made.notes_ = notes_;
  return made;
}

Determinants Determinants::over_orbitals(const HostMatrix& c, Log log) const {
  Determinants made;
  made.config_ = config_;
  made.log_ = std::move(log);
  made.integrals_ = std::make_shared<const Integrals>(rotated(*integrals_, c));
  made.notes_ = notes_;
  return made;
}

Determinants Determinants::over(std::shared_ptr<const AnySpace> list, Log log) const {
  Determinants made;
  made.config_ = config_;
  made.config_.spin_inversion = SpinInversion::all;
  made.log_ = std::move(log);
  made.integrals_ = integrals_;
  made.active_integrals_ = active_integrals_;
  made.space_ = std::move(list);
  made.notes_ = notes_;
  return made;
}

void Determinants::note(const std::string& sentence) {
  log_.warn(sentence);
  notes_.push_back(sentence);
}

void Determinants::freeze() {
  if (!config_.frozen.empty()) {
    throw InputError("input.freeze and input.frozen both say which orbitals are frozen");
  }
  if (config_.freeze > integrals_->orbitals) {
    throw InputError("input.freeze: " + std::to_string(config_.freeze) + " of " +
                     std::to_string(integrals_->orbitals) + " orbitals");
  }
  const auto energies = orbital_energies(*integrals_);
  const auto energy = [&](int p) { return 0.5 * (energies[alpha][p] + energies[beta][p]); };
  std::vector<int> order(static_cast<std::size_t>(integrals_->orbitals));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, energy);
  order.resize(static_cast<std::size_t>(config_.freeze));
  std::ranges::sort(order);
  std::string list;
  for (const int p : order) {
    config_.frozen.push_back(p + 1);
    list += fmt::format("{} {} ({:.4f})", list.empty() ? "" : ",", p + 1, energy(p));
  }
  const bool from_file = !integrals_->orbital_energies[alpha].empty();
  notes_.push_back(
      fmt::format("frozen: orbitals{}, by {}", list,
                  from_file ? "the file's orbital energies" : "the diagonal of the Fock operator"));
  log_.inform(notes_.back());
}

const Integrals& Determinants::active_integrals() const {
  if (!active_integrals_) {
    active_integrals_ = std::make_shared<Integrals>(
        restrict_orbitals(*integrals_, from_zero(config_.frozen), from_zero(config_.active)));
  }
  return *active_integrals_;
}

std::optional<RestrictedActiveSpace> Determinants::ras() const {
  if (!asks_for_ras(config_)) return {};
  electron_numbers(active_integrals());  // so that there are not more orbitals than bits
  return restricted_active_space(config_, frozen_and_active().second);
}

std::optional<int> Determinants::irrep() const {
  if (!config_.irrep) return {};
  return irrep_number(*config_.irrep, *integrals_);
}

AnySpace Determinants::made_space() const {
  if (list_) {
    const auto [frozen, active] = frozen_and_active();
    if (static_cast<int>(active.size()) == integrals_->orbitals) {
      return make_listed_space(active_integrals(), *list_, irrep());
    }
    return make_listed_space(active_integrals(),
                             active_strings(*list_, frozen, active, *integrals_), irrep());
  }
  CiSpaceOptions options{config_.space.rank, irrep()};
  if (config_.spin_inversion != SpinInversion::all) options.most *= 2;
  options.ras = ras();
  CiSpace made = make_ci_space(active_integrals(), options);
  if (options.ras) {
    made.notes.push_back(ras_text(config_, frozen_and_active().second) +
                         (made.alpha.full ? "; it excludes nothing: full CI" : ""));
  }
  return AnySpace(std::move(made));
}

const AnySpace& Determinants::space() const {
  if (space_) return *space_;
  auto made = std::make_shared<AnySpace>(made_space());
  const std::vector<std::string>& sentences = made->notes();
  for (const std::string& sentence : sentences) log_.inform(sentence);
  notes_.insert(notes_.end(), sentences.begin(), sentences.end());
  space_ = std::move(made);
  return *space_;
}

Index Determinants::rows() const {
  if (!rows_) rows_ = rows_of(config_.spin_inversion);
  return *rows_;
}

Index Determinants::rows_of(SpinInversion parity) const {
  const bool all = parity == SpinInversion::all;
  return static_cast<Index>(all ? space().size()
                                : functions(parity, active_integrals(), *ranges()));
}

void Determinants::require_stored() const {
  if (config_.spin_inversion == SpinInversion::all) return;
  throw InputError(
      "input.spin_inversion: of eigenstates by products without a matrix alone, and a matrix is "
      "asked for");
}

DeterminantLabels Determinants::labels() const {
  return {integrals_->orbitals, from_zero(config_.frozen), from_zero(config_.active),
          integrals_->general};
}

std::pair<std::vector<int>, std::vector<int>> Determinants::frozen_and_active() const {
  const std::vector<int> frozen = from_zero(config_.frozen);
  return {frozen, active_orbitals(integrals_->orbitals, frozen, from_zero(config_.active))};
}

}  // namespace cisolve
