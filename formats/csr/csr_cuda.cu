#include "formats/csr/csr.hpp"
#include "formats/row_kernels.cuh"
#include "formats/stored_operator.hpp"

namespace cisolve {
namespace {

struct CsrRows {
  const Offset* offsets;
  const Index* columns;
  const double* values;

  template <class S>
  __device__ void add(std::int64_t i, int lane, const double* x, int stride,
                      double (&sum)[S::width]) const {
    cuda::add_entries<S>(values, columns, offsets[i], offsets[i + 1], lane, x, stride, sum);
  }
};

class CudaCsrOperator final : public StoredOperator {
 public:
  CudaCsrOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "csr"),
        offsets_(Buffer<Offset>::from_host(backend, a.row_offsets)),
        column_indices_(Buffer<Index>::from_host(backend, a.column_indices)),
        values_(Buffer<double>::from_host(backend, a.values)),
        mean_length_(row_statistics(a).mean) {
    built(CsrMatrix::bytes(a.rows, a.nonzeros()));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    cuda::multiply_rows(*this, CsrRows{offsets_.data(), column_indices_.data(), values_.data()},
                        mean_length_, alpha, x, beta, y);
  }
  std::span<const Kernel> kernels() const override { return cuda::row_kernels; }
  Kernel effective_kernel(const Kernel& wanted, int vectors) const override {
    return cuda::effective_row_kernel(wanted, mean_length_, vectors);
  }

 private:
  Buffer<Offset> offsets_;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
  double mean_length_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_csr_cuda(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions&) {
  return std::make_unique<CudaCsrOperator>(*a, backend);
}

}  // namespace cisolve
