#include "formats/ell/ell.hpp"
#include "formats/row_kernels.cuh"
#include "formats/stored_operator.hpp"

namespace cisolve {
namespace {

/// A lane a row; entry e of all rows lies together, so the 32 lanes of a warp read whole lines.
struct EllRows {
  Index rows;
  Index width;
  const Index* columns;
  const double* values;

  template <int K, int Lanes, bool Aligned>
  __device__ void add(std::int64_t i, int /*lane*/, const double* x, std::int64_t stride,
                      double (&sum)[K]) const {
    static_assert(Lanes == 1);
#pragma unroll 4
    for (Index e = 0; e < width; ++e) {
      const std::int64_t place = i + static_cast<std::int64_t>(e) * rows;
      const double value = __ldcs(values + place);
      double from[K];
      cuda::load_row<K, Aligned>(x + __ldcs(columns + place) * stride, from);
      for (int j = 0; j < K; ++j) sum[j] += value * from[j];
    }
  }
};

class CudaEllOperator final : public StoredOperator {
 public:
  CudaEllOperator(const CsrMatrix& a, Backend& backend) : StoredOperator(a, backend, "ell") {
    const EllMatrix ell = to_ell(a, EllMatrix::Order::by_column);
    width_ = ell.width;
    column_indices_ = Buffer<Index>::from_host(backend, ell.column_indices);
    values_ = Buffer<double>::from_host(backend, ell.values);
    built(ell.bytes(), Offset{ell.rows} * ell.width - a.nonzeros(),
          "width " + std::to_string(ell.width));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    cuda::multiply_rows<1>(EllRows{rows(), width_, column_indices_.data(), values_.data()}, alpha,
                           x, beta, y);
  }

 private:
  Index width_ = 0;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_ell_cuda(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions&) {
  return std::make_unique<CudaEllOperator>(*a, backend);
}

}  // namespace cisolve
