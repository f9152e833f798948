#include "hamiltonian/integrals/allowed_integrals.hpp"

#include <vector>

namespace cisolve {
namespace {

std::shared_ptr<const OneElectron> allowed_one(const OneElectron& h,
                                               const std::vector<int>& irreps) {
  auto made = std::make_shared<OneElectron>(h);
  for (int p = 0; p < h.orbitals(); ++p) {
    for (int q = 0; q < p; ++q) {
      if (irreps[p] != irreps[q]) made->set(p, q, 0.0);
    }
  }
  return made;
}

/// The irrep of each pair of orbitals.
std::vector<int> pair_irreps(const std::vector<int>& irreps) {
  std::vector<int> made;
  for (std::size_t p = 0; p < irreps.size(); ++p) {
    for (std::size_t q = 0; q <= p; ++q) made.push_back(irrep_product(irreps[p], irreps[q]));
  }
  return made;
}

std::shared_ptr<const TwoElectron> allowed_two(const TwoElectron& g, const std::vector<int>& first,
                                               const std::vector<int>& second) {
  auto made = std::make_shared<TwoElectron>(g);
  const std::vector<int> pq = pair_irreps(first), rs = pair_irreps(second);
  for (int i = 0; i < g.pairs(); ++i) {
    double* const row = made->row(i);
    for (int j = 0; j < g.pairs(); ++j) {
      if (pq[i] != rs[j]) row[j] = 0.0;
    }
  }
  return made;
}

}  // namespace

Integrals allowed_integrals(const Integrals& integrals) {
  const auto& [of_alpha, of_beta] = integrals.orbital_irreps;
  if (of_alpha.empty() || of_beta.empty()) return integrals;
  Integrals made = integrals;
  made.one_electron[alpha] = allowed_one(*integrals.one_electron[alpha], of_alpha);
  made.alpha_alpha = allowed_two(*integrals.alpha_alpha, of_alpha, of_alpha);
  if (!integrals.unrestricted || integrals.general) {
    made.one_electron[beta] = made.one_electron[alpha];
    made.alpha_beta = made.beta_beta = made.alpha_alpha;
    return made;
  }
  made.one_electron[beta] = allowed_one(*integrals.one_electron[beta], of_beta);
  made.alpha_beta = allowed_two(*integrals.alpha_beta, of_alpha, of_beta);
  made.beta_beta = allowed_two(*integrals.beta_beta, of_beta, of_beta);
  return made;
}

}  // namespace cisolve
