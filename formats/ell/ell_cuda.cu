#include "formats/ell/ell_rows.cuh"

namespace cisolve {
namespace {

class CudaEllOperator final : public cuda::LaneARowOperator {
 public:
  CudaEllOperator(const CsrMatrix& a, Backend& backend) : LaneARowOperator(a, backend, "ell") {
    const EllMatrix ell = to_ell(a, EllMatrix::Order::by_column);
    ell_ = cuda::DeviceEll(ell, backend);
    built(ell.bytes(), Offset{ell.rows} * ell.width - a.nonzeros(),
          "width " + std::to_string(ell.width));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    ell_.multiply(*this, alpha, x, beta, y);
  }

 private:
  cuda::DeviceEll ell_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_ell_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  require_real(*a, "ell on CUDA");
  return std::make_unique<CudaEllOperator>(*a, backend);
}

}  // namespace cisolve
