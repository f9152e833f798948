#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/groups.hpp"
#include "formats/packed/packed.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/schedule.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {
namespace {

/// The groups of a packed matrix, whichever way they are packed.
template <class Place, class Element>
struct Groups {
  const Index* bases;  ///< not read where places are columns
  const Place* places;
  const Element* elements;
  const double* signed_magnitudes;  ///< not read where elements are plain

  Index base(Offset g, int t) const { return has_bases<Place> ? bases[g * packed_steps + t] : 0; }
  double decoded(Element element) const {
    if constexpr (is_code<Element>) {
      return signed_magnitudes[std::rotl(element, 1)];
    } else {
      return element;
    }
  }
  /// A code's sign is among its bits, so that −0.0 is none; plain groups hold no zeros.
  static bool is_padding(Element element) { return element == 0; }
};

/// +m of each magnitude m, then −m: a code turned left by a bit, its sign lowest, is an
/// element's number, so that it is decoded by one load.
std::vector<double> with_both_signs(const Array<double>& dictionary) {
  std::vector<double> elements;
  for (const double magnitude : dictionary) {
    elements.push_back(magnitude);
    elements.push_back(-magnitude);
  }
  return elements;
}

/// What becomes of padding. Its element is 0, but its column another row's: where X holds infinity
/// or NaN there, it must not meet it.
enum class Padding { multiplied, skipped };

/// sum(r, j) += the entries of a few groups, for K interleaved vectors. All rows read nearly the
/// same part of X, which stays in the nearest cache meanwhile: of so few groups that it does.
template <int K>
constexpr Offset groups_at_once = K > 4 ? 3 : 4;
template <int K, Padding padding, class G>
void add_groups(const G groups, Offset begin, Offset end, const double* x, std::int64_t stride,
                double* sum) {
  const double* of_step[groups_at_once<K> * packed_steps];
  const auto steps = static_cast<int>(end - begin) * packed_steps;
  for (int i = 0; i < steps; ++i) {
    of_step[i] = x + groups.base(begin + i / packed_steps, i % packed_steps) * stride;
  }
  for (int r = 0; r < packed_rows; ++r) {
    // Two sets of sums, so that consecutive entries do not wait for each other.
    double even[K] = {}, odd[K] = {};
    const auto* elements = groups.elements + begin * packed_group + r * packed_steps;
    const auto* places = groups.places + begin * packed_group + r * packed_steps;
    for (int i = 0; i < steps; i += packed_steps) {
      const auto add_step = [&](int t, double* to) {
        if (padding == Padding::skipped && groups.is_padding(elements[t])) return;
        const double element = groups.decoded(elements[t]);
        const double* from = of_step[i + t] + places[t] * stride;
#pragma omp simd
        for (int j = 0; j < K; ++j) to[j] += element * from[j];
      };
      add_step(0, even), add_step(1, odd), add_step(2, even), add_step(3, odd);
      elements += packed_group, places += packed_group;
    }
    for (int j = 0; j < K; ++j) sum[r * K + j] += even[j] + odd[j];
  }
}

/// sum(r, j) += the slice's entries of groups begin … end − 1.
template <int K, Padding padding, class G>
void add_slice(const G& groups, Offset begin, Offset end, const double* x, std::int64_t stride,
               double* sum) {
  constexpr Offset few = groups_at_once<K>;
  for (Offset first = begin; first < end; first += few) {
    add_groups<K, padding>(groups, first, std::min(first + few, end), x, stride, sum);
  }
}

bool any_nan(std::span<const double> numbers) {
  bool any = false;
  for (const double number : numbers) any |= std::isnan(number);
  return any;
}

class PackedOperator final : public StoredOperator {
 public:
  PackedOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "packed"),
        m_(to_packed(a)),
        signed_magnitudes_(with_both_signs(m_.dictionary)) {
    built(m_.bytes(), m_.padding(a.nonzeros()), m_.description(a.nonzeros()));
  }
  PackedOperator(PackedMatrix m, Offset nonzeros, Backend& backend)
      : StoredOperator(m.rows, m.columns, nonzeros, cisolve::diagonal(m), backend, "packed"),
        m_(std::move(m)),
        signed_magnitudes_(with_both_signs(m_.dictionary)) {
    built(m_.bytes(), m_.padding(nonzeros), m_.description(nonzeros));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Groups<std::uint16_t, std::uint16_t> near{m_.bases.data(), m_.column_offsets.data(),
                                                    m_.codes.data(), signed_magnitudes_.data()};
    const Groups<Index, std::uint16_t> far{nullptr, m_.column_indices.data(), m_.codes.data(),
                                           signed_magnitudes_.data()};
    switch (m_.packing) {
      case Packing::none:
        return multiply_rows(
            *this, alpha, x, beta, y,
            [this](auto width, Index i, const double* from, std::int64_t stride, double* sum) {
              add_expansion<width.value>(i, from, stride, sum);
            });
      case Packing::coded_far:
        return multiply(far, alpha, x, beta, y);
      case Packing::coded_near:
      case Packing::plain_near:
        return multiply(near, alpha, x, beta, y);
    }
  }
  std::span<const KernelSettings> kernels() const override { return cpu_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return effective_cpu_kernel(*this, wanted, turn());
  }

 private:
  Index turn() const { return m_.packing == Packing::none ? 1 : packed_rows; }

  template <int K>
  void add_expansion(Index i, const double* x, std::int64_t stride, double* sum) const {
    if (m_.expansion_offsets.empty()) return;
    const Offset begin = m_.expansion_offsets[i];
    add_entries<K>(m_.expansion_values.data() + begin, m_.expansion_columns.data() + begin,
                   m_.expansion_offsets[i + 1] - begin, x, stride, sum);
  }

  /// sum(r, j) += all that is packed of slice s.
  template <int K, Padding padding, class Coded, class Plain>
  void add_packed(const Coded& coded, const Plain& plain, Index s, const double* x,
                  std::int64_t stride, double* sum) const {
    add_slice<K, padding>(coded, m_.slice_offsets[s], m_.slice_offsets[s + 1], x, stride, sum);
    add_slice<K, padding>(plain, m_.plain_slice_offsets[s], m_.plain_slice_offsets[s + 1], x,
                          stride, sum);
  }

  /// Coded groups of that kind, plain ones and the expansion.
  template <class G>
  void multiply(const G& coded, double alpha, ConstView x, double beta, View y) const {
    const Groups<std::uint16_t, double> plain{m_.plain_bases.data(), m_.plain_column_offsets.data(),
                                              m_.plain_values.data(), nullptr};
    set_schedule(*this, turn());
    for_each_piece(x.columns, [&](auto width, int first_vector) {
      constexpr int k = width.value;
      const double* from = x.data + first_vector;
#pragma omp parallel for if (shared_out(k)) schedule(runtime)
      for (Index s = 0; s < m_.slices(); ++s) {
        double sum[packed_rows * k] = {};
        add_packed<k, Padding::multiplied>(coded, plain, s, from, x.stride, sum);
        if (any_nan(sum)) {  // of the row's own entries, or of padding that met infinity or NaN
          std::ranges::fill(sum, 0.0);
          add_packed<k, Padding::skipped>(coded, plain, s, from, x.stride, sum);
        }
        const Index first = s * packed_rows;
        for (Index r = 0; r < std::min(packed_rows, m_.rows - first); ++r) {
          const Index i = m_.row_order[first + r];
          add_expansion<k>(i, from, x.stride, sum + r * k);
          write_row<k>(alpha, sum + r * k, beta, y.data + i * y.stride + first_vector);
        }
      }
    });
  }

  PackedMatrix m_;
  std::vector<double> signed_magnitudes_;  ///< beside the matrix, at most 512 kB
};

}  // namespace

std::unique_ptr<LinearOperator> make_packed_cpu(std::shared_ptr<const CsrMatrix> a,
                                                Backend& backend, const FormatOptions&) {
  return std::make_unique<PackedOperator>(*a, backend);
}

std::unique_ptr<LinearOperator> adopt_packed(PackedMatrix m, Offset nonzeros, Backend& backend) {
  return std::make_unique<PackedOperator>(std::move(m), nonzeros, backend);
}

}  // namespace cisolve
