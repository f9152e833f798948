#include "formats/hybrid/hybrid.hpp"
#include "formats/shared/field_rows.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/single_values.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

template <class Value>
class HybridOperator final : public RowsOperator {
 public:
  HybridOperator(const CsrMatrix& a, const Array<Value>& values, Backend& backend,
                 const Boundary& boundary)
      : RowsOperator(a, backend, "hybrid"), h_(to_hybrid(a, values.data(), boundary)) {
    built(h_.bytes(), h_.padding(), "boundary " + std::to_string(h_.boundary));
  }

  /// Algorithm 7 with a core in the place of a warp: row i's reference entries, then its expansion.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    multiply_rows(*this, alpha, x, beta, y,
                  [this](auto width, Index i, const double* from, std::int64_t stride, auto ahead,
                         double* sum) {
                    const Offset row = Offset{i} * h_.boundary;
                    add_entries<width.value>(h_.reference_values.data() + row,
                                             h_.reference_columns.data() + row,
                                             h_.reference_counts[i], from, stride, ahead, sum);
                    const Offset begin = h_.expansion_offsets[i];
                    add_entries<width.value>(
                        h_.expansion_values.data() + begin, h_.expansion_columns.data() + begin,
                        h_.expansion_offsets[i + 1] - begin, from, stride, ahead, sum);
                    if constexpr (diagonal_apart<Value>) {
                      add_diagonal<width.value>(stored_diagonal(), i, from, stride, sum);
                    }
                  });
  }

 private:
  HybridArrays<Value> h_;
};

/// The operator of elements of D real numbers.
template <int D>
class FieldHybridOperator final : public RowsOperator {
 public:
  FieldHybridOperator(const CsrMatrix& a, Backend& backend, const Boundary& boundary)
      : RowsOperator(a, backend, "hybrid"), h_(to_hybrid(a, field_elements<D>(a), boundary)) {
    built(h_.bytes(), h_.padding(), "boundary " + std::to_string(h_.boundary));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    multiply_field_rows<D>(
        *this, nullptr, alpha, x, beta, y,
        [this](auto width, Index i, const double* from, auto stride, auto ahead, double* sum) {
          const Offset row = Offset{i} * h_.boundary, begin = h_.expansion_offsets[i];
          add_elements<D, width.value>(h_.reference_values.data() + row,
                                       h_.reference_columns.data() + row, h_.reference_counts[i],
                                       side_by_side, from, stride, ahead, sum);
          add_elements<D, width.value>(
              h_.expansion_values.data() + begin, h_.expansion_columns.data() + begin,
              h_.expansion_offsets[i + 1] - begin, side_by_side, from, stride, ahead, sum);
        });
  }

 private:
  HybridArrays<FieldElement<D>> h_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_hybrid_cpu(std::shared_ptr<const CsrMatrix> a,
                                                Backend& backend, const FormatOptions& options) {
  if (a->components == 2) {
    return std::make_unique<FieldHybridOperator<2>>(*a, backend, options.boundary);
  }
  if (a->components == 4) {
    return std::make_unique<FieldHybridOperator<4>>(*a, backend, options.boundary);
  }
  return std::make_unique<HybridOperator<double>>(*a, a->values, backend, options.boundary);
}

std::unique_ptr<LinearOperator> make_hybrid_single_cpu(std::shared_ptr<const CsrMatrix> a,
                                                       Array<float> values, Backend& backend,
                                                       const FormatOptions& options) {
  return std::make_unique<HybridOperator<float>>(*a, values, backend, options.boundary);
}

}  // namespace cisolve
