#include "formats/ell/ell.hpp"
#include "formats/ell/ell_rows.cuh"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

class CudaEllOperator final : public StoredOperator {
 public:
  CudaEllOperator(const CsrMatrix& a, Backend& backend) : StoredOperator(a, backend, "ell") {
    const EllMatrix ell = to_ell(a, EllMatrix::Order::by_column);
    width_ = ell.width;
    column_indices_ = Buffer<Index>::from_host(backend, ell.column_indices);
    values_ = Buffer<double>::from_host(backend, ell.values);
    built(ell.bytes(), Offset{ell.rows} * ell.width - a.nonzeros(),
          "width " + std::to_string(ell.width));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    cuda::multiply_ell(*this, cuda::EllRows{rows(), width_, column_indices_.data(), values_.data()},
                       alpha, x, beta, y);
  }
  std::span<const KernelSettings> kernels() const override { return cuda::lane_a_row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return cuda::effective_lane_a_row_kernel(wanted);
  }

 private:
  Index width_ = 0;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_ell_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  return std::make_unique<CudaEllOperator>(*a, backend);
}

}  // namespace cisolve
