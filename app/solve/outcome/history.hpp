#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/eigen.hpp"

namespace cisolve {

/// History of an eigensolver for reports: every iteration of a short solve, every 2nd, 4th … of a
/// longer one so that it stays small, and always the last.
class EigenHistory {
 public:
  struct Entry {
    int iteration = 0;
    std::int64_t operator_applications = 0;
    double seconds = 0.0;  ///< since the solve began
    std::vector<double> energies, residual_norms;
  };

  /// Iterations in their order. Steps of the search for lower states are left out.
  void add(const EigenIteration& iteration);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  bool is_kept(const Entry& entry) const { return entry.iteration % every_ == 0; }

  std::vector<Entry> entries_;
  int every_ = 1;
};

}  // namespace cisolve
