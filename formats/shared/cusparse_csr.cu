#include "formats/shared/cusparse_csr.hpp"

#include <limits>

#include "backends/stopwatch.hpp"

namespace cisolve {
namespace {

class CusparseCsrOperator final : public CusparseOperator {
 public:
  CusparseCsrOperator(const CsrMatrix& a, Backend& backend, const std::string& name,
                      cusparseSpMVAlg_t algorithm)
      : CusparseOperator(a, backend, name), matrix_(a, backend, handle(), CUSPARSE_ORDER_ROW) {
    if (a.nonzeros() > 0) vector_plan_ = plan_vector(matrix_.describe(), algorithm, true);
    built(cusparse_csr_bytes(a, {}), 0, matrix_.layout());
  }

 protected:
  void multiply(double alpha, ConstView x, double beta, View y) const override {
    if (x.columns == 1) return multiply_vector(vector_plan_, alpha, x, beta, y);
    matrix_.multiply(alpha, x.data, beta, y.data, x.columns);
  }

 private:
  CusparseCsr matrix_;
  CusparsePlan vector_plan_;
};

}  // namespace

CusparseCsr::CusparseCsr(const CsrMatrix& a, Backend& backend, cusparseHandle_t handle,
                         cusparseOrder_t order)
    : backend_(backend),
      handle_(handle),
      order_(order),
      rows_(a.rows),
      columns_(a.columns),
      nonzeros_(a.nonzeros()),
      wide_(cusparse_needs_64_bits(a.nonzeros())),
      offsets_(backend, a.row_offsets, wide_),
      column_indices_(backend, a.column_indices, wide_),
      values_(Buffer<double>::from_host(backend, a.values)) {}

SparseDescriptor CusparseCsr::describe() const {
  const auto type = wide_ ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  cusparseSpMatDescr_t made = nullptr;
  check_cusparse(
      cusparseCreateCsr(&made, rows_, columns_, nonzeros_, offsets_.data(), column_indices_.data(),
                        values_.data(), type, type, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
      "describing the matrix");
  return SparseDescriptor(made);
}

CusparseCsr::BlockDescriptor CusparseCsr::describe_block(const double* data, Index rows,
                                                         int k) const {
  const std::int64_t leading = order_ == CUSPARSE_ORDER_ROW ? k : rows;
  cusparseDnMatDescr_t made = nullptr;
  check_cusparse(
      cusparseCreateDnMat(&made, rows, k, leading, const_cast<double*>(data), CUDA_R_64F, order_),
      "describing a block");
  return BlockDescriptor(made);
}

CusparseCsr::Blocks CusparseCsr::describe_blocks(const double* x, const double* y, int k) const {
  return {describe_block(x, columns_, k), describe_block(y, rows_, k)};
}

void CusparseCsr::multiply(double alpha, const double* x, double beta, double* y, int k) const {
  auto known = plans_.find(k);
  if (known == plans_.end()) known = plans_.emplace(k, fastest_plan(x, k)).first;
  check_cusparse(multiply(known->second, alpha, beta, describe_blocks(x, y, k)), "SpMM");
}

std::string CusparseCsr::algorithm(int k) const {
  switch (plans_.at(k).algorithm) {
    case CUSPARSE_SPMM_CSR_ALG1:
      return "SpMM algorithm 1";
    case CUSPARSE_SPMM_CSR_ALG2:
      return "SpMM algorithm 2";
    default:
      return "SpMM algorithm 3";
  }
}

cusparseStatus_t CusparseCsr::multiply(const CusparsePlan& plan, double alpha, double beta,
                                       const Blocks& blocks) const {
  return cusparseSpMM(handle_, as_stored, as_stored, &alpha, plan.matrix.get(), blocks.x.get(),
                      &beta, blocks.y.get(), CUDA_R_64F,
                      static_cast<cusparseSpMMAlg_t>(plan.algorithm),
                      const_cast<char*>(plan.workspace.data()));
}

/// None where the library does not take this algorithm for these blocks.
std::optional<CusparsePlan> CusparseCsr::plan(cusparseSpMMAlg_t algorithm,
                                              const Blocks& blocks) const {
  const double one = 1.0, zero = 0.0;
  SparseDescriptor matrix = describe();
  std::size_t size = 0;
  if (cusparseSpMM_bufferSize(handle_, as_stored, as_stored, &one, matrix.get(), blocks.x.get(),
                              &zero, blocks.y.get(), CUDA_R_64F, algorithm,
                              &size) != CUSPARSE_STATUS_SUCCESS) {
    return std::nullopt;
  }
  CusparsePlan plan{std::move(matrix), Buffer<char>(backend_, size), algorithm};
  if (cusparseSpMM_preprocess(handle_, as_stored, as_stored, &one, plan.matrix.get(),
                              blocks.x.get(), &zero, blocks.y.get(), CUDA_R_64F, algorithm,
                              plan.workspace.data()) != CUSPARSE_STATUS_SUCCESS) {
    return std::nullopt;
  }
  return plan;
}

/// The fastest of the second and third run, of every algorithm.
CusparsePlan CusparseCsr::fastest_plan(const double* x, int k) const {
  const Buffer<double> y(backend_, static_cast<std::size_t>(rows_) * k);
  const Blocks blocks = describe_blocks(x, y.data(), k);
  std::optional<CusparsePlan> best;
  double best_time = std::numeric_limits<double>::infinity();
  for (const auto algorithm :
       {CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3}) {
    std::optional<CusparsePlan> candidate = plan(algorithm, blocks);
    if (!candidate || multiply(*candidate, 1.0, 0.0, blocks) != CUSPARSE_STATUS_SUCCESS) continue;
    double time = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 2; ++run) {
      time = std::min(time, timed_milliseconds(backend_, [&] {
                        check_cusparse(multiply(*candidate, 1.0, 0.0, blocks), "SpMM");
                      }));
    }
    if (time >= best_time) continue;
    best_time = time;
    best = std::move(candidate);
  }
  if (!best) throw ResourceError("cuSPARSE: no SpMM algorithm takes this matrix");
  return std::move(*best);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_cusparse_csr_alg1)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions&) {
  return std::make_unique<CusparseCsrOperator>(*a, backend, "cusparse_csr_alg1",
                                               CUSPARSE_SPMV_CSR_ALG1);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_cusparse_csr_alg2)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions&) {
  return std::make_unique<CusparseCsrOperator>(*a, backend, "cusparse_csr_alg2",
                                               CUSPARSE_SPMV_CSR_ALG2);
}

}  // namespace cisolve
