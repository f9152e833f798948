#include "formats/shared/cusparse_operator.hpp"

namespace cisolve {
namespace {

CusparseOwner<cusparseDnVecDescr_t> vector_descriptor(Index rows, const double* data) {
  cusparseDnVecDescr_t made = nullptr;
  check_cusparse(cusparseCreateDnVec(&made, rows, const_cast<double*>(data), CUDA_R_64F),
                 "describing a vector");
  return CusparseOwner<cusparseDnVecDescr_t>(made);
}

}  // namespace

CusparseOperator::CusparseOperator(const CsrMatrix& a, Backend& backend, std::string format)
    : StoredOperator(a, backend, std::move(format)) {}

void CusparseOperator::apply(double alpha, ConstView x, double beta, View y) const {
  if (info().nonzeros == 0) return scale(beta, y);
  const ConstView from = contiguous(x);
  if (y.stride == y.columns) return multiply(alpha, from, beta, y);
  const View copy = block_in(contiguous_y_, y.rows, y.columns);
  if (beta != 0.0) backend().copy(y, copy);
  multiply(alpha, from, beta, copy);
  backend().copy(copy, y);
}

CusparsePlan CusparseOperator::plan_vector(SparseDescriptor matrix, cusparseSpMVAlg_t algorithm,
                                           bool preprocess) const {
  const Buffer<double> some_x(backend(), columns()), some_y(backend(), rows());
  const auto x = vector_descriptor(columns(), some_x.data());
  const auto y = vector_descriptor(rows(), some_y.data());
  const double one = 1.0, zero = 0.0;
  std::size_t size = 0;
  check_cusparse(cusparseSpMV_bufferSize(handle(), as_stored, &one, matrix.get(), x.get(), &zero,
                                         y.get(), CUDA_R_64F, algorithm, &size),
                 "sizing the workspace");
  CusparsePlan plan{std::move(matrix), Buffer<char>(backend(), size), algorithm};
#if CUSPARSE_VERSION >= 12400
  if (preprocess) {
    check_cusparse(
        cusparseSpMV_preprocess(handle(), as_stored, &one, plan.matrix.get(), x.get(), &zero,
                                y.get(), CUDA_R_64F, algorithm, plan.workspace.data()),
        "preprocessing");
  }
#endif
  return plan;
}

void CusparseOperator::multiply_vector(const CusparsePlan& plan, double alpha, ConstView x,
                                       double beta, View y) const {
  const auto from = vector_descriptor(x.rows, x.data);
  const auto to = vector_descriptor(y.rows, y.data);
  check_cusparse(cusparseSpMV(handle(), as_stored, &alpha, plan.matrix.get(), from.get(), &beta,
                              to.get(), CUDA_R_64F, static_cast<cusparseSpMVAlg_t>(plan.algorithm),
                              const_cast<char*>(plan.workspace.data())),
                 "SpMV");
}

}  // namespace cisolve
