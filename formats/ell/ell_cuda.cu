#include "formats/ell/ell_rows.cuh"

namespace cisolve {
namespace {

/// `Value` is double or FieldElement<D>.
template <class Value>
class CudaEllOperator final : public cuda::LaneARowOperator {
 public:
  CudaEllOperator(const CsrMatrix& a, const Value* values, Backend& backend)
      : LaneARowOperator(a, backend, "ell") {
    const auto longest = static_cast<Index>(row_statistics(a).maximum);
    const EllArrays<Value> ell = to_ell(a, values, EllOrder::by_column, longest);
    ell_ = cuda::DeviceEll<Value>(ell, backend);
    built(ell.bytes(), Offset{ell.rows} * ell.width - a.nonzeros(),
          "width " + std::to_string(ell.width));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    ell_.multiply(*this, alpha, x, beta, y);
  }

 private:
  cuda::DeviceEll<Value> ell_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_ell_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  return with_components(a->components, [&](auto d) -> std::unique_ptr<LinearOperator> {
    return std::make_unique<CudaEllOperator<FieldElement<d.value>>>(*a, field_elements<d.value>(*a),
                                                                    backend);
  });
}

}  // namespace cisolve
