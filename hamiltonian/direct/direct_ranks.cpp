#include "hamiltonian/direct/direct_ranks.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "backends/ranks/communicator.hpp"

namespace cisolve {
namespace {

/// The strings of `all` within those of an irrep.
StringRange within(const StringRange& all, const DirectStrings& strings, int irrep) {
  const Index first = strings.begin[irrep], last = strings.begin[irrep + 1];
  return {std::clamp(all.first, first, last), std::clamp(all.last, first, last)};
}

}  // namespace

DirectRanks::DirectRanks(const DirectTables& tables, Backend& backend, const BlockOfG& block)
    : alpha_strings_(tables.layout.alpha_strings),
      backend_(backend),
      rank_(backend.communicator().rank()),
      rows_(tables.rows.partition()) {
  if (rows_.ranks() != backend.communicator().size()) {
    throw std::logic_error("direct products over " + std::to_string(rows_.ranks()) +
                           " ranks' rows, on " + std::to_string(backend.communicator().size()));
  }
  // Blocks of G are of a size that the processor chooses, and ranks may have different ones.
  const bool parities = tables.rows.kinds().front().parity != Parity::none;
  for (const bool lower : {false, true}) {
    if (lower && !parities) continue;
    std::vector<Index>& begin = alphas_[lower].begin;
    begin = share_out(tables, lower, block, rows_.ranks()).begin;
    backend.communicator().broadcast(begin.data(), begin.size() * sizeof(Index));
  }
}

StringRange DirectRanks::alphas(bool lower, int irrep) const {
  return within(alphas(lower), alpha_strings_, irrep);
}

ConstView DirectRanks::whole(ConstView x, double* room) const {
  if (alone()) return x;
  const View all{room, rows_.rows(), 1, 1};
  backend_.gather(x, rows_, all);
  return all;
}

ConstView DirectRanks::whole_in_common(ConstView x, double* room) const {
  meet();
  backend_.copy(x, {room + first_row(), x.rows, 1, 1});
  meet();
  return {room, rows_.rows(), 1, 1};
}

void DirectRanks::meet() const {
  backend_.communicator().barrier();
}

void DirectRanks::gather(bool lower, const double* sigma, const Places& places,
                         double* whole) const {
  for (int g = 0; g < most_irreps; ++g) {
    const Index first = alpha_strings_.begin[g], ld = places.ld[g];
    if (alpha_strings_.size(g) == 0 || ld == 0) continue;
    RowPartition parts;
    for (const Index border : alphas_[lower].begin) {
      parts.begin.push_back(std::clamp(border, first, alpha_strings_.begin[g + 1]) - first);
    }
    const ConstView own{sigma + places.base[g] + std::int64_t{parts.first(rank_)} * ld,
                        parts.count(rank_), ld, ld};
    backend_.gather(own, parts, {whole + places.base[g], parts.rows(), ld, ld});
  }
}

}  // namespace cisolve
