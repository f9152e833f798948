#pragma once

#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "core/threads/parallel.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Trees of rows whose roots are their lowest rows; any thread may find and unite (Jayanti, Tarjan
/// 2016: concurrent union-find, path halving).
class Forest {
 public:
  explicit Forest(Index rows) : parent_(rows), trees_(rows) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  Index find(Index i) {
    while (true) {
      const Index parent = load(i), grandparent = load(parent);
      if (parent == grandparent) return parent;
      // Path halving. Parents only ever move towards the root, so a stale write does no harm.
      at(i).store(grandparent, std::memory_order_relaxed);
      i = grandparent;
    }
  }

  void unite(Index i, Index j) {
    // Nearly always one tree already, one step from its root.
    if (load(i) == load(j)) return;
    while (true) {
      i = find(i);
      j = find(j);
      if (i == j) return;
      if (i < j) std::swap(i, j);
      Index root = i;  // it may have got a parent meanwhile: then from the start
      if (at(i).compare_exchange_strong(root, j, std::memory_order_relaxed)) {
        trees_.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
    }
  }

  /// True if all rows are one tree: no more rows need uniting.
  bool whole() const { return trees_.load(std::memory_order_relaxed) <= 1; }

  /// The lowest row of every row's tree.
  std::vector<Index> roots() {
    const auto rows = static_cast<Index>(parent_.size());
    std::vector<Index> result(parent_.size());
#pragma omp parallel for if (worth_threads(rows)) schedule(static)
    for (Index i = 0; i < rows; ++i) result[i] = find(i);
    return result;
  }

 private:
  std::atomic_ref<Index> at(Index i) {
    return std::atomic_ref<Index>(parent_[i]);
  }
  Index load(Index i) {
    return at(i).load(std::memory_order_relaxed);
  }

  std::vector<Index> parent_;
  alignas(64) std::atomic<Index> trees_;  // a cache line that finding does not read
};

}  // namespace cisolve
