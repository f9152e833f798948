#include "formats/array_sink.hpp"
#include "formats/csr/csr.hpp"
#include "formats/shared/field_rows.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/single_values.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// The host matrix itself, shared, not copied; or its offsets and columns and these values.
template <class Value>
class CsrOperator final : public RowsOperator {
 public:
  CsrOperator(std::shared_ptr<const CsrMatrix> a, Array<Value> own_values, Backend& backend)
      : RowsOperator(*a, backend, "csr"),
        scattered_(is_scattered(*a)),
        a_(std::move(a)),
        own_values_(std::move(own_values)) {
    built(csr_bytes(*a_, precision_of<Value>));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Offset* offsets = a_->row_offsets.data();
    const Index* columns = a_->column_indices.data();
    multiply_rows(
        *this, alpha, x, beta, y,
        [=, values = stored_values(), diagonal = stored_diagonal()](
            auto width, Index i, const double* from, auto stride, auto ahead, double* sum) {
          const Offset begin = offsets[i];
          add_entries<width.value>(values + begin, columns + begin, offsets[i + 1] - begin, from,
                                   stride, ahead, sum);
          if constexpr (diagonal_apart<Value>) {
            add_diagonal<width.value>(diagonal, i, from, stride, sum);
          }
        },
        scattered_);
  }

 private:
  const Value* stored_values() const {
    if constexpr (diagonal_apart<Value>) {
      return own_values_.data();
    } else {
      return a_->values.data();
    }
  }

  bool scattered_;
  std::shared_ptr<const CsrMatrix> a_;
  Array<Value> own_values_;  ///< empty in double
};

/// The operator of elements of D real numbers, D > 1: the host matrix itself, shared.
template <int D>
class FieldCsrOperator final : public RowsOperator {
 public:
  FieldCsrOperator(std::shared_ptr<const CsrMatrix> a, Backend& backend)
      : RowsOperator(*a, backend, "csr"), a_(std::move(a)) {
    built(csr_bytes(*a_, Precision::float64));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    multiply_field_rows<D>(
        *this, nullptr, alpha, x, beta, y,
        [offsets = a_->row_offsets.data(), columns = a_->column_indices.data(),
         values = field_elements<D>(*a_)](auto width, Index i, const double* from, auto stride,
                                          auto ahead, double* sum) {
          const Offset begin = offsets[i];
          add_elements<D, width.value>(values + begin, columns + begin, offsets[i + 1] - begin,
                                       side_by_side, from, stride, ahead, sum);
        });
  }

 private:
  std::shared_ptr<const CsrMatrix> a_;
};

std::unique_ptr<LinearOperator> make_csr_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions&) {
  if (a->components == 2) return std::make_unique<FieldCsrOperator<2>>(std::move(a), backend);
  if (a->components == 4) return std::make_unique<FieldCsrOperator<4>>(std::move(a), backend);
  return std::make_unique<CsrOperator<double>>(std::move(a), Array<double>(), backend);
}

std::unique_ptr<LinearOperator> make_csr_single_cpu(std::shared_ptr<const CsrMatrix> a,
                                                    Array<float> values, Backend& backend,
                                                    const FormatOptions&) {
  return std::make_unique<CsrOperator<float>>(std::move(a), std::move(values), backend);
}

std::size_t predicted_bytes(const CsrMatrix& a, const FormatOptions& options) {
  return csr_bytes(a, options.off_diagonal);
}

void dump(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  sink.array("row_offsets", a.row_offsets);
  sink.array("column_indices", a.column_indices);
  with_components(a.components, [&](auto d) {
    put_elements(sink, "values", std::span(field_elements<d.value>(a), a.nonzeros()));
  });
}

}  // namespace

std::size_t csr_bytes(const CsrMatrix& a, Precision precision) {
  return CsrMatrix::bytes(a.rows, 0) + entry_bytes(a.nonzeros(), a.rows, precision, a.components);
}

Format csr_format() {
  return {.name = "csr",
          .description = "compressed sparse rows",
          .bytes = predicted_bytes,
          .cpu = make_csr_cpu,
          .cuda = make_csr_cuda,
          .cpu_single = make_csr_single_cpu,
          .cuda_single = make_csr_single_cuda,
          .converts = false,
          .dump = dump,
          .components = 4,
          .cuda_components = 4,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
