#include "hamiltonian/space/any_space.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "hamiltonian/space/space_shape.hpp"

namespace cisolve {
namespace {

constexpr std::array spin_names{"alpha", "beta"};

/// Throws InputError unless all strings of that spin are over the orbitals and have the electrons.
void require_strings(const std::vector<OrbitalString>& strings, const StringSpace& shape,
                     const std::string& each, const char* spin) {
  const OrbitalString beyond = ~OrbitalString::lowest(shape.orbitals);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const auto fail = [&](const std::string& found) {
      throw InputError(each + " " + std::to_string(i + 1) + " of " +
                       std::to_string(strings.size()) + ": " + found);
    };
    if (const OrbitalString outside = strings[i] & beyond; !outside.empty()) {
      fail(std::string(spin) + " occupies orbital " + std::to_string(outside.first() + 1) +
           ", expected orbitals 1 to " + std::to_string(shape.orbitals));
    }
    if (const int electrons = strings[i].count(); electrons != shape.electrons) {
      fail("found " + std::to_string(electrons) + " " + spin + " electrons, expected " +
           std::to_string(shape.electrons) +
           " in the active orbitals, as the numbers of electrons and M_s say");
    }
  }
}

void require_count(double determinants) {
  if (determinants >= 1.0 && determinants <= std::numeric_limits<Index>::max()) return;
  throw InputError("list of determinants: found " + std::to_string(std::int64_t(determinants)) +
                   ", expected 1 to 2147483647");
}

/// The irreps of a list's determinants, "12 of irrep 0, 3 of irrep 1".
std::string irreps_found(const std::vector<double>& counts) {
  std::string text;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (counts[g] == 0.0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(std::int64_t(counts[g])) + " of irrep " +
            std::to_string(g);
  }
  return text;
}

void require_irrep(int irrep, const Integrals& integrals) {
  if (integrals.orbital_irreps[alpha].empty() || integrals.orbital_irreps[beta].empty()) {
    throw InputError("irrep " + std::to_string(irrep) +
                     " was asked for, but the file has no orbital symmetry (ORBSYM)");
  }
}

/// Throws InputError where no determinant has the irrep; `counts`: how many have each.
void require_some(int irrep, const std::vector<double>& counts) {
  if (irrep >= 0 && irrep < static_cast<int>(counts.size()) && counts[irrep] > 0.0) return;
  throw InputError("list of determinants: none has irrep " + std::to_string(irrep) + "; found " +
                   irreps_found(counts));
}

/// Fills in the strings, ascending within their groups. Throws InputError where one is repeated.
void fill_strings(StringSpace& space, const std::vector<OrbitalString>& strings, const char* spin) {
  std::vector<std::vector<OrbitalString>> groups(space.groups());
  for (const OrbitalString& s : strings) groups[space.irrep(s)].push_back(s);
  space.group_begin.assign(1, 0);
  for (int g = 0; g < space.groups(); ++g) {
    std::ranges::sort(groups[g]);
    if (const auto twice = std::ranges::adjacent_find(groups[g]); twice != groups[g].end()) {
      const auto first = std::ranges::find(strings, *twice);
      const auto second = std::find(first + 1, strings.end(), *twice);
      throw InputError(std::string("list of ") + spin + " strings: string " +
                       std::to_string(second - strings.begin() + 1) + " is also string " +
                       std::to_string(first - strings.begin() + 1));
    }
    space.strings.insert(space.strings.end(), groups[g].begin(), groups[g].end());
    space.irrep_of.insert(space.irrep_of.end(), groups[g].size(), static_cast<std::int8_t>(g));
    space.group_of.insert(space.group_of.end(), groups[g].size(), static_cast<std::int16_t>(g));
    space.group_begin.push_back(space.size());
  }
}

/// Every pair of the strings, or those of one irrep.
CiSpace product_space(const DeterminantList& list, const SpaceShape& shape,
                      std::optional<int> irrep) {
  CiSpace space;
  space.alpha = shape.alpha;
  space.beta = shape.beta;
  fill_strings(space.alpha, list.alpha, spin_names[alpha]);
  fill_strings(space.beta, list.beta, spin_names[beta]);
  const auto strings_of = [](const StringSpace& spin, int g) {
    return static_cast<double>(spin.group_begin[g + 1] - spin.group_begin[g]);
  };
  std::vector<double> counts(space.alpha.irreps, 0.0);
  for (int g = 0; g < space.alpha.irreps; ++g) {
    for (int h = 0; h < space.alpha.irreps; ++h) {
      counts[irrep_product(g, h)] += strings_of(space.alpha, g) * strings_of(space.beta, h);
    }
  }
  if (irrep) require_some(*irrep, counts);
  require_count(counts[irrep.value_or(0)]);
  space.number([&](int group) -> std::vector<BetaRange> {
    const int partner = irrep ? irrep_product(group, *irrep) : 0;
    return {{space.beta.group_begin[partner], space.beta.group_begin[partner + 1], 0}};
  });
  return space;
}

[[noreturn]] void throw_repeated(const DeterminantList& list, const Determinant& determinant) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (Determinant{list.alpha[i], list.beta[i]} == determinant) {
      numbers.push_back(std::to_string(i + 1));
    }
  }
  throw InputError("list of determinants: determinant " + numbers.at(1) + " is also determinant " +
                   numbers.at(0));
}

/// The determinants of a list that have the irrep.
DeterminantList of_irrep(const DeterminantList& list, const SpaceShape& shape, int irrep) {
  DeterminantList kept;
  std::vector<double> counts(shape.alpha.irreps, 0.0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const int g = irrep_product(shape.alpha.irrep(list.alpha[i]), shape.beta.irrep(list.beta[i]));
    ++counts[g];
    if (g != irrep) continue;
    kept.alpha.push_back(list.alpha[i]);
    kept.beta.push_back(list.beta[i]);
  }
  require_some(irrep, counts);
  return kept;
}

/// The strings of one spin of a general list, which are one group.
StringSpace one_group(StringSpace shape) {
  shape.irreps = 1;
  shape.irrep_masks = {};
  return shape;
}

ListedSpace general_space(std::span<const OrbitalString> alphas,
                          std::span<const OrbitalString> betas, const SpaceShape& shape) {
  return {one_group(shape.alpha), one_group(shape.beta), alphas, betas};
}

/// The shape of all determinants, marked as not full: a list need not have all strings.
SpaceShape shape_of_list(const Integrals& integrals) {
  SpaceShape shape = shape_of_all_irreps(integrals, {});
  shape.alpha.full = shape.beta.full = false;
  return shape;
}

}  // namespace

AnySpace make_listed_space(const Integrals& integrals, std::span<const OrbitalString> alphas,
                           std::span<const OrbitalString> betas) {
  return AnySpace(general_space(alphas, betas, shape_of_list(integrals)));
}

AnySpace make_listed_space(const Integrals& integrals, const DeterminantList& list,
                           std::optional<int> irrep) {
  if (!list.product && list.alpha.size() != list.beta.size()) {
    throw InputError("list of determinants: found " + std::to_string(list.alpha.size()) +
                     " alpha and " + std::to_string(list.beta.size()) +
                     " beta strings, expected as many");
  }
  if (irrep) require_irrep(*irrep, integrals);
  SpaceShape shape = shape_of_list(integrals);
  for (const Spin spin : {alpha, beta}) {
    const StringSpace& of_spin = spin == alpha ? shape.alpha : shape.beta;
    const std::string each =
        list.product ? std::string(spin_names[spin]) + " string" : std::string("determinant");
    require_strings(spin == alpha ? list.alpha : list.beta, of_spin, each, spin_names[spin]);
  }
  if (!list.product) {
    require_count(static_cast<double>(list.size()));
    try {
      if (!irrep) return AnySpace(general_space(list.alpha, list.beta, shape));
      const DeterminantList kept = of_irrep(list, shape, *irrep);
      return AnySpace(general_space(kept.alpha, kept.beta, shape));
    } catch (const RepeatedDeterminant& error) {
      throw_repeated(list, error.determinant);
    }
  }
  if (!irrep) shape = {one_group(shape.alpha), one_group(shape.beta)};
  return AnySpace(product_space(list, shape, irrep));
}

}  // namespace cisolve
