#include "hamiltonian/select/growth.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/select/selection.hpp"
#include "hamiltonian/space/space_shape.hpp"

namespace cisolve {
namespace {

constexpr double rounding = 1e-9;  ///< relative, of energies that are equal

/// The space of the lowest rank, at least two, with so many determinants, or of all ranks.
CiSpace lowest_rank_space(const Integrals& integrals, std::optional<int> irrep, std::size_t size) {
  const auto [of_alpha, of_beta] = electron_numbers(integrals);
  for (int rank = 2;; ++rank) {
    const bool all = rank >= of_alpha + of_beta;
    try {
      CiSpace space = make_ci_space(integrals, {rank, irrep});
      if (all || std::cmp_greater_equal(space.size(), size)) return space;
    } catch (const TooManyDeterminants&) {
      throw;
    } catch (const InputError&) {  // none has the irrep
      if (all) throw;
    }
  }
}

std::size_t candidates_in(std::size_t bytes) {
  return bytes / 160;  // each met twice, and a copy while they are sorted
}

Growth cancelled_growth() {
  Growth none;
  none.cancelled = true;
  return none;
}

Growth with(const Expansion& expansion, const std::vector<Candidate>& added, double epsilon) {
  const ListedSpace& space = expansion.space;
  const auto rows = static_cast<std::size_t>(space.size());
  std::vector<OrbitalString> alphas(rows + added.size()), betas(alphas.size());
  const bool shared = worth_threads(8.0 * static_cast<double>(alphas.size()));
  for_each_index(space.alpha.size(), shared, [&](Index a) {
    for (const auto& [b, row] : space.determinants_of(a)) {
      alphas[row] = space.alpha.strings[a];
      betas[row] = space.beta.strings[b];
    }
  });
  for_each_index(added.size(), shared, [&](std::size_t i) {
    alphas[rows + i] = added[i].determinant[alpha];
    betas[rows + i] = added[i].determinant[beta];
  });
  Growth made;
  made.space =
      std::make_shared<const AnySpace>(make_listed_space(expansion.integrals, alphas, betas));
  made.added = added.size();
  made.epsilon = epsilon;
  return made;
}

}  // namespace

std::shared_ptr<const AnySpace> first_list(const Integrals& integrals, std::optional<int> irrep,
                                           std::size_t size) {
  const CiSpace space = lowest_rank_space(integrals, irrep, size);
  std::vector<double> energies(static_cast<std::size_t>(space.size()));
#pragma omp parallel for if (worth_threads(100.0 * static_cast <double>(space.size())))
  for (std::int64_t row = 0; row < space.size(); ++row) {
    energies[row] = determinant_energy(integrals, space.determinant(row));
  }
  std::vector<std::int64_t> order(energies.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t row) { return energies[row]; });
  size = std::min(size, order.size());
  const double last = energies[order[size - 1]];
  const double equal = last + rounding * std::abs(last - energies[order.front()]);
  while (size < order.size() && energies[order[size]] <= equal) ++size;
  std::vector<OrbitalString> alphas, betas;
  for (std::size_t i = 0; i < size; ++i) {
    const Determinant determinant = space.determinant(order[i]);
    alphas.push_back(determinant[alpha]);
    betas.push_back(determinant[beta]);
  }
  return std::make_shared<const AnySpace>(make_listed_space(integrals, alphas, betas));
}

Growth grown_by_importance(const Expansion& expansion, double epsilon, const Workplace& place,
                           const GoesOn& goes_on) {
  const std::size_t most = candidates_in(place.host_bytes);
  const CandidateSearch search =
      important_candidates(expansion, {epsilon, most, most}, place, goes_on);
  if (search.cancelled) return cancelled_growth();
  if (!search.found) {
    throw ResourceError(
        fmt::format("selection: more than {} determinants are more important than {:.2g} Hartree, "
                    "and they have "
                    "no room",
                    most, epsilon));
  }
  return with(expansion, *search.found, epsilon);
}

Growth grown_to_size(const Expansion& expansion, std::size_t size, double epsilon,
                     const Workplace& place, const GoesOn& goes_on) {
  const double largest = largest_integral(expansion.integrals);
  const double least = largest * std::numeric_limits<double>::epsilon();
  const auto wanted = size - static_cast<std::size_t>(expansion.space.size());
  const std::size_t most = std::min(candidates_in(place.host_bytes), 16 * wanted + 100000);
  if (!(epsilon > 0.0)) epsilon = 0.1 * largest;
  double too_low = 0.0;  // a bound above which there are too many
  while (true) {
    const CandidateSearch search =
        important_candidates(expansion, {epsilon, wanted, most}, place, goes_on);
    if (search.cancelled) return cancelled_growth();
    if (!search.found) {
      too_low = epsilon;
      epsilon *= 3.0;
      continue;
    }
    if (search.all < wanted && epsilon > least) {
      const double lower = epsilon * (search.all * 4 < wanted ? 0.25 : 0.5);
      const bool between = lower <= too_low;
      if (!between || epsilon / too_low >= 1.01) {
        epsilon = between ? std::sqrt(epsilon * too_low) : std::max(lower, least);
        continue;
      }
    }
    Growth made = with(expansion, *search.found, search.epsilon);
    made.complete = search.found->empty() && epsilon <= least;
    return made;
  }
}

HostMatrix carried_over(const HostMatrix& coefficients, const ListedSpace& from,
                        const ListedSpace& to) {
  HostMatrix carried = HostMatrix::Zero(to.size(), coefficients.cols());
  std::vector<Index> betas;
  for (const OrbitalString& s : from.beta.strings) betas.push_back(to.beta.find(s));
  const bool shared = worth_threads(20.0 * static_cast<double>(coefficients.size()));
  for_each_index(from.alpha.size(), shared, [&](Index a) {
    const auto there = to.determinants_of(to.alpha.find(from.alpha.strings[a]));
    for (const auto& [b, row] : from.determinants_of(a)) {
      carried.row(there.find(betas[b])) = coefficients.row(row);
    }
  });
  return carried;
}

}  // namespace cisolve
