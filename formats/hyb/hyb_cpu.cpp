#include "formats/hyb/hyb.hpp"
#include "formats/row_kernels.hpp"
#include "formats/stored_operator.hpp"

namespace cisolve {
namespace {

class HybOperator final : public StoredOperator {
 public:
  HybOperator(const CsrMatrix& a, Backend& backend, FormatOptions::HybWidth rule)
      : StoredOperator(a, backend, "hyb"), hyb_(to_hyb(a, EllMatrix::Order::by_row, rule)) {
    built(hyb_.bytes(), hyb_.padding(a.nonzeros()), "width " + std::to_string(hyb_.ell.width));
  }

  /// Y := α·ell·X + βY, then Y := Y + α·coo·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Index* columns = hyb_.ell.column_indices.data();
    const double* values = hyb_.ell.values.data();
    multiply_rows(alpha, x, beta, y,
                  [=, width = Offset{hyb_.ell.width}](auto k, Index i, const double* from,
                                                      std::int64_t stride, double* sum) {
                    add_entries<k.value>(values + i * width, columns + i * width, width, from,
                                         stride, sum);
                  });
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
