#include "formats/csr/csr.hpp"
#include "formats/row_kernels.hpp"
#include "formats/stored_operator.hpp"
#include "spmv/array_sink.hpp"

namespace cisolve {
namespace {

/// The host matrix itself, shared, not copied.
class CsrOperator final : public StoredOperator {
 public:
  CsrOperator(std::shared_ptr<const CsrMatrix> a, Backend& backend)
      : StoredOperator(*a, backend, "csr"), a_(std::move(a)) {
    built(CsrMatrix::bytes(a_->rows, a_->nonzeros()));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Offset* offsets = a_->row_offsets.data();
    const Index* columns = a_->column_indices.data();
    const double* values = a_->values.data();
    multiply_rows(kernel(), alpha, x, beta, y,
                  [=](auto width, Index i, const double* from, std::int64_t stride, double* sum) {
                    const Offset begin = offsets[i];
                    add_entries<width.value>(values + begin, columns + begin,
                                             offsets[i + 1] - begin, from, stride, sum);
                  });
  }
  std::span<const Kernel> kernels() const override { return cpu_kernels; }
  Kernel effective_kernel(const Kernel& wanted, int) const override {
    return effective_cpu_kernel(wanted);
  }

 private:
  std::shared_ptr<const CsrMatrix> a_;
};

std::unique_ptr<LinearOperator> make_csr_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions&) {
  return std::make_unique<CsrOperator>(std::move(a), backend);
}

std::size_t csr_bytes(const CsrMatrix& a, const FormatOptions&) {
  return CsrMatrix::bytes(a.rows, a.nonzeros());
}

void dump(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  sink.array("row_offsets", a.row_offsets);
  sink.array("column_indices", a.column_indices);
  sink.array("values", a.values);
}

}  // namespace

Format csr_format() {
  return {.name = "csr",
          .description = "compressed sparse rows",
          .bytes = csr_bytes,
          .cpu = make_csr_cpu,
          .cuda = make_csr_cuda,
          .converts = false,
          .dump = dump,
          .scratch = packed_scratch};
}

}  // namespace cisolve
