#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/threads/parallel.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/groups.hpp"
#include "formats/packed/packed.hpp"
#include "formats/shared/fetch_ahead.hpp"
#include "formats/shared/field_rows.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/schedule.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {
namespace {

/// The groups of a packed matrix of elements of D numbers, whichever way they are packed.
template <int D, class Place, class Element>
struct Groups {
  const Index* bases;  ///< not read where places are columns
  const Place* places;
  const Element* elements;
  const FieldElement<D>* signed_magnitudes;  ///< not read where elements are plain

  Index base(Offset g, int t) const { return has_bases<Place> ? bases[g * packed_steps + t] : 0; }
  FieldElement<D> decoded(const Element& element) const {
    if constexpr (is_code<Element>) {
      return signed_magnitudes[std::rotl(element, D)];
    } else {
      return element;
    }
  }
  /// A code's signs are among its bits, so that −0.0 is none; plain groups hold no zeros.
  static bool is_padding(const Element& element) { return element == Element{}; }
};

/// Every magnitude with all signs: a code turned left by its signs, which then are lowest, is an
/// element's number, so that it is decoded by one load.
template <int D>
std::vector<FieldElement<D>> with_all_signs(const Array<double>& dictionary) {
  std::vector<FieldElement<D>> elements(dictionary.size() / D << D);
  for (std::size_t number = 0; number < elements.size(); ++number) {
    const auto turned = static_cast<std::uint16_t>(number);
    elements[number] = decoded<D>(dictionary.data(), std::rotr(turned, D));
  }
  return elements;
}

/// Σ element · x(j) of a row over K interleaved vectors.
template <int D, int K>
class RowSums : public FieldSums<D, K> {
 public:
  using FieldSums<D, K>::add;
  template <class Stride>
  void add(const FieldElement<D>& element, const double* x, Stride stride) {
    add(element.data(), x, stride);
  }
};
template <int K>
class RowSums<1, K> {
 public:
  static constexpr int numbers = K;
  void add(double element, const double* x, std::int64_t) {
#pragma omp simd
    for (int j = 0; j < K; ++j) sums_[j] += element * x[j];
  }
  void add(const RowSums& other) {
    for (int j = 0; j < K; ++j) sums_[j] += other.sums_[j];
  }
  void add_to(double* sum) const {
    for (int j = 0; j < K; ++j) sum[j] += sums_[j];
  }

 private:
  double sums_[K] = {};
};

/// Treatment of padding. Its element is 0, but its column another row's: it must be skipped if X
/// holds infinity or NaN there.
enum class Padding { multiplied, skipped };

/// Fetches what lies a few groups behind these: rows, read one by one, skip from line to line.
template <class G>
void fetch_groups(const G& groups, Offset begin, Offset end) {
  constexpr std::integral_constant<Offset, 8 * packed_group> ahead;
  constexpr int of_line = 32;  // places, if not elements
  for (Offset e = begin * packed_group; e < end * packed_group; e += of_line) {
    fetch_entry(groups.elements + e, groups.places + e, ahead);
  }
}

/// sum(r, j) += the entries of a few groups, for K interleaved vectors. All rows read nearly the
/// same part of X, which stays in the nearest cache meanwhile: of so few groups that it does.
template <int K>
constexpr Offset groups_at_once = K > 4 ? 3 : 4;
template <int D, int K, Padding padding, class G, class Stride>
void add_groups(const G groups, Offset begin, Offset end, const double* x, Stride stride,
                double* sum) {
  // Two sets of sums, so that consecutive entries do not wait for each other, where registers hold
  // them.
  constexpr int sets = RowSums<D, K>::numbers <= 16 ? 2 : 1;
  const double* of_step[groups_at_once<D * K> * packed_steps];
  const auto steps = static_cast<int>(end - begin) * packed_steps;
  for (int i = 0; i < steps; ++i) {
    of_step[i] = x + groups.base(begin + i / packed_steps, i % packed_steps) * (D * stride);
  }
  fetch_groups(groups, begin, end);
  for (int r = 0; r < packed_rows; ++r) {
    RowSums<D, K> sums[sets];
    const auto* elements = groups.elements + begin * packed_group + r * packed_steps;
    const auto* places = groups.places + begin * packed_group + r * packed_steps;
    for (int i = 0; i < steps; i += packed_steps) {
      const auto add_step = [&](int t) {
        if (padding == Padding::skipped && groups.is_padding(elements[t])) return;
        sums[t % sets].add(groups.decoded(elements[t]), of_step[i + t] + places[t] * (D * stride),
                           stride);
      };
      add_step(0), add_step(1), add_step(2), add_step(3);
      elements += packed_group, places += packed_group;
    }
    if constexpr (sets == 2) sums[0].add(sums[1]);
    sums[0].add_to(sum + r * D * K);
  }
}

/// sum(r, j) += the slice's entries of groups begin … end − 1.
template <int D, int K, Padding padding, class G, class Stride>
void add_slice(const G& groups, Offset begin, Offset end, const double* x, Stride stride,
               double* sum) {
  constexpr Offset few = groups_at_once<D * K>;
  for (Offset first = begin; first < end; first += few) {
    add_groups<D, K, padding>(groups, first, std::min(first + few, end), x, stride, sum);
  }
}

bool any_nan(std::span<const double> numbers) {
  bool any = false;
  for (const double number : numbers) any |= std::isnan(number);
  return any;
}

/// Over elements of D real numbers.
template <int D>
class PackedOperator final : public StoredOperator {
 public:
  PackedOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "packed"), m_(to_packed(a)) {
    take(a.nonzeros());
  }
  PackedOperator(PackedMatrix m, Offset nonzeros, Backend& backend)
      : StoredOperator(m.rows, m.columns, nonzeros, cisolve::diagonal(m), backend, "packed", D),
        m_(std::move(m)) {
    take(nonzeros);
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const FieldElement<D>* const magnitudes = signed_magnitudes_.data();
    const Groups<D, std::uint16_t, std::uint16_t> near{m_.bases.data(), m_.column_offsets.data(),
                                                       m_.codes.data(), magnitudes};
    const Groups<D, Index, std::uint16_t> far{nullptr, m_.column_indices.data(), m_.codes.data(),
                                              magnitudes};
    switch (m_.packing) {
      case Packing::none:
        return multiply_expansion(alpha, x, beta, y);
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
  void take(Offset nonzeros) {
    signed_magnitudes_ = with_all_signs<D>(m_.dictionary);
    built(m_.bytes(), m_.padding(nonzeros), m_.description(nonzeros));
  }

  Index turn() const { return m_.packing == Packing::none ? D : D * packed_rows; }

  static const FieldElement<D>* elements(const Array<double>& numbers) {
    return reinterpret_cast<const FieldElement<D>*>(numbers.data());
  }

  template <int K, class Stride, class Ahead>
  void add_expansion(Index i, const double* x, Stride stride, Ahead ahead, double* sum) const {
    if (m_.expansion_offsets.empty()) return;
    const Offset begin = m_.expansion_offsets[i], count = m_.expansion_offsets[i + 1] - begin;
    const FieldElement<D>* const values = elements(m_.expansion_values) + begin;
    const Index* const columns = m_.expansion_columns.data() + begin;
    if constexpr (D == 1) {
      add_entries<K>(values, columns, count, x, stride, ahead, sum);
    } else {
      add_elements<D, K>(values, columns, count, side_by_side, x, stride, ahead, sum);
    }
  }

  /// Product of a matrix with no other part.
  void multiply_expansion(double alpha, ConstView x, double beta, View y) const {
    if constexpr (D == 1) {
      multiply_rows(
          *this, alpha, x, beta, y,
          [this](auto width, Index i, const double* from, std::int64_t stride, auto ahead,
                 double* sum) { add_expansion<width.value>(i, from, stride, ahead, sum); });
    } else {
      multiply_field_rows<D>(
          *this, nullptr, alpha, x, beta, y,
          [this](auto width, Index i, const double* from, auto stride, auto ahead, double* sum) {
            add_expansion<width.value>(i, from, stride, ahead, sum);
          });
    }
  }

  /// sum(r, j) += all that is packed of slice s.
  template <int K, Padding padding, class Coded, class Plain, class Stride>
  void add_packed(const Coded& coded, const Plain& plain, Index s, const double* x, Stride stride,
                  double* sum) const {
    add_slice<D, K, padding>(coded, m_.slice_offsets[s], m_.slice_offsets[s + 1], x, stride, sum);
    add_slice<D, K, padding>(plain, m_.plain_slice_offsets[s], m_.plain_slice_offsets[s + 1], x,
                             stride, sum);
  }

  /// Coded groups of that kind, plain ones and the expansion.
  template <class G>
  void multiply(const G& coded, double alpha, ConstView x, double beta, View y) const {
    set_schedule(*this, turn());
    for_each_piece(x.columns, [&](auto width, int first_vector) {
      constexpr int k = width.value;
      const ConstView from = x.slice(first_vector, k);
      const View to = y.slice(first_vector, k);
      if (D > 1 && x.stride == k) {
        multiply_piece<k>(coded, alpha, from, std::integral_constant<std::int64_t, k>(), beta, to);
      } else {
        multiply_piece<k>(coded, alpha, from, x.stride, beta, to);
      }
    });
  }

  template <int K, class G, class Stride>
  void multiply_piece(const G& coded, double alpha, ConstView x, Stride stride, double beta,
                      View y) const {
    const Groups<D, std::uint16_t, FieldElement<D>> plain{
        m_.plain_bases.data(), m_.plain_column_offsets.data(), elements(m_.plain_values), nullptr};
#pragma omp parallel for if (shared_out(K)) schedule(runtime)
    for (Index s = 0; s < m_.slices(); ++s) {
      double sum[packed_rows * D * K] = {};
      add_packed<K, Padding::multiplied>(coded, plain, s, x.data, stride, sum);
      if (any_nan(sum)) {  // of the row's own entries, or of padding that met infinity or NaN
        std::ranges::fill(sum, 0.0);
        // Seldom: not compiled for every constant stride, too.
        add_packed<K, Padding::skipped>(coded, plain, s, x.data, x.stride, sum);
      }
      const Index first = s * packed_rows;
      for (Index r = 0; r < std::min(packed_rows, m_.rows - first); ++r) {
        const Index i = m_.row_order[first + r];
        double* const of_row = sum + r * D * K;
        add_expansion<K>(i, x.data, stride, NotAhead(), of_row);
        for (int c = 0; c < D; ++c) {
          write_row<K>(alpha, of_row + c * K, beta, y.data + (Offset{i} * D + c) * y.stride);
        }
      }
    }
  }

  PackedMatrix m_;
  std::vector<FieldElement<D>> signed_magnitudes_;  ///< beside the matrix, at most 512 kB; twice
                                                    ///< that of complex ones
};

}  // namespace

std::unique_ptr<LinearOperator> make_packed_cpu(std::shared_ptr<const CsrMatrix> a,
                                                Backend& backend, const FormatOptions&) {
  if (a->components == 2) return std::make_unique<PackedOperator<2>>(*a, backend);
  return std::make_unique<PackedOperator<1>>(*a, backend);
}

std::unique_ptr<LinearOperator> adopt_packed(PackedMatrix m, Offset nonzeros, Backend& backend) {
  if (m.components == 2) {
    return std::make_unique<PackedOperator<2>>(std::move(m), nonzeros, backend);
  }
  return std::make_unique<PackedOperator<1>>(std::move(m), nonzeros, backend);
}

}  // namespace cisolve
