#include "formats/dia/dia.hpp"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// A lane a row: the 32 lanes of a warp read neighbouring values of a diagonal and neighbouring
/// elements of x.
struct DiaRows {
  Index rows;
  Index columns;
  std::int64_t diagonals;
  const Index* offsets;
  const double* values;

  template <class S>
  __device__ void add(std::int64_t i, int /*lane*/, const double* x, int stride,
                      double (&sum)[S::width]) const {
    static_assert(S::entries == 1);
#pragma unroll 4
    for (std::int64_t d = 0; d < diagonals; ++d) {
      const double value = __ldcs(values + d * rows + i);
      const std::int64_t column = i + __ldg(offsets + d);
      if (column < 0 || column >= columns) continue;
      double from[S::width];
      cuda::load_row<S::width, true>(x + column * stride, from);
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] += value * from[j];
    }
  }
};

class CudaDiaOperator final : public cuda::LaneARowOperator {
 public:
  CudaDiaOperator(const CsrMatrix& a, Backend& backend) : LaneARowOperator(a, backend, "dia") {
    const DiaMatrix dia = to_dia(a);
    offsets_ = Buffer<Index>::from_host(backend, dia.offsets);
    values_ = Buffer<double>::from_host(backend, dia.values);
    built(dia.bytes(), static_cast<Offset>(dia.values.size()) - a.nonzeros(),
          std::to_string(dia.offsets.size()) + " diagonals");
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const DiaRows device_rows{rows(), columns(), static_cast<std::int64_t>(offsets_.size()),
                              offsets_.data(), values_.data()};
    cuda::multiply_lane_a_row<1>(*this, device_rows, alpha, x, beta, y);
  }

 private:
  Buffer<Index> offsets_;
  Buffer<double> values_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_dia_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  return std::make_unique<CudaDiaOperator>(*a, backend);
}

}  // namespace cisolve
