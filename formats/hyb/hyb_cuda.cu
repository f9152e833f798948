#include "formats/coo/coo_cuda.hpp"
#include "formats/ell/ell_rows.cuh"
#include "formats/hyb/hyb.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

class CudaHybOperator final : public StoredOperator {
 public:
  CudaHybOperator(const CsrMatrix& a, Backend& backend, FormatOptions::HybWidth rule)
      : StoredOperator(a, backend, "hyb") {
    const HybMatrix hyb = to_hyb(a, EllMatrix::Order::by_column, rule);
    width_ = hyb.ell.width;
    column_indices_ = Buffer<Index>::from_host(backend, hyb.ell.column_indices);
    values_ = Buffer<double>::from_host(backend, hyb.ell.values);
    coo_ = CudaCoo(hyb.coo, backend);
    built(hyb.bytes(), hyb.padding(a.nonzeros()), "width " + std::to_string(width_));
  }

  /// Y := α·ell·X + βY, then Y := Y + α·coo·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    cuda::multiply_ell(*this, {rows(), width_, column_indices_.data(), values_.data()}, alpha, x,
                       beta, y);
    coo_.add_product(alpha, x, y);
  }
  std::span<const KernelSettings> kernels() const override { return cuda::lane_a_row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return cuda::effective_lane_a_row_kernel(wanted);
  }

 private:
  Index width_ = 0;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
  CudaCoo coo_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_hyb_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions& options) {
  return std::make_unique<CudaHybOperator>(*a, backend, options.hyb_width);
}

}  // namespace cisolve
