#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/ell/ell.hpp"
#include "formats/shared/field_rows.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

std::size_t ell_bytes(const CsrMatrix& a, const FormatOptions&) {
  return static_cast<std::size_t>(a.rows) * row_statistics(a).maximum *
         (a.components * sizeof(double) + sizeof(Index));
}

Index longest_row(const CsrMatrix& a) {
  return static_cast<Index>(row_statistics(a).maximum);
}

class EllOperator final : public RowsOperator {
 public:
  EllOperator(const CsrMatrix& a, Backend& backend)
      : RowsOperator(a, backend, "ell"), ell_(to_ell(a, EllMatrix::Order::by_row)) {
    built(ell_.bytes(), Offset{ell_.rows} * ell_.width - a.nonzeros(),
          "width " + std::to_string(ell_.width));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    multiply_ell(ell_, *this, alpha, x, beta, y);
  }

 private:
  EllMatrix ell_;
};

/// The operator of elements of D real numbers.
template <int D>
class FieldEllOperator final : public RowsOperator {
 public:
  FieldEllOperator(const CsrMatrix& a, Backend& backend)
      : RowsOperator(a, backend, "ell"),
        ell_(to_ell(a, field_elements<D>(a), EllOrder::by_row, longest_row(a))) {
    built(ell_.bytes(), Offset{ell_.rows} * ell_.width - a.nonzeros(),
          "width " + std::to_string(ell_.width));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    multiply_field_rows<D>(*this, nullptr, alpha, x, beta, y,
                           [columns = ell_.column_indices.data(), values = ell_.values.data(),
                            width = Offset{ell_.width}](auto k, Index i, const double* from,
                                                        auto stride, auto ahead, double* sum) {
                             add_elements<D, k.value>(values + i * width, columns + i * width,
                                                      width, side_by_side, from, stride, ahead,
                                                      sum);
                           });
  }

 private:
  EllArrays<FieldElement<D>> ell_;
};

std::unique_ptr<LinearOperator> make_ell_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions&) {
  if (a->components == 2) return std::make_unique<FieldEllOperator<2>>(*a, backend);
  if (a->components == 4) return std::make_unique<FieldEllOperator<4>>(*a, backend);
  return std::make_unique<EllOperator>(*a, backend);
}

void dump_ell(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  with_components(a.components, [&](auto d) {
    const auto ell = to_ell(a, field_elements<d.value>(a), EllOrder::by_row, longest_row(a));
    sink.scalar("width", ell.width);
    sink.array("column_indices", ell.column_indices, {ell.rows, ell.width});
    put_elements<FieldElement<d.value>>(sink, "values", ell.values, {ell.rows, ell.width});
  });
}

}  // namespace

void multiply_ell(const EllMatrix& ell, const StoredOperator& a, double alpha, ConstView x,
                  double beta, View y) {
  multiply_rows(
      a, alpha, x, beta, y,
      [columns = ell.column_indices.data(), values = ell.values.data(), width = Offset{ell.width}](
          auto k, Index i, const double* from, std::int64_t stride, auto ahead, double* sum) {
        add_entries<k.value>(values + i * width, columns + i * width, width, from, stride, ahead,
                             sum);
      });
}

EllMatrix to_ell(const CsrMatrix& a, EllMatrix::Order order) {
  return to_ell(a, order, longest_row(a));
}

EllMatrix to_ell(const CsrMatrix& a, EllMatrix::Order order, Index width) {
  return to_ell(a, a.values.data(), order, width);
}

template <class Value>
EllArrays<Value> to_ell(const CsrMatrix& a, const Value* entry_values, EllOrder order,
                        Index width) {
  EllArrays<Value> ell{a.rows, a.columns, width, order, {}, {}};
  const std::size_t entries = static_cast<std::size_t>(ell.rows) * ell.width;
  ell.column_indices = Array<Index>(entries);
  ell.values = Array<Value>(entries);
  const Offset row_step = order == EllOrder::by_row ? ell.width : 1;
  const Offset entry_step = order == EllOrder::by_row ? 1 : ell.rows;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static)
  for (Index i = 0; i < a.rows; ++i) {
    const Offset length = a.row_length(i);
    const Index* columns = a.column_indices.data() + a.row_offsets[i];
    const Value* values = entry_values + a.row_offsets[i];
    for (Offset e = 0; e < ell.width; ++e) {
      const Offset place = i * row_step + e * entry_step;
      ell.column_indices[place] = e < length ? columns[e] : length > 0 ? columns[length - 1] : 0;
      ell.values[place] = e < length ? values[e] : Value{};
    }
  }
  return ell;
}

#define CISOLVE_ELL(Value) \
  template EllArrays<Value> to_ell(const CsrMatrix&, const Value*, EllOrder, Index);
CISOLVE_ELL(double)
CISOLVE_ELL(FieldElement<2>)
CISOLVE_ELL(FieldElement<4>)
#undef CISOLVE_ELL

Format ell_format() {
  return {.name = "ell",
          .description = "ELLPACK: rows padded to the longest",
          .bytes = ell_bytes,
          .cpu = make_ell_cpu,
          .cuda = make_ell_cuda,
          .dump = dump_ell,
          .components = 4,
          .cuda_components = 4,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
