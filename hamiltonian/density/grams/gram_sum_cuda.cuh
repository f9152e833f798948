#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/cublas.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {
namespace {

/// Σ L Rᵀ over tiles of L, rows × K, and R, columns × K. Few rows and columns and a long K would
/// leave most of a GPU idle: K is cut into shares, each of which has a sum of its own. These are
/// added in a fixed order at the end: the same bits on every run.
class GramSum {
 public:
  GramSum(int rows, int columns, Cublas& cublas, Backend& backend)
      : rows_(rows),
        columns_(columns),
        shares_(std::clamp<std::int64_t>((std::int64_t{1} << 22) / size(), 1, 64)),
        cublas_(cublas),
        backend_(backend),
        sums_(backend, static_cast<std::size_t>(shares_ * size())) {
    check_cuda(cudaMemsetAsync(sums_.data(), 0, sums_.size() * sizeof(double)), "clearing sums");
  }

  /// Doubles that a row of K elements takes: those behind them are zero.
  std::int64_t row_size(std::int64_t k) const {
    constexpr std::int64_t aligned = 16;
    return (k + shares_ * aligned - 1) / (shares_ * aligned) * (shares_ * aligned);
  }

  /// Clears what is behind the K elements of so many rows.
  void clear_ends(double* tile, int rows, std::int64_t k) const {
    const std::int64_t ld = row_size(k);
    if (ld == k) return;
    check_cuda(cudaMemset2DAsync(tile + k, ld * sizeof(double), 0, (ld - k) * sizeof(double), rows),
               "clearing ends of rows");
  }

  /// Both tiles have rows of row_size(k), their ends cleared, and may be the same.
  void add(const double* left, const double* right, std::int64_t k) {
    const std::int64_t ld = row_size(k), share = ld / shares_;
    // A row-major matrix is to cuBLAS a column-major one, transposed.
    cublas_.add_gemms(CUBLAS_OP_T, CUBLAS_OP_N, columns_, rows_, share, right, ld, share, left, ld,
                      share, sums_.data(), columns_, size(), shares_, "a Gram matrix");
  }

  HostMatrix result() const {
    std::vector<double> parts(sums_.size());
    backend_.download_bytes(sums_.data(), parts.data(), parts.size() * sizeof(double));
    HostMatrix sum = HostMatrix::Zero(rows_, columns_);
    for (std::int64_t i = 0; i < shares_; ++i) {
      sum += Eigen::Map<const HostMatrix>(parts.data() + i * size(), rows_, columns_);
    }
    return sum;
  }

 private:
  std::int64_t size() const { return std::int64_t{rows_} * columns_; }

  int rows_, columns_;
  std::int64_t shares_;
  Cublas& cublas_;
  Backend& backend_;
  Buffer<double> sums_;
};

}  // namespace
}  // namespace cisolve
