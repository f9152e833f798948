#include "formats/hybrid/hybrid.hpp"
#include "formats/shared/field_runs.cuh"
#include "formats/shared/single_values.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// Algorithm 7 (Computation 2018, 6, 45): the lanes stride through the row's reference entries,
/// then through its expansion. One reduction serves both parts, where the paper makes two. `Value`
/// is double, float or FieldElement<D>.
template <class Value>
struct HybridRows {
  Index boundary;
  const Index* reference_counts;
  const Index* reference_columns;
  const Value* reference_values;
  const Offset* expansion_offsets;
  const Index* expansion_columns;
  const Value* expansion_values;
  Diagonal diagonal;

  template <class S, class Stride>
  __device__ void add(std::int64_t i, int lane, const double* x, Stride stride,
                      double (&sum)[S::width]) const {
    const std::int64_t row = i * boundary;
    cuda::add_entries<S>(reference_values, reference_columns, row, row + reference_counts[i], lane,
                         x, stride, sum);
    cuda::add_entries<S>(expansion_values, expansion_columns, expansion_offsets[i],
                         expansion_offsets[i + 1], lane, x, stride, sum);
    if constexpr (diagonal_apart<Value>) cuda::add_diagonal<S>(diagonal, i, lane, x, stride, sum);
  }
};

template <class Value>
class CudaHybridOperator final : public cuda::RowRunsOperator<Value> {
 public:
  CudaHybridOperator(const CsrMatrix& a, const Value* values, Backend& backend,
                     const Boundary& boundary)
      : cuda::RowRunsOperator<Value>(a, backend, "hybrid") {
    const HybridArrays<Value> h = to_hybrid(a, values, boundary);
    boundary_ = h.boundary;
    reference_counts_ = Buffer<Index>::from_host(backend, h.reference_counts);
    reference_columns_ = Buffer<Index>::from_host(backend, h.reference_columns);
    reference_values_ = Buffer<Value>::from_host(backend, h.reference_values);
    expansion_offsets_ = Buffer<Offset>::from_host(backend, h.expansion_offsets);
    expansion_columns_ = Buffer<Index>::from_host(backend, h.expansion_columns);
    expansion_values_ = Buffer<Value>::from_host(backend, h.expansion_values);
    this->built(h.bytes(), h.padding(), "boundary " + std::to_string(h.boundary));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const HybridRows<Value> device_rows{boundary_,
                                        reference_counts_.data(),
                                        reference_columns_.data(),
                                        reference_values_.data(),
                                        expansion_offsets_.data(),
                                        expansion_columns_.data(),
                                        expansion_values_.data(),
                                        this->stored_diagonal()};
    this->multiply(device_rows, alpha, x, beta, y);
  }

 private:
  Index boundary_ = 0;
  Buffer<Index> reference_counts_, reference_columns_;
  Buffer<Value> reference_values_;
  Buffer<Offset> expansion_offsets_;
  Buffer<Index> expansion_columns_;
  Buffer<Value> expansion_values_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_hybrid_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions& options) {
  return with_components(a->components, [&](auto d) -> std::unique_ptr<LinearOperator> {
    return std::make_unique<CudaHybridOperator<FieldElement<d.value>>>(
        *a, field_elements<d.value>(*a), backend, options.boundary);
  });
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_hybrid_single_cuda)(
    std::shared_ptr<const CsrMatrix> a, Array<float> values, Backend& backend,
    const FormatOptions& options) {
  return std::make_unique<CudaHybridOperator<float>>(*a, values.data(), backend, options.boundary);
}

}  // namespace cisolve
