#include "hamiltonian/matrix/ci_tables.hpp"

#include <algorithm>

namespace cisolve {

SpinExcitations make_excitations(const Integrals& integrals, const StringSpace& of_alpha,
                                 const StringSpace& of_beta) {
  auto alphas = std::make_shared<const ExcitationTable>(
      of_alpha, SpinIntegrals{*integrals.one_electron[alpha], *integrals.alpha_alpha});
  if (!integrals.unrestricted && of_alpha.strings == of_beta.strings) return {alphas, alphas};
  return {alphas, std::make_shared<const ExcitationTable>(
                      of_beta, SpinIntegrals{*integrals.one_electron[beta], *integrals.beta_beta})};
}

std::vector<RowBlock> CiTables::blocks_of(Index first, Index last) const {
  std::vector<RowBlock> cut;
  for (const RowBlock& block : blocks) {
    if (block.last <= first || block.first >= last) continue;
    cut.push_back({block.alpha_string, std::max(first, block.first), std::min(last, block.last)});
  }
  return cut;
}

std::size_t CiTables::bytes() const {
  return excitations[alpha]->bytes() +
         (excitations[beta] == excitations[alpha] ? 0 : excitations[beta]->bytes()) +
         beta_singles.bytes() + blocks.size() * sizeof(RowBlock);
}

}  // namespace cisolve
