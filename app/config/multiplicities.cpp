#include "app/config/multiplicities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "app/config/config_value.hpp"
#include "app/config/counted_kinds.hpp"

namespace cisolve {
namespace {

constexpr std::array singular{"singlet", "doublet", "triplet", "quartet", "quintet", "sextet",
                              "septet",  "octet",   "nonet",   "decet",   "undecet"};

bool has_name(int multiplicity) {
  return multiplicity >= 1 && multiplicity <= static_cast<int>(singular.size());
}

/// Items of a text such as "1:2,3", or of a sequence of these; none where one is none.
std::optional<std::vector<CountedKind>> items_of(const YAML::Node& node) {
  std::vector<CountedKind> items;
  if (node.IsSequence()) {
    for (const auto& entry : node) {
      const auto part = entry.IsScalar() ? items_of(entry) : std::nullopt;
      if (!part) return std::nullopt;
      items.insert(items.end(), part->begin(), part->end());
    }
    return items;
  }
  if (!node.IsScalar()) return std::nullopt;
  for (const std::string& item : kind_items(node.Scalar())) {
    const std::optional<CountedKind> one = counted_kind(item);
    if (!one) return std::nullopt;
    items.push_back(*one);
  }
  return items;
}

bool set_multiplicity(RunConfig& config, const YAML::Node& node) {
  SolverConfig& solver = config.solver;
  if (node.IsNull() || (node.IsScalar() && node.Scalar().empty())) {
    solver.multiplicity.reset();
    solver.multiplicities.clear();
    return true;
  }
  const auto items = items_of(node);
  if (!items || items->empty()) return false;
  std::vector<MultiplicityStates> list;
  for (const CountedKind& item : *items) {
    const std::optional<int> multiplicity = parse_number<int>(item.kind);
    if (!multiplicity || *multiplicity < 1) return false;
    list.push_back({*multiplicity, item.states});
  }
  solver.multiplicity.reset();
  if (list.size() == 1 && !list.front().states) {
    solver.multiplicity = list.front().multiplicity;
    list.clear();
  }
  solver.multiplicities = std::move(list);
  return true;
}

Json multiplicity_json(const RunConfig& config) {
  if (config.solver.multiplicities.empty()) return or_null(config.solver.multiplicity);
  return multiplicities_text(config.solver);
}

bool is_in_range(const RunConfig& config) {
  const auto fits = [](const MultiplicityStates& one) {
    return one.multiplicity >= 1 && one.states.value_or(1) >= 1;
  };
  return config.solver.multiplicity.value_or(1) >= 1 &&
         std::ranges::all_of(config.solver.multiplicities, fits);
}

}  // namespace

Field multiplicity_field() {
  Field made;
  made.key = "solver.multiplicity";
  made.type = "integer or list";
  made.allowed = "at least 1, or several: 1,3,5, with numbers of states 1:2,3,5";
  made.doc =
      "Only states of this multiplicity, 2S + 1. For integrals over restricted orbitals. Several "
      "are solved for one after another, each with its number of states: 1:2,3,5; of full CI in "
      "the M_s of fewest rows unless input.ms2 is given. Absent: all.";
  made.set = set_multiplicity;
  made.get = multiplicity_json;
  made.holds = is_in_range;
  return made;
}

std::string multiplicities_text(const SolverConfig& solver) {
  return joined(solver.multiplicities, ",", [](const MultiplicityStates& one) {
    return std::to_string(one.multiplicity) +
           (one.states ? ":" + std::to_string(*one.states) : std::string());
  });
}

std::string multiplicity_name(int multiplicity) {
  return has_name(multiplicity) ? std::string(singular[multiplicity - 1]) + "s"
                                : "states of multiplicity " + std::to_string(multiplicity);
}

std::string multiplicity_in_file_name(int multiplicity) {
  return has_name(multiplicity) ? singular[multiplicity - 1]
                                : "multiplicity_" + std::to_string(multiplicity);
}

std::string spin_text(int multiplicity) {
  const int twice = multiplicity - 1;
  return twice % 2 == 0 ? std::to_string(twice / 2) : std::to_string(twice) + "/2";
}

}  // namespace cisolve
