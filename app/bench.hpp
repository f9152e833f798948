#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "formats/csr_matrix.hpp"
#include "spmv/format.hpp"

namespace cisolve {

/// One product in one format on one backend. `reason`, where not empty, says why it did not run;
/// the figures then mean nothing.
struct BenchRow {
  std::string format;
  BackendKind backend = BackendKind::cpu;
  int block = 1;                    ///< vectors at once (k)
  double seconds = 0.0;             ///< median, warm, caches overwritten before each run
  double gflops = 0.0;              ///< 2 · nonzeros · k / seconds / 1e9
  std::size_t bytes = 0;            ///< of the format's arrays
  double bandwidth = 0.0;           ///< (bytes + 8 k (rows + columns)) / seconds, X and Y once
  double copy_bandwidth = 0.0;      ///< of a copy on this backend, same run: read and write
  double relative_error = 0.0;      ///< ‖Y − AX‖ / ‖AX‖, AX serial in extended precision
  double conversion_seconds = 0.0;  ///< from CSR on the host, transfer included
  std::string layout;               ///< in the format's words
  std::string reason;
};

struct BenchPlan {
  std::vector<std::string> formats;  ///< empty: all, and "eigen" (Eigen's own product) on the CPU
  std::vector<int> blocks{1, 4, 8};
  int repeats = 20;
  FormatOptions options;
};

/// Measures every format of the plan on one backend, `show` seeing each row as it comes.
class Bench {
 public:
  /// Throws InputError on an unknown format.
  Bench(std::shared_ptr<const CsrMatrix> a, BenchPlan plan);
  /// Bytes per second of a copy on the backend, then the rows.
  void run(Backend& backend, const std::function<void(double)>& show_copy,
           const std::function<void(const BenchRow&)>& show) const;

 private:
  struct Block {
    HostMatrix x, product;
  };
  std::shared_ptr<const CsrMatrix> a_;
  BenchPlan plan_;
  std::vector<Block> blocks_;  ///< by place in plan_.blocks
};

}  // namespace cisolve
