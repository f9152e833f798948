#include "formats/hyb/hyb.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

class HybOperator final : public RowsOperator {
 public:
  HybOperator(const CsrMatrix& a, Backend& backend, FormatOptions::HybWidth rule)
      : RowsOperator(a, backend, "hyb"), hyb_(to_hyb(a, EllMatrix::Order::by_row, rule)) {
    built(hyb_.bytes(), hyb_.padding(a.nonzeros()), "width " + std::to_string(hyb_.ell.width));
  }

  /// Y := α·ell·X + βY, then Y := Y + α·coo·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    multiply_ell(hyb_.ell, *this, alpha, x, beta, y);
    add_product(hyb_.coo, alpha, x, y);
  }

 private:
  HybMatrix hyb_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_hyb_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions& options) {
  return std::make_unique<HybOperator>(*a, backend, options.hyb_width);
}

}  // namespace cisolve
