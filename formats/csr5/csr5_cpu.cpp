#include <algorithm>

#include "core/threads/parallel.hpp"
#include "formats/csr5/csr5.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

constexpr int widest = 8;  ///< of for_each_piece's pieces

template <int K>
void add_to_row(const View& y, Index row, double alpha, const double* sum) {
  double* to = y.data + row * y.stride;
  for (int j = 0; j < K; ++j) to[j] += alpha * sum[j];
}

/// One tile, lane by lane, which is row by row. The rows that begin in it are added to Y; what
/// comes before the first of them belongs to a row begun earlier and goes to `carry`.
template <int K>
void add_tile(const Csr5Matrix& m, Offset tile, double alpha, const ConstView& x, const View& y,
              double* carry) {
  const Index* row = m.nonempty_rows.data() + m.tile_rows[tile] - 1;
  bool begun = false;
  double sum[K] = {};
  const auto close_row = [&] {
    if (begun) {
      add_to_row<K>(y, *row, alpha, sum);
    } else {
      std::copy_n(sum, K, carry);
    }
    std::fill_n(sum, K, 0.0);
  };
  for (int l = 0; l < Csr5Matrix::lanes; ++l) {
    const std::uint64_t starts = m.row_starts[tile * Csr5Matrix::lanes + l];
    const Offset place = tile * m.tile_entries() + l;
    for (Index e = 0; e < m.tile_height; ++e) {
      if ((starts >> e & 1) != 0) {
        close_row();
        begun = true;
        ++row;
      }
      const Offset p = place + Offset{e} * Csr5Matrix::lanes;
      const double* from = x.data + m.column_indices[p] * x.stride;
      for (int j = 0; j < K; ++j) sum[j] += m.values[p] * from[j];
    }
  }
  close_row();
}

/// The calibration: of consecutive tiles that carry to one row, the first adds all, in order.
template <int K>
void add_carries(const Csr5Matrix& m, Offset tile, double alpha, const double* carries,
                 const View& y) {
  const Index rows = m.tile_rows[tile];
  if (rows == 0 || (tile > 0 && m.tile_rows[tile - 1] == rows)) return;
  double sum[K] = {};
  for (Offset t = tile; t < m.tiles() && m.tile_rows[t] == rows; ++t) {
    for (int j = 0; j < K; ++j) sum[j] += carries[t * K + j];
  }
  add_to_row<K>(y, m.nonempty_rows[rows - 1], alpha, sum);
}

template <int K>
void multiply(const Csr5Matrix& m, double alpha, const ConstView& x, double beta, const View& y,
              double* carries) {
#pragma omp parallel if (worth_threads(m.values.size()))
  {
#pragma omp for schedule(static)
    for (Index i = 0; i < y.rows; ++i) {
      double* to = y.data + i * y.stride;
      for (int j = 0; j < K; ++j) to[j] = beta == 0.0 ? 0.0 : beta * to[j];
    }
#pragma omp for schedule(static)
    for (Offset tile = 0; tile < m.tiles(); ++tile) {
      add_tile<K>(m, tile, alpha, x, y, carries + tile * K);
    }
#pragma omp for schedule(static)
    for (Offset tile = 0; tile < m.tiles(); ++tile) add_carries<K>(m, tile, alpha, carries, y);
#pragma omp for schedule(static)
    for (Index i = 0; i < m.tail_rows(); ++i) {
      double sum[K] = {};
      const Offset begin = m.tail_offsets[i];
      add_entries<K>(m.values.data() + begin, m.column_indices.data() + begin,
                     m.tail_offsets[i + 1] - begin, x.data, x.stride, NotAhead(), sum);
      add_to_row<K>(y, m.nonempty_rows[m.first_tail_row() + i], alpha, sum);
    }
  }
}

/// Products share its array of carries: one at a time.
class Csr5Operator final : public StoredOperator {
 public:
  Csr5Operator(const CsrMatrix& a, Backend& backend, Index tile_height)
      : StoredOperator(a, backend, "csr5"),
        m_(to_csr5(a, tile_height)),
        carries_(m_.tiles() * widest) {
    built(m_.bytes(), 0, m_.description());
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for_each_piece(x.columns, [&](auto width, int first) {
      constexpr int k = width.value;
      static_assert(k <= widest);
      multiply<k>(m_, alpha, x.slice(first, k), beta, y.slice(first, k), carries_.data());
    });
  }

 private:
  Csr5Matrix m_;
  mutable Array<double> carries_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_csr5_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions& options) {
  return std::make_unique<Csr5Operator>(*a, backend, options.tile_height);
}

}  // namespace cisolve
