#include "hamiltonian/density/grams/density_tables.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"
#include "hamiltonian/space/strings/string_walk.hpp"

namespace cisolve {
namespace {

/// Calls fill(u, s), which gives the entry, for all of the table in parallel.
template <class Fill>
void fill_table(OperatorTable& table, Index columns, Fill fill) {
  table.columns = columns;
  table.entries.resize(table.pairs.size() * std::size_t(columns));
#pragma omp parallel for if (worth_threads(10.0 * table.entries.size())) schedule(dynamic, 1)
  for (int u = 0; u < table.rows(); ++u) {
    Index* const row = table.entries.data() + std::size_t(u) * columns;
    for (Index s = 0; s < columns; ++s) row[s] = fill(table.pairs[u], s);
  }
}

Index signed_entry(int sign, Index string) {
  return sign > 0 ? string + 1 : -(string + 1);
}

/// E_pq, p the orbital of the pair that the resulting string holds.
Index excitation_entry(const DirectStrings& strings, const OrbitalPair& pair, Index to) {
  if (pair == no_pair) return to + 1;
  const OrbitalString64 s = strings.strings[to];
  if (!s.has(pair.p)) return 0;
  if (pair.p == pair.q) return to + 1;
  if (s.has(pair.q)) return 0;
  const Index from = strings.find(s.without(pair.p).with(pair.q));
  return from < 0 ? 0 : signed_entry(excitation_sign(s, pair.p, pair.q), from);
}

Index removal_entry(const DirectStrings& strings, const OrbitalPair& pair, OrbitalString64 k) {
  if (k.has(pair.p) || k.has(pair.q)) return 0;
  const Index from = strings.find(k.with(pair.p).with(pair.q));
  return from < 0 ? 0 : signed_entry(addition_sign(k, pair.p, pair.q), from);
}

FewerElectrons two_fewer(const DirectStrings& strings, const DirectLayout& layout) {
  FewerElectrons fewer;
  for_each_string<OrbitalString64>(strings.orbitals, strings.electrons - 2,
                                   [&](OrbitalString64 k) { fewer.strings.push_back(k); });
  const auto irrep = [&](OrbitalString64 k) { return layout.file_irrep(strings.irrep(k)); };
  std::ranges::stable_sort(fewer.strings, {}, irrep);
  for (const OrbitalString64 k : fewer.strings) ++fewer.begin[irrep(k) + 1];
  std::partial_sum(fewer.begin.begin(), fewer.begin.end(), fewer.begin.begin());
  return fewer;
}

}  // namespace

DensityTables::DensityTables(const DirectLayout& of, DensityOrder order) : layout(of) {
  const bool two = order == DensityOrder::two_particle;
  for (const Spin spin : {alpha, beta}) {
    const DirectStrings& all = strings(spin);
    if (two) fewer_electrons[spin] = two_fewer(all, layout);
    const auto& fewer = fewer_electrons[spin].strings;
    excitations[spin][0].pairs.push_back(no_pair);
    for (int p = 0; p < all.orbitals; ++p) {
      for (int q = 0; q < all.orbitals; ++q) {
        const int k =
            layout.file_irrep(irrep_product(all.orbital_irreps[p], all.orbital_irreps[q]));
        if (!two && k != 0) continue;
        if (spin == beta || p >= q) excitations[spin][k].pairs.push_back({p, q});
        if (two && p > q) removals[spin][k].pairs.push_back({p, q});
      }
    }
    for (int k = 0; k < most_irreps; ++k) {
      fill_table(excitations[spin][k], all.size(),
                 [&](const OrbitalPair& pair, Index s) { return excitation_entry(all, pair, s); });
      fill_table(
          removals[spin][k], static_cast<Index>(fewer.size()),
          [&](const OrbitalPair& pair, Index s) { return removal_entry(all, pair, fewer[s]); });
    }
  }
}

StringRange DensityTables::strings(Spin spin, int file_irrep) const {
  const DirectStrings& all = strings(spin);
  StringRange range;
  bool found = false;
  for (int g = 0; g < most_irreps; ++g) {  // ascending, so that theirs are one behind another
    if (layout.file_irrep(g) != file_irrep) continue;
    if (!found) range.first = all.begin[g];
    range.last = all.begin[g + 1];
    found = true;
  }
  return range;
}

StringRange DensityTables::betas(int file_irrep) const {
  for (int g = 0; g < most_irreps; ++g) {
    if (layout.file_irrep(g) == file_irrep) return layout.betas(g);
  }
  return {};
}

}  // namespace cisolve
