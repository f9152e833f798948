#include "hamiltonian/matrix/ci_tables.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace cisolve {
namespace {

std::vector<RowBlock> make_blocks(const CiSpace& space) {
  std::vector<RowBlock> blocks;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const BetaRange& range : space.betas(a).ranges()) {
      for (Index first = range.first; first < range.last;) {
        const int group = space.beta.group_of[first];
        const Index last =
            std::min({range.last, space.beta.group_begin[group + 1], first + row_block_rows});
        blocks.push_back({a, first, last});
        first = last;
      }
    }
  }
  return blocks;
}

std::vector<SinglesRange> make_ranges(const CiSpace& space, const ExcitationTable& table) {
  const Index count = space.ranges();
  std::vector<SinglesRange> ranges(std::size_t(space.beta.size()) * count, SinglesRange{0, 0, 0});
#pragma omp parallel for if (worth_threads(50.0 * count * space.beta.size())) schedule(static)
  for (Index b = 0; b < space.beta.size(); ++b) {
    const auto singles = table.singles(b);
    const auto position = [&](Index target) {
      const auto found = std::lower_bound(
          singles.begin(), singles.end(), target,
          [](const SingleExcitation& s, Index wanted) { return s.target < wanted; });
      return static_cast<std::uint16_t>(found - singles.begin());
    };
    SinglesRange* of_string = &ranges[std::size_t(b) * count];
    for (int g = 0; g < space.alpha.groups(); ++g) {
      for (const BetaRange& range : space.ranges_of_group(g)) {
        const std::uint16_t first = position(range.first), last = position(range.last);
        *of_string++ = {first, std::clamp(position(b), first, last), last};
      }
    }
  }
  return ranges;
}

std::vector<bool> reached_ranges(const CiSpace& space, const std::vector<SinglesRange>& ranges) {
  const auto count = static_cast<std::size_t>(space.ranges());
  std::vector<bool> reached(space.beta.groups() * count);
  for (Index b = 0; b < space.beta.size(); ++b) {
    const std::size_t group = space.beta.group_of[b];
    for (std::size_t r = 0; r < count; ++r) {
      const SinglesRange& of_string = ranges[b * count + r];
      if (of_string.first != of_string.last) reached[group * count + r] = true;
    }
  }
  return reached;
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
  reached = reached_ranges(space, ranges);
  blocks = make_blocks(space);
}

std::vector<RowBlock> CiTables::blocks_of(Index first, Index last) const {
  std::vector<RowBlock> cut;
  for (const RowBlock& block : blocks) {
    const Index row = first_row(block), rows = block.last - block.first;
    if (row + rows <= first || row >= last) continue;
    const Index begin = std::max(first - row, 0), end = std::min(last - row, rows);
    cut.push_back({block.alpha_string, block.first + begin, block.first + end});
  }
  return cut;
}

RowBlock CiTables::block_of(Index row) const {
  const Index a = space.alpha_of(row), b = space.betas(a).string(row);
  return {a, b, b + 1};
}

std::size_t CiTables::bytes() const {
  return excitations[alpha]->bytes() +
         (excitations[beta] == excitations[alpha] ? 0 : excitations[beta]->bytes()) +
         ranges.size() * sizeof(SinglesRange) + blocks.size() * sizeof(RowBlock);
}

}  // namespace cisolve
