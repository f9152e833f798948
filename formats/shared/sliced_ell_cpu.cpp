#include <algorithm>

#include "formats/shared/bands.hpp"
#include "formats/shared/field_rows.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/single_values.hpp"
#include "formats/shared/sliced_ell.hpp"

namespace cisolve {
namespace {

template <class Value>
class SlicedEllOperator final : public StoredOperator {
 public:
  SlicedEllOperator(const CsrMatrix& a, const Array<Value>& values, Backend& backend,
                    const SlicedEllLayout& layout)
      : StoredOperator(a, backend, layout.format), m_(to_sliced_ell(a, values.data(), layout)) {
    built(m_.bytes(), m_.slice_offsets.back() - a.nonzeros(), describe(layout));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (is_tall()) {
      multiply<tall_band>(alpha, x, beta, y);
    } else {
      multiply<short_band>(alpha, x, beta, y);
    }
  }
  std::span<const KernelSettings> kernels() const override { return cpu_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return effective_cpu_kernel(
        *this, wanted,
        is_tall() ? band_rows<tall_band>(m_.slice_height) : band_rows<short_band>(m_.slice_height));
  }

 private:
  bool is_tall() const { return m_.slice_height >= tall_band; }

  template <int Height>
  void multiply(double alpha, ConstView x, double beta, View y) const {
    const Index* order = m_.row_order.empty() ? nullptr : m_.row_order.data();
    multiply_bands<Height>(*this, m_.slice_height, order, alpha, x, beta, y,
                           [=, this](auto k, auto height, Band band, const double* from,
                                     std::int64_t stride, double* sum) {
                             const Offset step = m_.height(band.slice);
                             const Offset begin = m_.slice_offsets[band.slice] + band.first -
                                                  Offset{band.slice} * m_.slice_height;
                             const auto place = [=](Index e) { return begin + e * step; };
                             const auto add = [&](auto count) {
                               add_columns<k.value>(count, 0, width(band), place, m_.values.data(),
                                                    m_.column_indices.data(), from, stride, sum);
                             };
                             // A full band's loops are of constant length.
                             if (band.count == height.value) {
                               add(height);
                             } else {
                               add(band.count);
                             }
                             if constexpr (diagonal_apart<Value>) {
                               for (Index r = 0; r < band.count; ++r) {
                                 const Index s = band.first + r;
                                 add_diagonal<k.value>(stored_diagonal(),
                                                       order == nullptr ? s : order[s], from,
                                                       stride, sum + r * k.value);
                               }
                             }
                           });
  }

  /// Columns in which a row of the band has an entry. Padding up to there is multiplied too: it is
  /// 0, and the band's loops stay without branches.
  Index width(Band band) const {
    if (band.count == 0) return 0;
    if (m_.row_lengths.empty()) return m_.width(band.slice);
    const Index* lengths = m_.row_lengths.data() + band.first;
    return *std::max_element(lengths, lengths + band.count);
  }

  SlicedEllArrays<Value> m_;
};

/// The operator of elements of D real numbers: row by row, for which a slice is small enough to
/// stay in the cache between its rows.
template <int D>
class FieldSlicedEllOperator final : public RowsOperator {
 public:
  FieldSlicedEllOperator(const CsrMatrix& a, Backend& backend, const SlicedEllLayout& layout)
      : RowsOperator(a, backend, layout.format),
        m_(to_sliced_ell(a, field_elements<D>(a), layout)) {
    built(m_.bytes(), m_.slice_offsets.back() - a.nonzeros(), describe(layout));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Index* const order = m_.row_order.empty() ? nullptr : m_.row_order.data();
    multiply_field_rows<D>(
        *this, order, alpha, x, beta, y,
        [this](auto k, Index i, const double* from, auto stride, auto ahead, double* sum) {
          const Index slice = i / m_.slice_height;
          const Offset place = m_.slice_offsets[slice] + i - Offset{slice} * m_.slice_height;
          const Index length = m_.row_lengths.empty() ? m_.width(slice) : m_.row_lengths[i];
          add_elements<D, k.value>(m_.values.data() + place, m_.column_indices.data() + place,
                                   length, Offset{m_.height(slice)}, from, stride, ahead, sum);
        });
  }

 private:
  SlicedEllArrays<FieldElement<D>> m_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_field_sliced_ell_cpu(const CsrMatrix& a, Backend& backend,
                                                          const SlicedEllLayout& layout) {
  if (a.components == 2) return std::make_unique<FieldSlicedEllOperator<2>>(a, backend, layout);
  return std::make_unique<FieldSlicedEllOperator<4>>(a, backend, layout);
}

template <class Value>
std::unique_ptr<LinearOperator> make_sliced_ell_cpu(const CsrMatrix& a, const Array<Value>& values,
                                                    Backend& backend,
                                                    const SlicedEllLayout& layout) {
  return std::make_unique<SlicedEllOperator<Value>>(a, values, backend, layout);
}

template std::unique_ptr<LinearOperator> make_sliced_ell_cpu(const CsrMatrix&, const Array<double>&,
                                                             Backend&, const SlicedEllLayout&);
template std::unique_ptr<LinearOperator> make_sliced_ell_cpu(const CsrMatrix&, const Array<float>&,
                                                             Backend&, const SlicedEllLayout&);

}  // namespace cisolve
