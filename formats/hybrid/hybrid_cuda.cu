#include "formats/hybrid/hybrid.hpp"
#include "formats/row_kernels.cuh"
#include "formats/stored_operator.hpp"

namespace cisolve {
namespace {

/// Algorithm 7 (Computation 2018, 6, 45): the lanes stride through the row's reference entries,
/// then through its expansion. One reduction serves both parts, where the paper makes two.
struct HybridRows {
  Index boundary;
  const Index* reference_counts;
  const Index* reference_columns;
  const double* reference_values;
  const Offset* expansion_offsets;
  const Index* expansion_columns;
  const double* expansion_values;

  template <class S>
  __device__ void add(std::int64_t i, int lane, const double* x, int stride,
                      double (&sum)[S::width]) const {
    const std::int64_t row = i * boundary;
    cuda::add_entries<S>(reference_values, reference_columns, row, row + reference_counts[i], lane,
                         x, stride, sum);
    cuda::add_entries<S>(expansion_values, expansion_columns, expansion_offsets[i],
                         expansion_offsets[i + 1], lane, x, stride, sum);
  }
};

class CudaHybridOperator final : public StoredOperator {
 public:
  CudaHybridOperator(const CsrMatrix& a, Backend& backend, const Boundary& boundary)
      : StoredOperator(a, backend, "hybrid"), mean_length_(row_statistics(a).mean) {
    const HybridMatrix h = to_hybrid(a, boundary);
    boundary_ = h.boundary;
    reference_counts_ = Buffer<Index>::from_host(backend, h.reference_counts);
    reference_columns_ = Buffer<Index>::from_host(backend, h.reference_columns);
    reference_values_ = Buffer<double>::from_host(backend, h.reference_values);
    expansion_offsets_ = Buffer<Offset>::from_host(backend, h.expansion_offsets);
    expansion_columns_ = Buffer<Index>::from_host(backend, h.expansion_columns);
    expansion_values_ = Buffer<double>::from_host(backend, h.expansion_values);
    built(h.bytes(), h.padding(), "boundary " + std::to_string(h.boundary));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const HybridRows device_rows{boundary_,
                                 reference_counts_.data(),
                                 reference_columns_.data(),
                                 reference_values_.data(),
                                 expansion_offsets_.data(),
                                 expansion_columns_.data(),
                                 expansion_values_.data()};
    cuda::multiply_rows(*this, device_rows, mean_length_, alpha, x, beta, y);
  }
  std::span<const Kernel> kernels() const override { return cuda::row_kernels; }
  Kernel effective_kernel(const Kernel& wanted, int vectors) const override {
    return cuda::effective_row_kernel(wanted, mean_length_, vectors);
  }

 private:
  double mean_length_;
  Index boundary_ = 0;
  Buffer<Index> reference_counts_, reference_columns_;
  Buffer<double> reference_values_;
  Buffer<Offset> expansion_offsets_;
  Buffer<Index> expansion_columns_;
  Buffer<double> expansion_values_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_hybrid_cuda(std::shared_ptr<const CsrMatrix> a,
                                                 Backend& backend, const FormatOptions& options) {
  return std::make_unique<CudaHybridOperator>(*a, backend, options.boundary);
}

}  // namespace cisolve
