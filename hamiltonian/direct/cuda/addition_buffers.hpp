#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "hamiltonian/direct/rows/direct_layout.hpp"
#include "hamiltonian/direct/tables/same_spin.hpp"

namespace cisolve {

/// SameSpin of the strings of one irrep on the device, as it leads to some of them.
struct AdditionBuffers {
  /// `targets`: strings by their number within the irrep, one behind another.
  AdditionBuffers(const SameSpin& same_spin, int irrep, const StringRange& targets,
                  Backend& backend)
      : to(targets) {
    const SameSpin::OfIrrep& of = same_spin.of(irrep);
    std::vector<Offset> from_begin{0}, to_begin{0};
    std::vector<PairLink> from, wanted;
    std::vector<std::int8_t> irreps;
    for (Index i = 0; i < same_spin.blocks(irrep); ++i) {
      const auto additions = same_spin.block(irrep, i).additions;
      for (const PairLink& link : additions) {
        if (targets.first <= link.string && link.string < targets.last) wanted.push_back(link);
      }
      const auto count = static_cast<int>(static_cast<Offset>(wanted.size()) - to_begin.back());
      if (count == 0) continue;
      from.insert(from.end(), additions.begin(), additions.end());
      from_begin.push_back(static_cast<Offset>(from.size()));
      to_begin.push_back(static_cast<Offset>(wanted.size()));
      irreps.push_back(of.pair_irrep[i]);
      most = std::max(most, static_cast<int>(additions.size()));
      most_targets = std::max(most_targets, count);
    }
    blocks = static_cast<Index>(irreps.size());
    if (blocks == 0) return;
    // Additions of each string: from which κ, at which place among its targets.
    std::vector<std::vector<Index>> of_string(targets.size());
    for (Index i = 0; i < blocks; ++i) {
      for (Offset e = to_begin[i]; e < to_begin[i + 1]; ++e) {
        const Index row = i * most_targets + static_cast<Index>(e - to_begin[i]) + 1;
        of_string[wanted[e].string - targets.first].push_back(row);
      }
    }
    std::vector<Offset> first{0};
    std::vector<Index> all;
    for (const auto& list : of_string) {
      all.insert(all.end(), list.begin(), list.end());
      first.push_back(static_cast<Offset>(all.size()));
    }
    begin = Buffer<Offset>::from_host(backend, from_begin);
    links = Buffer<PairLink>::from_host(backend, from);
    targets_begin = Buffer<Offset>::from_host(backend, to_begin);
    target_links = Buffer<PairLink>::from_host(backend, wanted);
    pair_irrep = Buffer<std::int8_t>::from_host(backend, irreps);
    entries_begin = Buffer<Offset>::from_host(backend, first);
    entries = Buffer<Index>::from_host(backend, all);
  }

  StringRange to;
  Index blocks = 0;      ///< those that lead to any of them
  int most = 0;          ///< additions of a block
  int most_targets = 0;  ///< of them those to the strings that are wanted
  Buffer<Offset> begin, targets_begin;
  Buffer<PairLink> links, target_links;
  Buffer<std::int8_t> pair_irrep;
  Buffer<Offset> entries_begin;
  Buffer<Index> entries;
};

}  // namespace cisolve
