#pragma once

#include <map>
#include <optional>
#include <string>

#include "formats/shared/cusparse_operator.hpp"

namespace cisolve {

/// A matrix in the vendor library's CSR and its products with contiguous blocks (n × k, no gaps) of
/// one memory order: CUSPARSE_ORDER_ROW, the solvers' interleaved blocks, or CUSPARSE_ORDER_COL.
/// Backend and handle must outlive it. Throws ResourceError when the library or the device refuses.
class CusparseCsr {
 public:
  CusparseCsr(const CsrMatrix& a, Backend& backend, cusparseHandle_t handle, cusparseOrder_t order);

  SparseDescriptor describe() const;
  /// Y := αAX + βY for k vectors in device memory, by the fastest of the library's SpMM algorithms,
  /// measured at the first product of each k.
  void multiply(double alpha, const double* x, double beta, double* y, int k) const;
  /// The algorithm taken for k vectors, once there was a product: "SpMM algorithm 2".
  std::string algorithm(int k) const;
  /// Width of offsets and columns, for people.
  std::string layout() const { return wide_ ? "64-bit indices" : "32-bit indices"; }

 private:
  using BlockDescriptor = CusparseOwner<cusparseDnMatDescr_t>;
  /// X and Y of one product as the library knows them.
  struct Blocks {
    BlockDescriptor x, y;
  };
  BlockDescriptor describe_block(const double* data, Index rows, int k) const;
  Blocks describe_blocks(const double* x, const double* y, int k) const;
  cusparseStatus_t multiply(const CusparsePlan& plan, double alpha, double beta,
                            const Blocks& blocks) const;
  std::optional<CusparsePlan> plan(cusparseSpMMAlg_t algorithm, const Blocks& blocks) const;
  CusparsePlan fastest_plan(const double* x, int k) const;

  Backend& backend_;
  cusparseHandle_t handle_;
  cusparseOrder_t order_;
  Index rows_, columns_;
  Offset nonzeros_;
  bool wide_;
  // The library's descriptors take addresses of non-const memory; it only reads there.
  mutable CusparseIndices offsets_, column_indices_;
  mutable Buffer<double> values_;
  mutable std::map<int, CusparsePlan> plans_;  ///< by number of vectors
};

}  // namespace cisolve
