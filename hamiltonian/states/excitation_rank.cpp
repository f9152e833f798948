#include "hamiltonian/states/excitation_rank.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/block_sums.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {
namespace {

constexpr int most_ranks = OrbitalString::most_orbitals + 1;  // of a string

int string_rank(const OrbitalString& string, const StringSpace& space) {
  return (string & ~space.reference).count();
}

/// The rank of every string of that spin.
std::vector<std::int8_t> string_ranks(const StringSpace& space) {
  std::vector<std::int8_t> ranks;
  ranks.reserve(space.strings.size());
  for (const OrbitalString& s : space.strings) {
    ranks.push_back(static_cast<std::int8_t>(string_rank(s, space)));
  }
  return ranks;
}

/// The highest rank of a determinant. Alpha strings of a group have the same beta strings.
int highest_rank(const CiSpace& space, const std::vector<std::int8_t>& of_alpha,
                 const std::vector<std::int8_t>& of_beta) {
  int highest = 0;
  for (int group = 0; group < space.alpha.groups(); ++group) {
    const Index first = space.alpha.group_begin[group], last = space.alpha.group_begin[group + 1];
    if (first == last) continue;
    const int of_group = *std::max_element(of_alpha.begin() + first, of_alpha.begin() + last);
    for (const Index b : space.betas(first)) highest = std::max(highest, of_group + of_beta[b]);
  }
  return highest;
}

}  // namespace

int excitation_rank(const CiSpace& space, const Determinant& determinant) {
  return string_rank(determinant[alpha], space.alpha) + string_rank(determinant[beta], space.beta);
}

std::vector<double> rank_weights(const CiSpace& space, const HostVector& x) {
  const auto of_alpha = string_ranks(space.alpha), of_beta = string_ranks(space.beta);
  const auto add = [&](std::int64_t a, double* sums) {
    std::array<double, most_ranks> by_rank{};  // of the beta string
    int highest = 0;
    const BetaStrings range = space.betas(static_cast<Index>(a));
    for (const Index b : range) {
      const double c = x[range.row(b)];
      by_rank[of_beta[b]] += c * c;
      highest = std::max<int>(highest, of_beta[b]);
    }
    if (range.empty()) return;
    for (int r = 0; r <= highest; ++r) sums[of_alpha[a] + r] += by_rank[r];
  };
  const int highest = highest_rank(space, of_alpha, of_beta);
  return block_sums(space.alpha.size(), highest + 1, x.size(), add);
}

}  // namespace cisolve
