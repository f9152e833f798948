#include "hamiltonian/states/excitation_rank.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/host_matrix.hpp"
#include "core/parallel.hpp"

namespace cisolve {

int excitation_rank(const CiSpace& space, const Determinant& determinant) {
  return std::popcount(determinant[alpha] & ~space.alpha.reference) +
         std::popcount(determinant[beta] & ~space.beta.reference);
}

std::vector<double> rank_weights(const CiSpace& space, const HostVector& x) {
  std::array<double, 129> sums{};  // two strings of at most 64 electrons
  double* weights = sums.data();
  int highest = 0;
#pragma omp parallel for if (worth_threads(x.size())) schedule(static) \
    reduction(+ : weights[:129]) reduction(max : highest)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const Index b : space.betas(a)) {
      const int rank = excitation_rank(space, {space.alpha.strings[a], space.beta.strings[b]});
      const double c = x[space.row(a, b)];
      weights[rank] += c * c;
      highest = std::max(highest, rank);
    }
  }
  return {sums.begin(), sums.begin() + highest + 1};
}

}  // namespace cisolve
