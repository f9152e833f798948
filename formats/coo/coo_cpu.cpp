#include <algorithm>

#include "core/threads/parallel.hpp"
#include "formats/coo/coo.hpp"
#include "formats/shared/row_kernels.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// Entries a thread takes at a time, about: pieces are cut at row ends.
constexpr Offset piece_entries = 8192;

/// The first entry of piece p: at or after p · piece_entries, and the first of its row.
Offset piece_begin(const CooMatrix& coo, Offset p) {
  const Offset at = p * piece_entries;
  if (at == 0 || at >= coo.nonzeros()) return std::min(at, coo.nonzeros());
  const auto begin = coo.row_indices.begin();
  return std::upper_bound(begin + at, coo.row_indices.end(), begin[at - 1]) - begin;
}

/// Y := Y + αAX over the entries begin … end − 1, which are whole rows, for K vectors.
template <int K>
void add_rows(const CooMatrix& coo, Offset begin, Offset end, double alpha, const double* x,
              std::int64_t x_stride, double* y, std::int64_t y_stride) {
  const Index* row_indices = coo.row_indices.data();
  for (Offset first = begin; first < end;) {
    const Index row = row_indices[first];
    Offset last = first + 1;
    while (last < end && row_indices[last] == row) ++last;
    double sum[K] = {};
    add_entries<K>(coo.values.data() + first, coo.column_indices.data() + first, last - first, x,
                   x_stride, NotAhead(), sum);
    double* to = y + row * y_stride;
    for (int j = 0; j < K; ++j) to[j] += alpha * sum[j];
    first = last;
  }
}

class CooOperator final : public StoredOperator {
 public:
  CooOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "coo"), coo_(to_coo(a)) {
    built(coo_.bytes());
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    scale(beta, y);
    add_product(coo_, alpha, x, y);
  }

 private:
  CooMatrix coo_;
};

}  // namespace

void add_product(const CooMatrix& coo, double alpha, ConstView x, View y) {
  const Offset pieces = (coo.nonzeros() + piece_entries - 1) / piece_entries;
  for_each_piece(x.columns, [&](auto width, int first) {
    constexpr int k = width.value;
#pragma omp parallel for if (worth_threads(coo.nonzeros())) schedule(dynamic)
    for (Offset p = 0; p < pieces; ++p) {
      add_rows<k>(coo, piece_begin(coo, p), piece_begin(coo, p + 1), alpha, x.data + first,
                  x.stride, y.data + first, y.stride);
    }
  });
}

std::unique_ptr<LinearOperator> make_coo_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions&) {
  return std::make_unique<CooOperator>(*a, backend);
}

}  // namespace cisolve
