#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/contender.hpp"
#include "app/bench/measurement.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// One product by one contender. `reason`, if not empty, says why it did not run; then the figures
/// mean nothing.
struct BenchRow {
  std::string format;  ///< the contender's name
  BackendKind backend = BackendKind::cpu;
  int threads = 0;       ///< of OpenMP; 0 on a GPU
  int block = 1;         ///< vectors at once (k)
  double seconds = 0.0;  ///< median, warm, caches overwritten before each run
  double lower_quartile = 0.0, upper_quartile = 0.0;  ///< of the seconds
  double gflops = 0.0;              ///< 2 d² · nonzeros of A · k / seconds / 1e9
  std::optional<double> speedup;    ///< serial seconds / seconds for this k, if serial was timed
  std::size_t bytes = 0;            ///< of the matrix's arrays
  double bandwidth = 0.0;           ///< (bytes + 8 d k (rows + columns)) / seconds, X and Y once
  double copy_bandwidth = 0.0;      ///< of the pass: a copy, read and write
  double relative_error = 0.0;      ///< ‖Y − AX‖ / ‖AX‖, AX in extended precision; of the
                                    ///< reference's rows
  double tolerance = 0.0;           ///< bound on the relative error: Contender::tolerance
  double conversion_seconds = 0.0;  ///< from CSR on the host, transfer included
  std::string layout;               ///< in the contender's words
  std::string reason;
};

/// Backend and threads of one call of Bench::run.
struct BenchPass {
  BackendKind backend = BackendKind::cpu;
  std::string device;           ///< for people
  int threads = 0;              ///< as of a row
  double copy_bandwidth = 0.0;  ///< bytes per second of a copy, read and write
};

/// Reference for products: the whole matrix, of elements of d real numbers, or some rows of a real
/// one that is stored nowhere.
struct BenchReference {
  std::shared_ptr<const CsrMatrix> a;  ///< with all columns
  std::vector<Index> rows = {};        ///< those that it has; empty: all
  double nonzeros = 0.0;               ///< of the whole matrix

  BenchReference(std::shared_ptr<const CsrMatrix> whole)
      : a(std::move(whole)), nonzeros(static_cast<double>(a->nonzeros())) {}
  BenchReference(CsrMatrix some, std::vector<Index> of, double all)
      : a(std::make_shared<const CsrMatrix>(std::move(some))), rows(std::move(of)), nonzeros(all) {}
  /// Rows of the whole matrix, which is square if it is not stored.
  Index size() const { return rows.empty() ? a->rows : a->columns; }
};

/// Measures contenders on one matrix, each for every width of block.
class Bench {
 public:
  /// Functions called as soon as there is something to show.
  struct Watch {
    std::function<void(const BenchPass&)> pass;
    std::function<void(const BenchRow&)> row;
  };

  /// Makes random blocks of these widths and their products.
  Bench(BenchReference reference, std::vector<int> blocks, int repeats);

  /// Measures the candidates in their order, the narrowest block first. A candidate that lacks
  /// memory or refuses gives its reason for that block and all later ones. A candidate whose
  /// product has an error above its tolerance gives its reason for that block. Speedups are over
  /// the contender `serial` of this or an earlier run. Throws ResourceError if not even a copy has
  /// room.
  void run(Backend& backend, const std::vector<Candidate>& candidates, const Watch& watch);

  const std::vector<BenchPass>& passes() const { return passes_; }
  const std::vector<BenchRow>& rows() const { return rows_; }

 private:
  struct Block {
    HostMatrix x, product;
  };
  void measure(Contender& contender, const Block& block, Measurement& measurement, BenchRow& row);

  BenchReference reference_;
  int repeats_;
  std::vector<Block> blocks_;             ///< the narrowest first
  std::map<int, double> serial_seconds_;  ///< by width of block
  std::vector<BenchPass> passes_;
  std::vector<BenchRow> rows_;
};

/// Contenders that one backend did not measure for the same reason.
struct Refusal {
  BackendKind backend = BackendKind::cpu;
  std::vector<std::string> formats;  ///< "ell", or "ell with k = 4, 8" where narrower blocks ran
  std::string reason;
};
/// Refusals, in the order in which the reasons came up.
std::vector<Refusal> refusals(const std::vector<BenchRow>& rows);

/// The fastest storage format of one backend, number of threads and width of block, and the fastest
/// of other libraries' products there.
struct BestFormat {
  BenchRow row;
  std::optional<BenchRow> rival;  ///< eigen or one of cusparse_*, where one was measured

  /// Speedup over the rival.
  double over_rival() const { return rival->seconds / row.seconds; }
};

/// Best formats by backend, threads and block; empty if none of this program's formats was
/// measured.
std::vector<BestFormat> best_formats(const std::vector<BenchRow>& rows);

}  // namespace cisolve
