#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "hamiltonian/direct/same_spin.hpp"

namespace cisolve {

/// SameSpin of the strings of one irrep on the device.
struct AdditionBuffers {
  AdditionBuffers(const SameSpin& same_spin, int irrep, Index strings, Backend& backend) {
    const SameSpin::OfIrrep& of = same_spin.of(irrep);
    blocks = static_cast<Index>(of.pair_irrep.size());
    if (blocks == 0) return;
    most = same_spin.most_additions(irrep);
    // What each string gets: from which κ, at which place among its additions.
    std::vector<std::vector<Index>> of_string(strings);
    for (Index i = 0; i < blocks; ++i) {
      for (Offset e = of.begin[i]; e < of.begin[i + 1]; ++e) {
        const Index row = i * most + static_cast<Index>(e - of.begin[i]) + 1;
        of_string[of.additions[e].string].push_back(row);
      }
    }
    std::vector<Offset> first{0};
    std::vector<Index> all;
    for (const auto& list : of_string) {
      all.insert(all.end(), list.begin(), list.end());
      first.push_back(static_cast<Offset>(all.size()));
    }
    begin = Buffer<Offset>::from_host(backend, of.begin);
    links = Buffer<PairLink>::from_host(backend, of.additions);
    pair_irrep = Buffer<std::int8_t>::from_host(backend, of.pair_irrep);
    entries_begin = Buffer<Offset>::from_host(backend, first);
    entries = Buffer<Index>::from_host(backend, all);
  }

  Index blocks = 0;
  int most = 0;  ///< additions of a block
  Buffer<Offset> begin;
  Buffer<PairLink> links;
  Buffer<std::int8_t> pair_irrep;
  Buffer<Offset> entries_begin;
  Buffer<Index> entries;
};

}  // namespace cisolve
