#include "hamiltonian/states/irrep_weights.hpp"

#include <algorithm>

#include "core/dense/host_matrix.hpp"
#include "core/threads/block_sums.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve {
namespace {

int string_irrep(const OrbitalString& string, const std::vector<int>& orbital_irreps) {
  int irrep = 0;
  for (const int p : string) irrep = irrep_product(irrep, orbital_irreps[p]);
  return irrep;
}

/// The irrep of every string of that spin.
std::vector<int> string_irreps(const StringSpace& space, const std::vector<int>& orbital_irreps) {
  std::vector<int> result;
  result.reserve(space.strings.size());
  for (const OrbitalString& s : space.strings) result.push_back(string_irrep(s, orbital_irreps));
  return result;
}

/// True if orbitals of both spins have irreps, and not all the same one.
bool has_symmetry(const Integrals& integrals) {
  bool symmetry = false;
  for (const auto& irreps : integrals.orbital_irreps) {
    if (irreps.empty()) return false;
    symmetry = symmetry || std::ranges::any_of(irreps, [](int irrep) { return irrep != 0; });
  }
  return symmetry;
}

}  // namespace

template <DeterminantSpace Space>
std::array<double, 8> irrep_weights(const Space& space, const Integrals& integrals,
                                    const HostVector& x) {
  if (!has_symmetry(integrals)) return {};
  const std::vector<int> of_alpha = string_irreps(space.alpha, integrals.orbital_irreps[alpha]);
  const std::vector<int> of_beta = string_irreps(space.beta, integrals.orbital_irreps[beta]);
  const auto add = [&](std::int64_t a, double* sums) {
    std::array<double, most_irreps> by_irrep{};  // of the beta string
    for (const auto& [b, row] : space.determinants_of(static_cast<Index>(a))) {
      const double c = x[row];
      by_irrep[of_beta[b]] += c * c;
    }
    for (int g = 0; g < most_irreps; ++g) sums[irrep_product(of_alpha[a], g)] += by_irrep[g];
  };
  const std::vector<double> sums = block_sums(space.alpha.size(), most_irreps, x.size(), add);
  std::array<double, most_irreps> weights{};
  std::ranges::copy(sums, weights.begin());
  return weights;
}

template std::array<double, 8> irrep_weights(const CiSpace&, const Integrals&, const HostVector&);
template std::array<double, 8> irrep_weights(const ListedSpace&, const Integrals&,
                                             const HostVector&);

std::optional<int> irrep_of(const Determinant& determinant, const Integrals& integrals) {
  if (!has_symmetry(integrals)) return std::nullopt;
  return string_irrep(determinant[alpha], integrals.orbital_irreps[alpha]) ^
         string_irrep(determinant[beta], integrals.orbital_irreps[beta]);
}

std::optional<int> irrep_of(const std::array<double, 8>& weights, const Integrals& integrals) {
  constexpr double rest = 1e-6;
  if (!has_symmetry(integrals)) return std::nullopt;
  for (int irrep = 0; irrep < 8; ++irrep) {
    if (weights[irrep] >= 1.0 - rest) return irrep;
  }
  return std::nullopt;
}

}  // namespace cisolve
