#include "formats/jad/jad.hpp"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// A lane a row; the rows that a diagonal reaches lie together in it, so the lanes of a warp read
/// whole lines.
struct JadRows {
  Index diagonals;
  const Offset* offsets;
  const Index* columns;
  const double* values;
  const Index* row_order;

  __device__ std::int64_t output_row(std::int64_t i) const { return row_order[i]; }

  template <class S>
  __device__ void add(std::int64_t i, int /*lane*/, const double* x, int stride,
                      double (&sum)[S::width]) const {
    static_assert(S::lanes == 1);
    constexpr int in_flight = S::in_flight;
    bool reached = true;
    for (Index d = 0; reached && d < diagonals; d += in_flight) {
      double value[in_flight];
      Index column[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        // Once a diagonal ends before row i, all later ones do: they count as zero and load
        // nothing.
        reached = reached && d + u < diagonals;
        Offset place = 0;
        if (reached) {
          place = __ldg(offsets + d + u) + i;
          reached = place < __ldg(offsets + d + u + 1);
        }
        value[u] = reached ? __ldcs(values + place) : 0.0;
        column[u] = reached ? __ldcs(columns + place) : -1;
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        if (column[u] < 0) continue;
        double from[S::width];
        cuda::load_row<S::width, true>(x + static_cast<std::int64_t>(column[u]) * stride, from);
#pragma unroll
        for (int j = 0; j < S::width; ++j) sum[j] += value[u] * from[j];
      }
    }
  }
};

class CudaJadOperator final : public cuda::LaneARowOperator {
 public:
  CudaJadOperator(const CsrMatrix& a, Backend& backend) : LaneARowOperator(a, backend, "jad") {
    const JadMatrix m = to_jad(a);
    diagonals_ = m.diagonals();
    diagonal_offsets_ = Buffer<Offset>::from_host(backend, m.diagonal_offsets);
    column_indices_ = Buffer<Index>::from_host(backend, m.column_indices);
    values_ = Buffer<double>::from_host(backend, m.values);
    row_order_ = Buffer<Index>::from_host(backend, m.row_order);
    built(m.bytes(), 0, std::to_string(diagonals_) + " diagonals");
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const JadRows device_rows{diagonals_, diagonal_offsets_.data(), column_indices_.data(),
                              values_.data(), row_order_.data()};
    cuda::multiply_lane_a_row<4>(*this, device_rows, alpha, x, beta, y);
  }

 private:
  Index diagonals_ = 0;
  Buffer<Offset> diagonal_offsets_;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
  Buffer<Index> row_order_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_jad_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  return std::make_unique<CudaJadOperator>(*a, backend);
}

}  // namespace cisolve
