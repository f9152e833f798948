#include "hamiltonian/direct/direct_share.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "hamiltonian/direct/tables/lowest_targets.hpp"

namespace cisolve {
namespace {

/// For every string the sum of the additions of all κ that it is made of. Over all strings of an
/// irrep these add up to Σ_κ (additions to κ)².
std::vector<double> additions_of(const SameSpin& same_spin, const DirectStrings& strings) {
  std::vector<double> sums(strings.size(), 0.0);
  for (int g = 0; g < most_irreps; ++g) {
    for (Index i = 0; i < same_spin.blocks(g); ++i) {
      const auto additions = same_spin.block(g, i).additions;
      for (const PairLink& link : additions) {
        sums[strings.begin[g] + link.string] += static_cast<double>(additions.size());
      }
    }
  }
  return sums;
}

/// Size of the part of G that an alpha string needs, pairs × strings for a row of c, for alpha
/// strings of one irrep and pairs of one.
class PartOfG {
 public:
  PartOfG(const DirectTables& tables, int g, int h)
      : all_(static_cast<double>(tables.v[h].cols()) *
             tables.layout.betas(irrep_product(g, h)).size()) {}

  /// Size for the targets up to the alpha string only.
  PartOfG(const DirectTables& tables, int g, int h, const LowestTargets& lowest,
          const BlockOfG& block)
      : PartOfG(tables, g, h) {
    const StringRange sources = tables.layout.betas(irrep_product(g, h));
    const auto& tiles = tables.beta_links.tiles();
    for (Index i = 0; i < static_cast<Index>(tiles.size()); ++i) {
      if (tiles[i].first < sources.first || tiles[i].last > sources.last) continue;
      const Index blocks = (tiles[i].size() + block.strings - 1) / block.strings;
      for (Index t = 0; t < static_cast<Index>(tables.v[h].cols()); t += block.pairs) {
        const Index* const of_tile = lowest.of(i, static_cast<int>(t));
        lowest_.insert(lowest_.end(), of_tile, of_tile + blocks);
      }
    }
    std::ranges::sort(lowest_);
    lower_ = true;
  }

  double of(Index a) const {
    if (!lower_ || lowest_.empty()) return all_;
    const auto wanted = std::ranges::upper_bound(lowest_, a) - lowest_.begin();
    return all_ * static_cast<double>(wanted) / static_cast<double>(lowest_.size());
  }

 private:
  double all_;
  bool lower_ = false;
  std::vector<Index> lowest_;  ///< of each block its lowest target, ascending
};

/// Floating-point operations for every alpha string.
std::vector<double> flops_of_alphas(const DirectTables& tables, bool lower, const BlockOfG& block) {
  const DirectLayout& layout = tables.layout;
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
  const std::vector<double> of_alpha = additions_of(tables.same_spin[alpha], alphas);
  const std::vector<double> of_beta = additions_of(tables.same_spin[beta], betas);
  std::vector<double> flops(alphas.size());
  for (Index a = 0; a < alphas.size(); ++a) {
    const StringRange targets = layout.betas(alphas.irrep_of[a]);
    flops[a] = (1.0 + 2.0 * of_alpha[a]) * targets.size();  // and σ is read and written
  }
  for (int g = 0; g < most_irreps; ++g) {
    if (alphas.size(g) == 0) continue;
    double of_betas = 0.0;
    for (Index b = layout.betas(g).first; !lower && b < layout.betas(g).last; ++b) {
      of_betas += 2.0 * of_beta[b];
    }
    for (Index a = alphas.begin[g]; a < alphas.begin[g + 1]; ++a) flops[a] += of_betas;
  }
  for (int h = 0; h < most_irreps; ++h) {
    if (tables.v[h].size() == 0) continue;
    std::vector<LowestTargets> lowest;
    if (lower) lowest.emplace_back(tables.beta_links, h, block.pairs, block.strings);
    for (int g = 0; g < most_irreps; ++g) {
      if (alphas.size(g) == 0 || layout.betas(irrep_product(g, h)).size() == 0) continue;
      const PartOfG part = lower ? PartOfG(tables, g, h, lowest[0], block) : PartOfG(tables, g, h);
      for (Index a = alphas.begin[g]; a < alphas.begin[g + 1]; ++a) {
        const auto rows = static_cast<double>(tables.alpha_links.of(a, h).size() + (h == 0));
        flops[a] += 2.0 * rows * part.of(a);
      }
    }
  }
  return flops;
}

}  // namespace

RowPartition share_out(const DirectTables& tables, bool lower, const BlockOfG& block, int ranks) {
  const Index alphas = tables.layout.alpha_strings.size();
  if (ranks == 1) return {{0, alphas}};
  std::vector<double> before{0.0};  // flops of the alpha strings before each
  for (const double flops : flops_of_alphas(tables, lower, block)) {
    before.push_back(before.back() + flops);
  }
  RowPartition parts{{0}};
  for (int r = 1; r < ranks; ++r) {
    const auto border = std::ranges::lower_bound(before, before.back() * r / ranks);
    parts.begin.push_back(static_cast<Index>(border - before.begin()));
  }
  parts.begin.push_back(alphas);
  return parts;
}

}  // namespace cisolve
