#include "hamiltonian/space/ci_space.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "hamiltonian/space/space_shape.hpp"

namespace cisolve {
namespace {

std::string orbital_list(OrbitalString s) {
  std::string text;
  for (const int p : s) text.append(" ").append(std::to_string(p + 1));
  return text.empty() ? " none" : text;
}

std::string count_text(long double count) {
  char text[64];
  std::snprintf(text, sizeof text, count < 1e18L ? "%.0Lf" : "%.3Le", count);
  return text;
}

/// Number of irreps that label products of the orbitals' irreps: a power of 2.
int irrep_count(const Integrals& integrals) {
  int highest = 0;
  for (const auto& irreps : integrals.orbital_irreps) {
    for (const int g : irreps) highest = std::max(highest, g);
  }
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(highest) + 1));
}

/// Throws InputError unless an irrep asked for makes sense for the file.
void check_options(const Integrals& integrals, const CiSpaceOptions& options) {
  if (options.max_excitation && *options.max_excitation < 0) {
    throw InputError("the highest excitation rank is " + std::to_string(*options.max_excitation) +
                     "; expected 0 or more");
  }
  if (options.ras && (options.max_excitation || !(options.ras->ras1 & options.ras->ras3).empty() ||
                      options.ras->holes < 0 || options.ras->particles < 0)) {
    throw InputError(
        "a restricted active space has no excitation rank, expected RAS1 and RAS3 without a common "
        "orbital, and 0 or more holes and particles");
  }
  if (!options.irrep) return;
  if (*options.irrep < 0 || *options.irrep > 7) {
    throw InputError("irrep " + std::to_string(*options.irrep) + "; expected 0 to 7");
  }
  if (integrals.orbital_irreps[alpha].empty() || integrals.orbital_irreps[beta].empty()) {
    throw InputError("irrep " + std::to_string(*options.irrep) +
                     " was asked for, but the file has no orbital symmetry (ORBSYM)");
  }
}

/// The most holes in RAS1, or electrons in RAS3, that a string can have.
struct Possible {
  int holes, particles;
};

Possible possible(int orbitals, int electrons, OrbitalString ras1, OrbitalString ras3) {
  return {std::min(ras1.count(), orbitals - electrons), std::min(ras3.count(), electrons)};
}

/// The limits of a space for both spins: excitations of the reference fill its empty orbitals, in
/// either spin. General spin orbitals have an empty beta string, which is no hole.
std::array<RestrictedActiveSpace, 2> limits_of(const Integrals& integrals,
                                               const CiSpaceOptions& options,
                                               const Determinant& reference) {
  if (options.ras) {
    return {*options.ras, integrals.general ? RestrictedActiveSpace{} : *options.ras};
  }
  std::array<RestrictedActiveSpace, 2> limits;
  if (!options.max_excitation) return limits;
  for (const Spin spin : {alpha, beta}) {
    limits[spin].ras3 = reference[spin].empty_of(integrals.orbitals);
    limits[spin].particles = *options.max_excitation;
  }
  return limits;
}

/// Groups of either spin's strings that make up determinants: those whose irreps have the product
/// wanted, and whose holes and particles add up to the highest number at most.
struct Selection {
  std::array<std::vector<bool>, 2> groups;
  long double determinants = 0;
};

/// A space whose strings are yet to be made.
struct Shape {
  int irrep, holes, particles;
  StringSpace alpha, beta;

  /// Calls visit(holes, particles) of the beta strings that go with an alpha string of so many.
  template <class Visit>
  void for_each_partner(int alpha_holes, int alpha_particles, Visit visit) const {
    for (int h = 0; h <= std::min(beta.max_holes, holes - alpha_holes); ++h) {
      for (int p = 0; p <= std::min(beta.max_particles, particles - alpha_particles); ++p) {
        visit(h, p);
      }
    }
  }
  /// Calls visit(irrep, holes, particles) for the groups of alpha strings.
  template <class Visit>
  void for_each_alpha(Visit visit) const {
    for (int g = 0; g < alpha.irreps; ++g) {
      for (int h = 0; h <= alpha.max_holes; ++h) {
        for (int p = 0; p <= alpha.max_particles; ++p) visit(g, h, p);
      }
    }
  }
  Selection selection() const;
};

Selection Shape::selection() const {
  if (irrep >= alpha.irreps) return {};
  const auto count_a = count_strings(alpha), count_b = count_strings(beta);
  Selection result{{std::vector<bool>(alpha.groups()), std::vector<bool>(beta.groups())}};
  for_each_alpha([&](int g, int h, int p) {
    const int a = alpha.group(g, h, p);
    for_each_partner(h, p, [&](int beta_holes, int beta_particles) {
      const int b = beta.group(irrep_product(g, irrep), beta_holes, beta_particles);
      if (count_a[a] == 0 || count_b[b] == 0) return;
      result.groups[Spin::alpha][a] = result.groups[Spin::beta][b] = true;
      result.determinants += count_a[a] * count_b[b];
    });
  });
  return result;
}

/// A string space whose strings are yet to be made; whether it is of full CI is said later.
StringSpace shape_of(const Integrals& integrals, bool with_irreps, Spin spin, int electrons,
                     OrbitalString reference, const RestrictedActiveSpace& limits) {
  StringSpace space;
  space.orbitals = integrals.orbitals;
  space.electrons = electrons;
  space.reference = reference;
  space.ras1 = limits.ras1;
  space.ras3 = limits.ras3;
  const Possible most = possible(space.orbitals, electrons, limits.ras1, limits.ras3);
  space.max_holes = std::min(limits.holes, most.holes);
  space.max_particles = std::min(limits.particles, most.particles);
  if (with_irreps) {
    space.irreps = irrep_count(integrals);
    for (int p = 0; p < integrals.orbitals; ++p) {
      for (int k = 0; k < 3; ++k) {
        if ((integrals.orbital_irreps[spin][p] >> k & 1) == 0) continue;
        space.irrep_masks[k] = space.irrep_masks[k].with(p);
      }
    }
  }
  return space;
}

Shape shape_of(const Integrals& integrals, const CiSpaceOptions& options) {
  const auto electrons = electron_numbers(integrals);
  check_options(integrals, options);
  const Determinant reference = reference_determinant(integrals);
  auto limits = limits_of(integrals, options, reference);
  // Limits that exclude nothing are none: what allows everything is full CI, with its order of the
  // determinants.
  Possible most{0, 0};
  for (const Spin spin : {alpha, beta}) {
    const Possible of_spin =
        possible(integrals.orbitals, electrons[spin], limits[spin].ras1, limits[spin].ras3);
    most.holes += of_spin.holes;
    most.particles += of_spin.particles;
  }
  for (RestrictedActiveSpace& of_spin : limits) {
    if (of_spin.holes >= most.holes) of_spin.ras1 = {};
    if (of_spin.particles >= most.particles) of_spin.ras3 = {};
  }
  const auto strings = [&](Spin spin) {
    return shape_of(integrals, options.irrep.has_value(), spin, electrons[spin], reference[spin],
                    limits[spin]);
  };
  Shape shape{options.irrep.value_or(0), limits[alpha].holes, limits[alpha].particles,
              strings(alpha), strings(beta)};
  shape.alpha.full = shape.beta.full = std::ranges::all_of(
      limits,
      [](const RestrictedActiveSpace& of_spin) { return (of_spin.ras1 | of_spin.ras3).empty(); });
  return shape;
}

/// Shape of all irreps together; strings have labels if the orbitals have.
Shape shape_of_any_irrep(const Integrals& integrals, CiSpaceOptions options) {
  options.irrep.reset();
  if (!integrals.orbital_irreps[alpha].empty()) options.irrep = 0;
  return shape_of(integrals, options);
}

/// The beta strings of every group of alpha strings, and with them the numbers of the determinants.
void number_determinants(const Shape& shape, CiSpace& space) {
  const StringSpace& b = space.beta;
  std::vector<std::vector<BetaRange>> of_group(space.alpha.groups());
  shape.for_each_alpha([&](int g, int h, int p) {
    std::vector<BetaRange>& ranges = of_group[space.alpha.group(g, h, p)];
    shape.for_each_partner(h, p, [&](int beta_holes, int beta_particles) {
      const int partner = b.group(irrep_product(g, shape.irrep), beta_holes, beta_particles);
      ranges.push_back({b.group_begin[partner], b.group_begin[partner + 1], 0});
    });
  });
  space.number([&](int group) { return of_group[group]; });
}

std::vector<std::string> reference_notes(const Integrals& integrals, const CiSpace& space,
                                         const CiSpaceOptions& options) {
  if (space.alpha.full || options.ras) return {};
  const bool from_file = !integrals.orbital_energies[alpha].empty();
  std::vector<std::string> notes{
      (integrals.general
           ? "reference determinant: spin orbitals" + orbital_list(space.alpha.reference)
           : "reference determinant: alpha" + orbital_list(space.alpha.reference) + ", beta" +
                 orbital_list(space.beta.reference)) +
      (from_file ? " (orbital energies)" : " (diagonal of the Fock operator)")};
  const int irrep = irrep_product(space.alpha.irrep(space.alpha.reference),
                                  space.beta.irrep(space.beta.reference));
  if (options.irrep && irrep != *options.irrep) {
    notes.push_back("the reference determinant has irrep " + std::to_string(irrep) +
                    " and is not among the determinants of irrep " +
                    std::to_string(*options.irrep));
  }
  return notes;
}

}  // namespace

void CiSpace::number(const std::function<std::vector<BetaRange>(int)>& ranges_of) {
  ranges_.clear();
  range_begin_.assign(1, 0);
  for (int group = 0; group < alpha.groups(); ++group) {
    ranges_.push_back({0, 0, 0});
    for (const auto& [begin, end, before] : ranges_of(group)) {
      BetaRange& last = ranges_.back();
      if (begin == end) continue;
      if (last.first == last.last) {
        last = {begin, end, 0};
      } else if (last.last == begin) {
        last.last = end;
      } else {
        ranges_.push_back({begin, end, last.before + (last.last - last.first)});
      }
    }
    range_begin_.push_back(static_cast<Index>(ranges_.size()));
  }
  row_begin_.assign(1, 0);
  for (Index a = 0; a < alpha.size(); ++a) {
    row_begin_.push_back(row_begin_.back() + determinants_of(a).size());
  }
}

std::vector<RowBlock> CiSpace::row_blocks(Index most) const {
  std::vector<RowBlock> blocks;
  for (Index a = 0; a < alpha.size(); ++a) {
    const Index begin = first_range(alpha.group_of[a]), end = first_range(alpha.group_of[a] + 1);
    for (const BetaRange& range : std::span(ranges_).subspan(begin, end - begin)) {
      const std::int64_t column = row_begin_[a] + range.before - range.first;
      for (Index first = range.first; first < range.last;) {
        const int group = beta.group_of[first];
        const Index last = std::min({range.last, beta.group_begin[group + 1], first + most});
        blocks.push_back(
            {a, static_cast<Index>(column + first), static_cast<Index>(column + last)});
        first = last;
      }
    }
  }
  return blocks;
}

Index CiSpace::alpha_of(std::int64_t row) const {
  // The last alpha string that begins at the row or before: those without rows begin with the next.
  const auto after = std::ranges::upper_bound(row_begin_, row);
  return static_cast<Index>(after - row_begin_.begin() - 1);
}

Determinant CiSpace::determinant(std::int64_t row) const {
  const Index a = alpha_of(row);
  return {alpha.strings[a], beta.strings[(*determinants_of(a).at(row)).beta]};
}

bool CiSpace::holds(const Determinant& determinant) const {
  const Index a = alpha.find(determinant[Spin::alpha]), b = beta.find(determinant[Spin::beta]);
  return a >= 0 && b >= 0 && determinants_of(a).find(b) >= 0;
}

SpaceShape shape_of_all_irreps(const Integrals& integrals, CiSpaceOptions options) {
  const Shape shape = shape_of_any_irrep(integrals, options);
  return {shape.alpha, shape.beta, shape.holes, shape.particles};
}

std::vector<long double> count_determinants(const Integrals& integrals, CiSpaceOptions options) {
  Shape shape = shape_of_any_irrep(integrals, options);
  std::vector<long double> counts;
  for (shape.irrep = 0; shape.irrep < shape.alpha.irreps; ++shape.irrep) {
    counts.push_back(shape.selection().determinants);
  }
  return counts;
}

CiSpace make_ci_space(const Integrals& integrals, const CiSpaceOptions& options) {
  const Shape shape = shape_of(integrals, options);
  CiSpace space;
  space.alpha = shape.alpha;
  space.beta = shape.beta;
  if (shape.irrep >= space.alpha.irreps) {
    throw InputError("no determinant has irrep " + std::to_string(shape.irrep) +
                     "; the orbitals' irreps multiply to 0 to " +
                     std::to_string(space.alpha.irreps - 1));
  }
  const Selection selection = shape.selection();
  if (selection.determinants == 0) {
    throw InputError(options.irrep ? "no determinant is left: none of the space has irrep " +
                                         std::to_string(shape.irrep)
                                   : "no determinant is left: the electrons do not fit the limits "
                                     "of holes and particles");
  }
  if (selection.determinants > options.most) {
    throw TooManyDeterminants(
        "the space has " + count_text(selection.determinants) + " determinants; expected at most " +
        std::to_string(options.most) +
        " (a lower excitation rank, an irrep or fewer active orbitals make fewer, and "
        "spin inversion even or odd allows twice as many)");
  }
  fill_strings(space.alpha, selection.groups[alpha]);
  fill_strings(space.beta, selection.groups[beta]);
  number_determinants(shape, space);
  space.notes = reference_notes(integrals, space, options);
  return space;
}

}  // namespace cisolve
