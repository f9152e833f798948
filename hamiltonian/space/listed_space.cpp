#include "hamiltonian/space/listed_space.hpp"

#include <limits>
#include <string>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// The strings of one spin, ascending: one group.
StringSpace strings_of(int orbitals, const std::vector<Determinant>& determinants, Spin spin,
                       const OrbitalString& reference) {
  StringSpace space;
  space.orbitals = orbitals;
  space.electrons = determinants.front()[spin].count();
  space.reference = reference;
  for (const Determinant& determinant : determinants) space.strings.push_back(determinant[spin]);
  std::ranges::sort(space.strings);
  space.strings.erase(std::ranges::unique(space.strings).begin(), space.strings.end());
  space.irrep_of.assign(space.strings.size(), 0);
  space.group_of.assign(space.strings.size(), 0);
  space.group_begin = {0, space.size()};
  return space;
}

void check(int orbitals, const std::vector<Determinant>& determinants) {
  const auto fail = [](std::size_t number, const std::string& found) {
    throw InputError("list of determinants: number " + std::to_string(number + 1) + " " + found);
  };
  if (determinants.empty() || determinants.size() > std::numeric_limits<Index>::max()) {
    throw InputError("list of determinants: found " + std::to_string(determinants.size()) +
                     ", expected 1 to 2147483647");
  }
  for (std::size_t i = 0; i < determinants.size(); ++i) {
    for (const Spin spin : {alpha, beta}) {
      const OrbitalString& string = determinants[i][spin];
      if (!(string & ~OrbitalString::lowest(orbitals)).empty()) {
        fail(i, "has an orbital beyond " + std::to_string(orbitals));
      }
      if (string.count() != determinants.front()[spin].count()) {
        fail(i, "has " + std::to_string(string.count()) + " electrons of one spin, the first has " +
                    std::to_string(determinants.front()[spin].count()));
      }
    }
  }
}

}  // namespace

ListedSpace::ListedSpace(int orbitals, std::vector<Determinant> determinants,
                         const Determinant& reference) {
  check(orbitals, determinants);
  std::ranges::sort(determinants);
  const auto twice = std::ranges::adjacent_find(determinants);
  if (twice != determinants.end()) throw RepeatedDeterminant(*twice);
  alpha = strings_of(orbitals, determinants, Spin::alpha, reference[Spin::alpha]);
  beta = strings_of(orbitals, determinants, Spin::beta, reference[Spin::beta]);
  begin_.push_back(0);
  for (const Determinant& determinant : determinants) {
    if (determinant[Spin::alpha] != alpha.strings[begin_.size() - 1]) {
      begin_.push_back(static_cast<Index>(betas_.size()));
    }
    betas_.push_back(beta.find(determinant[Spin::beta]));
  }
  begin_.push_back(static_cast<Index>(betas_.size()));
}

Index ListedSpace::alpha_of(std::int64_t row) const {
  return static_cast<Index>(std::ranges::upper_bound(begin_, row) - begin_.begin() - 1);
}

}  // namespace cisolve
