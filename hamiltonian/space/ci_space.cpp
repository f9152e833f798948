#include "hamiltonian/space/ci_space.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "core/error.hpp"

namespace cisolve {
namespace {

std::string orbital_list(OrbitalString s) {
  std::string text;
  for (; s != 0; s &= s - 1) text.append(" ").append(std::to_string(std::countr_zero(s) + 1));
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
  if (!options.irrep) return;
  if (*options.irrep < 0 || *options.irrep > 7) {
    throw InputError("irrep " + std::to_string(*options.irrep) + "; expected 0 to 7");
  }
  if (integrals.orbital_irreps[alpha].empty() || integrals.orbital_irreps[beta].empty()) {
    throw InputError("irrep " + std::to_string(*options.irrep) +
                     " was asked for, but the file has no orbital symmetry (ORBSYM)");
  }
}

/// A string space whose strings are yet to be made.
StringSpace shape_of(const Integrals& integrals, const CiSpaceOptions& options, Spin spin,
                     int electrons, OrbitalString reference) {
  StringSpace space;
  space.orbitals = integrals.orbitals;
  space.electrons = electrons;
  space.reference = reference;
  const int highest = std::min(electrons, integrals.orbitals - electrons);
  space.full = !options.max_excitation;
  space.max_rank = space.full ? 0 : std::min(*options.max_excitation, highest);
  if (options.irrep) {
    space.irreps = irrep_count(integrals);
    for (int p = 0; p < integrals.orbitals; ++p) {
      for (int k = 0; k < 3; ++k) {
        const auto bit = static_cast<OrbitalString>(integrals.orbital_irreps[spin][p] >> k & 1);
        space.irrep_masks[k] |= bit << p;
      }
    }
  }
  return space;
}

/// Which groups of strings of either spin make up determinants: those of irreps with the product
/// wanted and ranks whose sum is at most the highest.
struct Selection {
  std::array<std::vector<bool>, 2> groups;
  long double determinants = 0;
};

Selection select_groups(const StringSpace& a, const StringSpace& b, int irrep, int max_rank) {
  const auto count_a = count_strings(a), count_b = count_strings(b);
  Selection result{{std::vector<bool>(a.groups()), std::vector<bool>(b.groups())}};
  for (int g = 0; g < a.irreps; ++g) {
    for (int r = 0; r <= a.max_rank; ++r) {
      for (int s = 0; s <= std::min(b.max_rank, max_rank - r); ++s) {
        const int ga = a.group(g, r), gb = b.group(g ^ irrep, s);
        if (count_a[ga] == 0 || count_b[gb] == 0) continue;
        result.groups[alpha][ga] = result.groups[beta][gb] = true;
        result.determinants += count_a[ga] * count_b[gb];
      }
    }
  }
  return result;
}

/// A space whose strings are yet to be made.
struct Shape {
  CiSpaceOptions options;
  int irrep, max_rank;
  StringSpace alpha, beta;

  Selection selection() const {
    if (irrep >= alpha.irreps) return {};
    return select_groups(alpha, beta, irrep, max_rank);
  }
};

Shape shape_of(const Integrals& integrals, CiSpaceOptions options) {
  const auto electrons = electron_numbers(integrals);
  check_options(integrals, options);
  const auto reference = reference_determinant(integrals);
  // A rank limit that excludes nothing is full CI, with its order of the determinants.
  int highest = 0;
  for (const int n : electrons) highest += std::min(n, integrals.orbitals - n);
  if (options.max_excitation && *options.max_excitation >= highest) options.max_excitation.reset();
  return {options, options.irrep.value_or(0), options.max_excitation.value_or(0),
          shape_of(integrals, options, alpha, electrons[alpha], reference[alpha]),
          shape_of(integrals, options, beta, electrons[beta], reference[beta])};
}

/// Beta strings of every alpha string, and with them the numbers of the determinants.
void number_determinants(CiSpace& space, int irrep, int max_rank) {
  const StringSpace& a = space.alpha;
  const StringSpace& b = space.beta;
  for (Index i = 0; i < a.size(); ++i) {
    const int partner = a.irrep_of[i] ^ irrep;
    const int highest = std::min(b.max_rank, max_rank - a.rank_of[i]);
    space.append(b.group_begin[b.group(partner, 0)], b.group_begin[b.group(partner, highest) + 1]);
  }
}

std::vector<std::string> reference_notes(const Integrals& integrals, const CiSpace& space,
                                         const CiSpaceOptions& options) {
  if (space.alpha.full) return {};
  const bool from_file = !integrals.orbital_energies[alpha].empty();
  std::vector<std::string> notes{
      "reference determinant: alpha" + orbital_list(space.alpha.reference) + ", beta" +
      orbital_list(space.beta.reference) +
      (from_file ? " (orbital energies)" : " (diagonal of the Fock operator)")};
  const int irrep =
      space.alpha.irrep(space.alpha.reference) ^ space.beta.irrep(space.beta.reference);
  if (options.irrep && irrep != *options.irrep) {
    notes.push_back("the reference determinant has irrep " + std::to_string(irrep) +
                    " and is not among the determinants of irrep " +
                    std::to_string(*options.irrep));
  }
  return notes;
}

}  // namespace

void CiSpace::append(Index first, Index last) {
  if (row_begin_.empty()) row_begin_.push_back(0);
  beta_begin_.push_back(first);
  row_begin_.push_back(row_begin_.back() + last - first);
}

Index CiSpace::alpha_of(std::int64_t row) const {
  // The last alpha string that begins at the row or before: those without rows begin with the next.
  const auto after = std::ranges::upper_bound(row_begin_, row);
  return static_cast<Index>(after - row_begin_.begin() - 1);
}

Determinant CiSpace::determinant(std::int64_t row) const {
  const Index a = alpha_of(row);
  const auto b = static_cast<Index>(row - betas(a).first_column());
  return {alpha.strings[a], beta.strings[b]};
}

bool CiSpace::holds(const Determinant& determinant) const {
  const Index a = alpha.find(determinant[Spin::alpha]), b = beta.find(determinant[Spin::beta]);
  return a >= 0 && b >= 0 && betas(a).holds(b);
}

std::vector<long double> count_determinants(const Integrals& integrals,
                                            std::optional<int> max_excitation) {
  CiSpaceOptions options{max_excitation, {}};
  if (!integrals.orbital_irreps[alpha].empty()) options.irrep = 0;  // any: strings have labels then
  Shape shape = shape_of(integrals, options);
  std::vector<long double> counts;
  for (shape.irrep = 0; shape.irrep < shape.alpha.irreps; ++shape.irrep) {
    counts.push_back(shape.selection().determinants);
  }
  return counts;
}

CiSpace make_ci_space(const Integrals& integrals, const CiSpaceOptions& requested) {
  Shape shape = shape_of(integrals, requested);
  const auto& [options, irrep, max_rank, alpha_strings, beta_strings] = shape;
  CiSpace space;
  space.alpha = alpha_strings;
  space.beta = beta_strings;
  if (irrep >= space.alpha.irreps) {
    throw InputError("no determinant has irrep " + std::to_string(irrep) +
                     "; the orbitals' irreps multiply to 0 to " +
                     std::to_string(space.alpha.irreps - 1));
  }
  const Selection selection = shape.selection();
  if (selection.determinants == 0) {
    throw InputError("no determinant is left: none of the space has irrep " +
                     std::to_string(irrep));
  }
  if (selection.determinants > options.most) {
    throw InputError("the space has " + count_text(selection.determinants) +
                     " determinants; expected at most " + std::to_string(options.most) +
                     " (a lower excitation rank, an irrep or fewer active orbitals make fewer, and "
                     "spin inversion even or odd allows twice as many)");
  }
  fill_strings(space.alpha, selection.groups[alpha]);
  fill_strings(space.beta, selection.groups[beta]);
  number_determinants(space, irrep, max_rank);
  space.notes = reference_notes(integrals, space, options);
  return space;
}

}  // namespace cisolve
