#include "formats/coo/coo_cuda.hpp"
#include "formats/ell/ell_rows.cuh"
#include "formats/hyb/hyb.hpp"

namespace cisolve {
namespace {

class CudaHybOperator final : public cuda::LaneARowOperator {
 public:
  CudaHybOperator(const CsrMatrix& a, Backend& backend, FormatOptions::HybWidth rule)
      : LaneARowOperator(a, backend, "hyb") {
    const HybMatrix hyb = to_hyb(a, EllMatrix::Order::by_column, rule);
    ell_ = cuda::DeviceEll<double>(hyb.ell, backend);
    coo_ = CudaCoo(hyb.coo, backend);
    built(hyb.bytes(), hyb.padding(a.nonzeros()), "width " + std::to_string(hyb.ell.width));
  }

  /// Y := α·ell·X + βY, then Y := Y + α·coo·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    ell_.multiply(*this, alpha, x, beta, y);
    coo_.add_product(alpha, x, y);
  }

 private:
  cuda::DeviceEll<double> ell_;
  CudaCoo coo_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_hyb_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions& options) {
  return std::make_unique<CudaHybOperator>(*a, backend, options.hyb_width);
}

}  // namespace cisolve
