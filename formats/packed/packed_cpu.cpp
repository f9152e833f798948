#include <algorithm>

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

/// sum_r += Σ over groups begin … end − 1 of a slice, for one vector. Each of a group's places has
/// a sum of its own, so that neighbouring ones are worked at once.
template <class G>
void add_slice_of_one(const G& groups, Offset begin, Offset end, const double* x,
                      std::int64_t stride, double* sum) {
  constexpr int at_once = 4 * packed_steps;
  double part[packed_group] = {};
  for (Offset g = begin; g < end; ++g) {
    Index base[at_once];
    for (int i = 0; i < at_once; ++i) base[i] = groups.base(g, i % packed_steps);
    for (int first = 0; first < packed_group; first += at_once) {
      const Offset place = g * packed_group + first;
#pragma omp simd
      for (int i = 0; i < at_once; ++i) {
        const double from = x[(base[i] + groups.places[place + i]) * stride];
        // Padding must not read an infinity or NaN of another row's column.
        part[first + i] += groups.elements[place + i] == 0 ? 0.0 : groups.element(place + i) * from;
      }
    }
  }
  for (int i = 0; i < packed_group; ++i) sum[i / packed_steps] += part[i];
}

/// sum_j += Σ over row r's entries of groups begin … end − 1, for K interleaved vectors.
template <int K, class G>
void add_row_of_groups(const G& groups, Offset begin, Offset end, int r, const double* x,
                       std::int64_t stride, double* sum) {
  // Two sets of sums, so that consecutive entries do not wait for each other.
  double part[2][K] = {};
  for (Offset g = begin; g < end; ++g) {
    const Offset first = g * packed_group + r * packed_steps;
    for (int t = 0; t < packed_steps; ++t) {
      if (groups.elements[first + t] == 0) continue;
      const double element = groups.element(first + t);
      const double* from = x + (groups.base(g, t) + groups.places[first + t]) * stride;
      for (int j = 0; j < K; ++j) part[t % 2][j] += element * from[j];
    }
  }
  for (int j = 0; j < K; ++j) sum[j] += part[0][j] + part[1][j];
}

/// sum(r, j) += the slice's entries, for K interleaved vectors: a few groups at a time, whose part
/// of X stays in the nearest cache until all rows have read it.
template <int K, class G>
void add_slice(const G& groups, Offset begin, Offset end, const double* x, std::int64_t stride,
               double* sum) {
  if constexpr (K == 1) {
    add_slice_of_one(groups, begin, end, x, stride, sum);
  } else {
    constexpr Offset at_once = 4;
    for (Offset first = begin; first < end; first += at_once) {
      for (int r = 0; r < packed_rows; ++r) {
        add_row_of_groups<K>(groups, first, std::min(first + at_once, end), r, x, stride,
                             sum + r * K);
      }
    }
  }
}

class PackedOperator final : public StoredOperator {
 public:
  PackedOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "packed"), m_(to_packed(a)) {
    built(m_.bytes(), m_.padding(a.nonzeros()), m_.description(a.nonzeros()));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Index* bases = m_.bases.data();
    const std::uint16_t* offsets = m_.column_offsets.data();
    const std::uint16_t* codes = m_.codes.data();
    const double* dictionary = m_.dictionary.data();
    switch (m_.packing) {
      case Packing::none:
        return multiply_rows(
            kernel(), alpha, x, beta, y,
            [this](auto width, Index i, const double* from, std::int64_t stride, double* sum) {
              add_expansion<width.value>(i, from, stride, sum);
            });
      case Packing::coded_near:
        return multiply(Groups{bases, offsets, codes, dictionary}, alpha, x, beta, y);
      case Packing::coded_far:
        return multiply(Groups{bases, m_.column_indices.data(), codes, dictionary}, alpha, x, beta,
                        y);
      case Packing::plain_near:
        return multiply(Groups{bases, offsets, m_.values.data(), dictionary}, alpha, x, beta, y);
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
    const Offset begin = m_.expansion_offsets[i];
    add_entries<K>(m_.expansion_values.data() + begin, m_.expansion_columns.data() + begin,
                   m_.expansion_offsets[i + 1] - begin, x, stride, sum);
  }

  template <class G>
  void multiply(const G& groups, double alpha, ConstView x, double beta, View y) const {
    set_schedule(kernel(), turn());
    for_each_piece(x.columns, [&](auto width, int first_vector) {
      constexpr int k = width.value;
      const double* from = x.data + first_vector;
#pragma omp parallel for schedule(runtime)
      for (Index s = 0; s < m_.slices(); ++s) {
        double sum[packed_rows * k] = {};
        add_slice<k>(groups, m_.slice_offsets[s], m_.slice_offsets[s + 1], from, x.stride, sum);
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
