#include "formats/csr/csr.hpp"
#include "formats/csr/csr_rows.cuh"
#include "formats/shared/field_rows.cuh"
#include "formats/shared/single_values.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

template <class Value>
class CudaCsrOperator final : public StoredOperator {
 public:
  CudaCsrOperator(const CsrMatrix& a, const Array<Value>& values, Backend& backend)
      : StoredOperator(a, backend, "csr"),
        offsets_(Buffer<Offset>::from_host(backend, a.row_offsets)),
        column_indices_(Buffer<Index>::from_host(backend, a.column_indices)),
        values_(Buffer<Value>::from_host(backend, values)),
        mean_length_(row_statistics(a).mean) {
    built(csr_bytes(a, precision_of<Value>));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const cuda::CsrRows<Value> device_rows{offsets_.data(), column_indices_.data(), values_.data(),
                                           stored_diagonal()};
    cuda::multiply_rows(*this, device_rows, mean_length_, alpha, x, beta, y);
  }
  std::span<const KernelSettings> kernels() const override { return cuda::row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int vectors) const override {
    return cuda::effective_row_kernel(wanted, mean_length_, vectors);
  }

 private:
  Buffer<Offset> offsets_;
  Buffer<Index> column_indices_;
  Buffer<Value> values_;
  double mean_length_;
};

/// Of elements of D real numbers, D > 1.
template <int D>
class CudaFieldCsrOperator final : public StoredOperator {
 public:
  CudaFieldCsrOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "csr"),
        count_(a.rows),
        offsets_(Buffer<Offset>::from_host(backend, a.row_offsets)),
        column_indices_(Buffer<Index>::from_host(backend, a.column_indices)),
        values_(Buffer<double>::from_host(backend, a.values)),
        mean_length_(row_statistics(a).mean) {
    built(csr_bytes(a, Precision::float64));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    cuda::multiply_field_rows<D>({offsets_.data(), column_indices_.data(), values_.data(), count_},
                                 mean_length_, alpha, x, beta, y);
  }

 private:
  Index count_;
  Buffer<Offset> offsets_;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
  double mean_length_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csr_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  if (a->components == 2) return std::make_unique<CudaFieldCsrOperator<2>>(*a, backend);
  if (a->components == 4) return std::make_unique<CudaFieldCsrOperator<4>>(*a, backend);
  return std::make_unique<CudaCsrOperator<double>>(*a, a->values, backend);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csr_single_cuda)(
    std::shared_ptr<const CsrMatrix> a, Array<float> values, Backend& backend,
    const FormatOptions&) {
  return std::make_unique<CudaCsrOperator<float>>(*a, values, backend);
}

}  // namespace cisolve
