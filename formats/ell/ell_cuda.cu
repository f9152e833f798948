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

  template <class S, bool Aligned>
  __device__ void add(std::int64_t i, int /*lane*/, const double* x, int stride,
                      double (&sum)[S::width]) const {
    static_assert(S::entries == 1);
#pragma unroll 4
    for (Index e = 0; e < width; ++e) {
      const std::int64_t place = i + static_cast<std::int64_t>(e) * rows;
      const double value = __ldcs(values + place);
      double from[S::width];
      cuda::load_row<S::width, Aligned>(
          x + static_cast<std::int64_t>(__ldcs(columns + place)) * stride, from);
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] += value * from[j];
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
    const EllRows device_rows{rows(), width_, column_indices_.data(), values_.data()};
    for_each_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      cuda::launch_rows<cuda::Shape<k, 1, 1, 256, 1>>(device_rows, alpha, x.slice(first, k), beta,
                                                      y.slice(first, k));
    });
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
