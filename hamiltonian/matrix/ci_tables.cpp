#include "hamiltonian/matrix/ci_tables.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace cisolve {
namespace {

std::vector<RowBlock> make_blocks(const CiSpace& space) {
  std::vector<RowBlock> blocks;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const BetaStrings betas = space.betas(a);
    for (Index first = betas.first(); first < betas.last();) {
      const int group = space.beta.group(space.beta.irrep_of[first], space.beta.rank_of[first]);
      const Index last =
          std::min({betas.last(), space.beta.group_begin[group + 1], first + row_block_rows});
      blocks.push_back({a, first, last});
      first = last;
    }
  }
  return blocks;
}

std::vector<SinglesRange> make_ranges(const CiSpace& space, const ExcitationTable& table) {
  const int groups = space.alpha.groups();
  std::vector<SinglesRange> ranges(std::size_t(space.beta.size()) * groups, SinglesRange{0, 0, 0});
#pragma omp parallel for if (worth_threads(50.0 * groups * space.beta.size())) schedule(static)
  for (Index b = 0; b < space.beta.size(); ++b) {
    const auto singles = table.singles(b);
    const auto position = [&](Index target) {
      const auto found = std::lower_bound(
          singles.begin(), singles.end(), target,
          [](const SingleExcitation& s, Index wanted) { return s.target < wanted; });
      return static_cast<std::uint16_t>(found - singles.begin());
    };
    for (int g = 0; g < groups; ++g) {
      const Index a = space.alpha.group_begin[g];
      if (a == space.alpha.group_begin[g + 1]) continue;
      const BetaStrings betas = space.betas(a);
      const std::uint16_t first = position(betas.first()), last = position(betas.last());
      ranges[std::size_t(b) * groups + g] = {first, std::clamp(position(b), first, last), last};
    }
  }
  return ranges;
}

}  // namespace

CiTables::CiTables(const Integrals& integrals, const CiSpace& ci_space)
    : space(ci_space), core_energy(integrals.core_energy), mixed(*integrals.alpha_beta) {
  excitations[alpha] = std::make_shared<ExcitationTable>(
      space.alpha, SpinIntegrals{*integrals.one_electron[alpha], *integrals.alpha_alpha});
  const bool shared = !integrals.unrestricted && space.alpha.strings == space.beta.strings;
  excitations[beta] =
      shared ? excitations[alpha]
             : std::make_shared<ExcitationTable>(
                   space.beta, SpinIntegrals{*integrals.one_electron[beta], *integrals.beta_beta});
  ranges = make_ranges(space, *excitations[beta]);
  blocks = make_blocks(space);
}

RowBlock CiTables::block_of(Index row) const {
  const Index a = space.alpha_of(row), b = row - first_column(a);
  return {a, b, b + 1};
}

std::size_t CiTables::bytes() const {
  return excitations[alpha]->bytes() +
         (excitations[beta] == excitations[alpha] ? 0 : excitations[beta]->bytes()) +
         ranges.size() * sizeof(SinglesRange) + blocks.size() * sizeof(RowBlock);
}

}  // namespace cisolve
