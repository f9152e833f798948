#include <limits>
#include <map>
#include <optional>

#include "backends/stopwatch.hpp"
#include "formats/cusparse_operator.hpp"

namespace cisolve {
namespace {

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

using BlockDescriptor = CusparseOwner<cusparseDnMatDescr_t>;

BlockDescriptor block_descriptor(ConstView x) {
  cusparseDnMatDescr_t made = nullptr;
  check_cusparse(cusparseCreateDnMat(&made, x.rows, x.columns, x.stride,
                                     const_cast<double*>(x.data), CUDA_R_64F, CUSPARSE_ORDER_ROW),
                 "describing a block");
  return BlockDescriptor(made);
}

class CusparseCsrOperator final : public CusparseOperator {
 public:
  CusparseCsrOperator(const CsrMatrix& a, Backend& backend, const std::string& name,
                      cusparseSpMVAlg_t algorithm)
      : CusparseOperator(a, backend, name),
        wide_(cusparse_needs_64_bits(a.nonzeros())),
        offsets_(backend, a.row_offsets, wide_),
        column_indices_(backend, a.column_indices, wide_),
        values_(Buffer<double>::from_host(backend, a.values)) {
    if (a.nonzeros() > 0) vector_plan_ = plan_vector(describe(), algorithm, true);
    built(cusparse_csr_bytes(a, {}), 0, wide_ ? "64-bit indices" : "32-bit indices");
  }

 protected:
  void multiply(double alpha, ConstView x, double beta, View y) const override {
    if (x.columns == 1) return multiply_vector(vector_plan_, alpha, x, beta, y);
    auto known = block_plans_.find(x.columns);
    if (known == block_plans_.end()) {
      known = block_plans_.emplace(x.columns, fastest_block_plan(x)).first;
    }
    check_cusparse(multiply_block(known->second, alpha, x, beta, y), "SpMM");
  }

 private:
  SparseDescriptor describe() const {
    const auto type = wide_ ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseSpMatDescr_t made = nullptr;
    check_cusparse(cusparseCreateCsr(&made, rows(), columns(), info().nonzeros, offsets_.data(),
                                     column_indices_.data(), values_.data(), type, type,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                   "describing the matrix");
    return SparseDescriptor(made);
  }

  cusparseStatus_t multiply_block(const CusparsePlan& plan, double alpha, ConstView x, double beta,
                                  View y) const {
    const BlockDescriptor from = block_descriptor(x), to = block_descriptor(y);
    return cusparseSpMM(handle(), plain, plain, &alpha, plan.matrix.get(), from.get(), &beta,
                        to.get(), CUDA_R_64F, static_cast<cusparseSpMMAlg_t>(plan.algorithm),
                        const_cast<char*>(plan.workspace.data()));
  }

  /// None where the library does not take this algorithm for these blocks.
  std::optional<CusparsePlan> plan_block(cusparseSpMMAlg_t algorithm, ConstView x, View y) const {
    const BlockDescriptor from = block_descriptor(x), to = block_descriptor(y);
    const double one = 1.0, zero = 0.0;
    SparseDescriptor matrix = describe();
    std::size_t size = 0;
    if (cusparseSpMM_bufferSize(handle(), plain, plain, &one, matrix.get(), from.get(), &zero,
                                to.get(), CUDA_R_64F, algorithm,
                                &size) != CUSPARSE_STATUS_SUCCESS) {
      return std::nullopt;
    }
    CusparsePlan plan{std::move(matrix), Buffer<char>(backend(), size), algorithm};
    if (cusparseSpMM_preprocess(handle(), plain, plain, &one, plan.matrix.get(), from.get(), &zero,
                                to.get(), CUDA_R_64F, algorithm,
                                plan.workspace.data()) != CUSPARSE_STATUS_SUCCESS) {
      return std::nullopt;
    }
    return plan;
  }

  /// The fastest of the second and third run, of every algorithm.
  CusparsePlan fastest_block_plan(ConstView x) const {
    MultiVector y(backend(), rows(), x.columns);
    std::optional<CusparsePlan> best;
    double best_time = std::numeric_limits<double>::infinity();
    for (const auto algorithm :
         {CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3}) {
      std::optional<CusparsePlan> plan = plan_block(algorithm, x, y.view());
      if (!plan || multiply_block(*plan, 1.0, x, 0.0, y.view()) != CUSPARSE_STATUS_SUCCESS)
        continue;
      double time = std::numeric_limits<double>::infinity();
      for (int run = 0; run < 2; ++run) {
        time = std::min(time, timed_milliseconds(backend(), [&] {
                          check_cusparse(multiply_block(*plan, 1.0, x, 0.0, y.view()), "SpMM");
                        }));
      }
      if (time >= best_time) continue;
      best_time = time;
      best = std::move(plan);
    }
    if (!best) throw ResourceError("cuSPARSE: no SpMM algorithm takes this matrix");
    return std::move(*best);
  }

  bool wide_;
  // The library's descriptors take addresses of non-const memory; it only reads there.
  mutable CusparseIndices offsets_, column_indices_;
  mutable Buffer<double> values_;
  CusparsePlan vector_plan_;
  mutable std::map<int, CusparsePlan> block_plans_;  ///< by number of vectors
};

}  // namespace

std::unique_ptr<LinearOperator> make_cusparse_csr_alg1(std::shared_ptr<const CsrMatrix> a,
                                                       Backend& backend, const FormatOptions&) {
  return std::make_unique<CusparseCsrOperator>(*a, backend, "cusparse_csr_alg1",
                                               CUSPARSE_SPMV_CSR_ALG1);
}

std::unique_ptr<LinearOperator> make_cusparse_csr_alg2(std::shared_ptr<const CsrMatrix> a,
                                                       Backend& backend, const FormatOptions&) {
  return std::make_unique<CusparseCsrOperator>(*a, backend, "cusparse_csr_alg2",
                                               CUSPARSE_SPMV_CSR_ALG2);
}

}  // namespace cisolve
