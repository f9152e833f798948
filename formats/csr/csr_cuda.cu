#include <span>

#include "formats/csr/csr.hpp"
#include "formats/csr/csr_rows.cuh"
#include "formats/shared/single_values.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// `Value` is double, float or FieldElement<D>.
template <class Value>
class CudaCsrOperator final : public cuda::RowRunsOperator<Value> {
 public:
  CudaCsrOperator(const CsrMatrix& a, std::span<const Value> values, Backend& backend)
      : cuda::RowRunsOperator<Value>(a, backend, "csr"),
        offsets_(Buffer<Offset>::from_host(backend, a.row_offsets)),
        column_indices_(Buffer<Index>::from_host(backend, a.column_indices)),
        values_(Buffer<Value>::from_host(backend, values)) {
    this->built(csr_bytes(a, precision_of<Value>));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const cuda::CsrRows<Value> device_rows{offsets_.data(), column_indices_.data(), values_.data(),
                                           this->stored_diagonal()};
    this->multiply(device_rows, alpha, x, beta, y);
  }

 private:
  Buffer<Offset> offsets_;
  Buffer<Index> column_indices_;
  Buffer<Value> values_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csr_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  return with_components(a->components, [&](auto d) -> std::unique_ptr<LinearOperator> {
    using Value = FieldElement<d.value>;
    const std::span values(field_elements<d.value>(*a), a->nonzeros());
    return std::make_unique<CudaCsrOperator<Value>>(*a, values, backend);
  });
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csr_single_cuda)(
    std::shared_ptr<const CsrMatrix> a, Array<float> values, Backend& backend,
    const FormatOptions&) {
  return std::make_unique<CudaCsrOperator<float>>(*a, values, backend);
}

}  // namespace cisolve
