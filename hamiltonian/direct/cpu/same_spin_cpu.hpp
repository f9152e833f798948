#pragma once

#include <algorithm>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/direct/cpu/combine_rows.hpp"
#include "hamiltonian/direct/rows/direct_layout.hpp"
#include "hamiltonian/direct/tables/same_spin.hpp"

namespace cisolve {

using Rows = Eigen::Map<HostMatrix>;

/// Columns that the electrons of one spin are multiplied in at a time.
constexpr Index same_spin_width = 72;
static_assert(same_spin_width % combined_columns == 0);

/// Memory of a thread, as large as was ever asked for.
class Scratch {
 public:
  double* of(Eigen::Index doubles) {
    if (memory_.size() < doubles) {
      memory_ = HostVector();  // Eigen's resize frees it twice where there is no memory for more
      memory_ = HostVector(doubles);
    }
    return memory_.data();
  }
  Rows matrix(Eigen::Index rows, Eigen::Index columns) {
    return {of(rows * columns), rows, columns};
  }

 private:
  HostVector memory_;
};

/// out += (the electrons of one spin among themselves) in, over the strings of one irrep, row by
/// row of `in` and `out`, whose columns are whole blocks; of `out` the rows `targets` alone.
class SameSpinColumns {
 public:
  void add(const SameSpin& same_spin, int irrep, const StringRange& targets, const Rows& in,
           Rows& out) {
    for (Index i = 0; i < same_spin.blocks(irrep); ++i) {
      const auto [additions, w] = same_spin.block(irrep, i);
      to_.clear();
      rows_.clear();
      images_.clear();
      for (const PairLink& to : additions) {
        if (to.string < targets.first || to.string >= targets.last) continue;
        to_.push_back(to);
        images_.push_back(out.row(to.string).data());
      }
      if (to_.empty()) continue;
      const auto k = static_cast<int>(additions.size()), n = static_cast<int>(to_.size());
      PackedWeights weights(weights_memory_.of(PackedWeights::size(k, n)), k, n);
      for (const PairLink& from : additions) {
        const double* const of_pair = w.row(from.pair).data();
        weights.set(static_cast<int>(rows_.size()),
                    [&](int l) { return from.sign * to_[l].sign * of_pair[to_[l].pair]; });
        rows_.push_back(in.row(from.string).data());
      }
      // Those that fill up the last set have weights of zero.
      while (images_.size() % rows_together != 0) images_.push_back(unused_.of(in.cols()));
      for (int l = 0; l < n; l += rows_together) {
        combine_rows<true>(rows_.data(), in.cols(), weights, l, images_.data() + l,
                           [](std::int64_t) { return true; });
      }
    }
  }

 private:
  std::vector<PairLink> to_;
  std::vector<const double*> rows_;
  std::vector<double*> images_;
  Scratch weights_memory_, unused_;
};

}  // namespace cisolve
