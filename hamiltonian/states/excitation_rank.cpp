#include "hamiltonian/states/excitation_rank.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/dense/host_matrix.hpp"
#include "core/threads/block_sums.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve {
namespace {

constexpr int most_ranks = OrbitalString::most_orbitals + 1;  // of a string

int string_rank(const OrbitalString& string, const OrbitalString& reference) {
  return (string & ~reference).count();
}

/// The rank of every string of that spin.
std::vector<std::int8_t> string_ranks(const StringSpace& space) {
  std::vector<std::int8_t> ranks;
  ranks.reserve(space.strings.size());
  for (const OrbitalString& s : space.strings) {
    ranks.push_back(static_cast<std::int8_t>(string_rank(s, space.reference)));
  }
  return ranks;
}

}  // namespace

int excitation_rank(const Determinant& determinant, const Determinant& reference) {
  return string_rank(determinant[alpha], reference[alpha]) +
         string_rank(determinant[beta], reference[beta]);
}

template <DeterminantSpace Space>
std::vector<double> rank_weights(const Space& space, const HostVector& x) {
  const auto of_alpha = string_ranks(space.alpha), of_beta = string_ranks(space.beta);
  const int of_betas = 1 + *std::ranges::max_element(of_beta);
  const int ranks = *std::ranges::max_element(of_alpha) + of_betas;  // or fewer
  // Weights, and behind them how many alpha strings have determinants of the rank.
  const auto add = [&](std::int64_t a, double* sums) {
    std::array<double, most_ranks> by_rank{};  // of the beta string
    std::array<bool, most_ranks> found{};
    for (const auto& [b, row] : space.determinants_of(static_cast<Index>(a))) {
      const double c = x[row];
      by_rank[of_beta[b]] += c * c;
      found[of_beta[b]] = true;
    }
    for (int r = 0; r < of_betas; ++r) {
      sums[of_alpha[a] + r] += by_rank[r];
      sums[ranks + of_alpha[a] + r] += found[r] ? 1.0 : 0.0;
    }
  };
  std::vector<double> weights = block_sums(space.alpha.size(), 2 * ranks, x.size(), add);
  int highest = ranks - 1;
  while (weights[ranks + highest] == 0.0) --highest;
  weights.resize(highest + 1);
  return weights;
}

template std::vector<double> rank_weights(const CiSpace&, const HostVector&);
template std::vector<double> rank_weights(const ListedSpace&, const HostVector&);

}  // namespace cisolve
