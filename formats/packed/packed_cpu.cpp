#include <algorithm>
#include <bit>

#include "formats/packed/groups.hpp"
#include "formats/packed/packed.hpp"
#include "formats/row_kernels.hpp"
#include "formats/schedule.hpp"
#include "formats/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {
namespace {

/// The groups of a packed matrix, whichever way they are packed.
template <class Place, class Element>
struct Groups {
  const Index* bases;  ///< not read where places are columns
  const Place* places;
  const Element* elements;
  const double* dictionary;  ///< not read where elements are plain

  Index base(Offset g, int t) const { return has_bases<Place> ? bases[g * packed_steps + t] : 0; }
  double element(Offset place) const {
    if constexpr (is_code<Element>) {
      return decoded(dictionary, elements[place]);
    } else {
      return elements[place];
    }
  }
};

/// Entries of a few groups as columns and elements; their part of X stays in the nearest cache
/// until all rows have read it. Padding's columns are of other rows, so its elements, 0, must not
/// meet what X holds there.
constexpr Offset groups_at_once = 4;
struct DecodedGroups {
  Offset count;  ///< of places
  Index columns[groups_at_once * packed_group];
  double elements[groups_at_once * packed_group];

  template <class G>
  DecodedGroups(const G& groups, Offset begin, Offset end) : count((end - begin) * packed_group) {
    constexpr int at_once = 4 * packed_steps;
    for (Offset i = 0; i < count; i += at_once) {
      const Offset place = begin * packed_group + i;
      Index base[at_once];
      for (int j = 0; j < at_once; ++j) {
        base[j] = groups.base(place / packed_group, j % packed_steps);
      }
#pragma omp simd
      for (int j = 0; j < at_once; ++j) {
        columns[i + j] = base[j] + groups.places[place + j];
        elements[i + j] = groups.element(place + j);
      }
    }
  }

  /// sum_r += Σ elements of row r times x(column), for one vector. Each place of a group has a sum
  /// of its own, so that neighbouring ones are worked at once.
  void add(std::int64_t stride, const double* x, double* part) const {
    for (Offset first = 0; first < count; first += packed_group) {
#pragma omp simd
      for (int i = 0; i < packed_group; ++i) {
        const double element = elements[first + i];
        part[i] += element == 0.0 ? 0.0 : element * x[columns[first + i] * stride];
      }
    }
  }

  /// sum(r, j) += the same for K interleaved vectors.
  template <int K>
  void add_rows(std::int64_t stride, const double* x, double* sum) const {
    for (int r = 0; r < packed_rows; ++r) {
      // Two sets of sums, so that consecutive entries do not wait for each other.
      double even[K] = {}, odd[K] = {};
      for (Offset first = r * packed_steps; first < count; first += packed_group) {
        const auto add_step = [&](int t, double* to) {
          const double element = elements[first + t];
          if (std::bit_cast<std::uint64_t>(element) == 0) return;
          const double* from = x + columns[first + t] * stride;
          for (int j = 0; j < K; ++j) to[j] += element * from[j];
        };
        add_step(0, even), add_step(1, odd), add_step(2, even), add_step(3, odd);
      }
      for (int j = 0; j < K; ++j) sum[r * K + j] += even[j] + odd[j];
    }
  }
};

/// sum(r, j) += the slice's entries of groups begin … end − 1, for K interleaved vectors.
template <int K, class G>
void add_slice(const G& groups, Offset begin, Offset end, const double* x, std::int64_t stride,
               double* sum) {
  double part[packed_group] = {};
  for (Offset first = begin; first < end; first += groups_at_once) {
    const DecodedGroups decoded(groups, first, std::min(first + groups_at_once, end));
    if constexpr (K == 1) {
      decoded.add(stride, x, part);
    } else {
      decoded.add_rows<K>(stride, x, sum);
    }
  }
  if constexpr (K == 1) {
    for (int i = 0; i < packed_group; ++i) sum[i / packed_steps] += part[i];
  }
}

class PackedOperator final : public StoredOperator {
 public:
  PackedOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "packed"), m_(to_packed(a)) {
    built(m_.bytes(), m_.padding(a.nonzeros()), m_.description(a.nonzeros()));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Groups<std::uint16_t, std::uint16_t> near{m_.bases.data(), m_.column_offsets.data(),
                                                    m_.codes.data(), m_.dictionary.data()};
    const Groups<Index, std::uint16_t> far{nullptr, m_.column_indices.data(), m_.codes.data(),
                                           m_.dictionary.data()};
    switch (m_.packing) {
      case Packing::none:
        return multiply_rows(
            kernel(), alpha, x, beta, y,
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
  std::span<const Kernel> kernels() const override { return cpu_kernels; }
  Kernel effective_kernel(const Kernel& wanted, int) const override {
    return effective_cpu_kernel(wanted, turn());
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

  /// Coded groups of that kind, plain ones and the expansion.
  template <class G>
  void multiply(const G& coded, double alpha, ConstView x, double beta, View y) const {
    const Groups<std::uint16_t, double> plain{m_.plain_bases.data(), m_.plain_column_offsets.data(),
                                              m_.plain_values.data(), nullptr};
    set_schedule(kernel(), turn());
    for_each_piece(x.columns, [&](auto width, int first_vector) {
      constexpr int k = width.value;
      const double* from = x.data + first_vector;
#pragma omp parallel for schedule(runtime)
      for (Index s = 0; s < m_.slices(); ++s) {
        double sum[packed_rows * k] = {};
        add_slice<k>(coded, m_.slice_offsets[s], m_.slice_offsets[s + 1], from, x.stride, sum);
        add_slice<k>(plain, m_.plain_slice_offsets[s], m_.plain_slice_offsets[s + 1], from,
                     x.stride, sum);
        const Index first = s * packed_rows;
        for (Index r = 0; r < std::min(packed_rows, m_.rows - first); ++r) {
          const Index i = m_.row_order[first + r];
          add_expansion<k>(i, from, x.stride, sum + r * k);
          double* to = y.data + i * y.stride + first_vector;
          for (int j = 0; j < k; ++j) {
            to[j] = alpha * sum[r * k + j] + (beta == 0.0 ? 0.0 : beta * to[j]);
          }
        }
      }
    });
  }

  PackedMatrix m_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_packed_cpu(std::shared_ptr<const CsrMatrix> a,
                                                Backend& backend, const FormatOptions&) {
  return std::make_unique<PackedOperator>(*a, backend);
}

}  // namespace cisolve
