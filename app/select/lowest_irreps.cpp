#include "app/select/lowest_irreps.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/config/irrep.hpp"
#include "core/error.hpp"
#include "hamiltonian/select/correction.hpp"
#include "hamiltonian/space/space_shape.hpp"
#include "hamiltonian/states/irrep_weights.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t of_each = 400;  ///< determinants
constexpr double near_enough = 1e-4;   ///< Hartree, deviation of corrections

/// Irreps that excitations lead to from those of the list; none where orbitals have none.
std::set<int> reachable_irreps(const ListedSpace& list, const Integrals& integrals) {
  const std::optional<int> first = irrep_of(list.determinant(0), integrals);
  if (!first) return {};
  std::set<int> found{*first};
  for (const std::vector<int>& labels : integrals.orbital_irreps) {
    for (const int label : labels) {
      const int step = irrep_product(label, labels[0]);
      const std::set<int> before = found;
      for (const int irrep : before) found.insert(irrep_product(irrep, step));
    }
  }
  return found;
}

/// A list of one irrep and its states.
struct Scout {
  int irrep = 0;
  std::unique_ptr<GrowingStates> states;
  std::vector<double> energies;  ///< to second order; none: it was cancelled
};

std::shared_ptr<const AnySpace> united(const std::vector<Scout>& lists) {
  std::vector<OrbitalString> alphas, betas;
  for (const Scout& one : lists) {
    const ListedSpace& list = *one.states->space()->of_list();
    for (std::int64_t row = 0; row < list.size(); ++row) {
      const Determinant determinant = list.determinant(row);
      alphas.push_back(determinant[alpha]);
      betas.push_back(determinant[beta]);
    }
  }
  return std::make_shared<const AnySpace>(
      make_listed_space(lists[0].states->integrals(), alphas, betas));
}

/// A list grown in that irrep. Its states are null if no determinant has the irrep.
Scout scout(int irrep, const RunContext& context, const Model& model, const GoesOn& goes_on) {
  Scout made{irrep, std::make_unique<GrowingStates>(context, model), {}};
  GrowingStates& states = *made.states;
  try {
    states.begin_in(irrep, states.first_size());
  } catch (const TooManyDeterminants&) {
    throw;
  } catch (const InputError&) {
    made.states.reset();
    return made;
  }
  RunConfig config = config_of_quiet_list(context.config);
  config.solver.states =
      static_cast<int>(std::min<std::int64_t>(config.solver.states, states.size()));
  if (!grow_to(states, config, of_each, goes_on)) return made;
  const Correction correction = second_order_correction(
      states.expansion(), {near_enough, config.solver.seed, goes_on}, states.place());
  if (correction.cancelled) return made;
  for (std::size_t j = 0; j < correction.energies.size(); ++j) {
    made.energies.push_back(states.last().result.energies[j] + correction.energies[j]);
  }
  return made;
}

/// Lists that have the `wanted` lowest states of all.
std::vector<Scout> lowest_of(std::vector<Scout> all, std::size_t wanted) {
  std::vector<std::pair<double, int>> levels;
  for (const Scout& one : all) {
    for (const double energy : one.energies) levels.emplace_back(energy, one.irrep);
  }
  std::ranges::sort(levels);
  levels.resize(std::min(wanted, levels.size()));
  std::erase_if(all, [&](const Scout& one) {
    return std::ranges::none_of(levels, [&](const auto& l) { return l.second == one.irrep; });
  });
  return all;
}

}  // namespace

std::string begin_in_lowest_irreps(GrowingStates& states, const RunContext& context,
                                   const Model& model, const GoesOn& goes_on) {
  const std::set<int> irreps = reachable_irreps(*states.space()->of_list(), states.integrals());
  if (states.irrep() >= 0 || irreps.size() < 2) return {};
  std::vector<Scout> scouts;
  for (const int irrep : irreps) {
    Scout one = scout(irrep, context, model, goes_on);
    if (!one.states) continue;
    if (one.energies.empty()) return {};
    scouts.push_back(std::move(one));
  }
  const auto wanted = static_cast<std::size_t>(context.config.solver.states);
  const std::size_t tried = scouts.size();
  const std::vector<Scout> chosen = lowest_of(std::move(scouts), wanted);
  std::string names;
  std::int64_t size = 0;
  for (const Scout& one : chosen) {
    names += (names.empty() ? "" : ", ") + irrep_name(one.irrep, states.integrals());
    size += one.states->size();
  }
  const std::int64_t limit = context.config.selection.determinants.value_or(size);
  if (chosen.size() == 1 || size > limit) {
    const std::size_t share = std::max(wanted, static_cast<std::size_t>(limit) / chosen.size());
    for (const Scout& one : chosen) {
      one.states->begin_in(one.irrep, std::min(states.first_size(), share));
    }
  }
  states.go_on(united(chosen), {});
  return fmt::format(
      "irrep {}: lists of {} determinants in each of {} irreps have their lowest states there, to "
      "second order; the key irrep chooses another",
      names, of_each, tried);
}

}  // namespace cisolve
