#include "formats/cusparse_sell/cusparse_sell.hpp"
#include "formats/shared/cusparse_operator.hpp"

namespace cisolve {
namespace {

/// The library's block product does not take this layout: blocks go column by column, each copied.
class CusparseSellOperator final : public CusparseOperator {
 public:
  CusparseSellOperator(const CsrMatrix& a, Backend& backend)
      : CusparseOperator(a, backend, "cusparse_sell") {
    const CusparseSellMatrix sell = to_cusparse_sell(a);
    const bool wide = cusparse_needs_64_bits(sell.stored());
    slice_offsets_ = CusparseIndices(backend, sell.slice_offsets, wide);
    column_indices_ = CusparseIndices(backend, sell.column_indices, wide);
    values_ = Buffer<double>::from_host(backend, sell.values);
    if (a.nonzeros() > 0) {
      const auto type = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
      cusparseSpMatDescr_t made = nullptr;
      check_cusparse(cusparseCreateSlicedEll(&made, a.rows, a.columns, a.nonzeros(), sell.stored(),
                                             CusparseSellMatrix::height, slice_offsets_.data(),
                                             column_indices_.data(), values_.data(), type, type,
                                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                     "describing the matrix");
      plan_ = plan_vector(SparseDescriptor(made), CUSPARSE_SPMV_SELL_ALG1, false);
    }
    built(sell.bytes(), sell.stored() - a.nonzeros(), wide ? "64-bit indices" : "32-bit indices");
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      CusparseOperator::apply(alpha, x.slice(j, 1), beta, y.slice(j, 1));
    }
  }

 protected:
  void multiply(double alpha, ConstView x, double beta, View y) const override {
    multiply_vector(plan_, alpha, x, beta, y);
  }

 private:
  CusparseIndices slice_offsets_, column_indices_;
  Buffer<double> values_;
  CusparsePlan plan_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_cusparse_sell_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions&) {
  return std::make_unique<CusparseSellOperator>(*a, backend);
}

}  // namespace cisolve
