#include "app/ways/stored/kramers_way.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "app/ways/stored/host_way.hpp"
#include "core/mixed.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/spinor/kramers/kramers_matrix.hpp"
#include "hamiltonian/spinor/kramers/kramers_operator.hpp"

namespace cisolve {
namespace {

/// wᵀQw of the quaternions that A stands for (KramersOperator), as of any operator.
Fingerprint fingerprint_of_pairs(const CsrMatrix& a) {
  using Complex = std::complex<double>;
  const auto weights = [](std::int64_t pair) {
    std::array<Complex, 2> w;  // p and q
    for (int c = 0; c < 2; ++c) {
      w[c] = {mixed_uniform(4 * pair + 2 * c), mixed_uniform(4 * pair + 2 * c + 1)};
    }
    return w;
  };
  double elements = 0.0, magnitude = 0.0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024) \
    reduction(+ : elements, magnitude)
  for (Index i = 0; i < a.rows; ++i) {
    const auto own = weights(i);
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      const Index column = a.column_indices[e];
      const Complex element(a.values[2 * e], a.values[2 * e + 1]);
      auto w = weights(column / 2);
      if (column % 2 != 0) w = {std::conj(w[1]), -std::conj(w[0])};
      const double term =
          (std::conj(own[0]) * element * w[0]).real() + (std::conj(own[1]) * element * w[1]).real();
      elements += term;
      magnitude += std::abs(term);
    }
  }
  return {4 * std::int64_t{a.rows}, -1, 0, elements, magnitude, 4};
}

/// Rows are pairs; the matrix that is held has two complex columns for each.
class KramersHeld final : public HostMatrixHeld {
 public:
  KramersHeld(const WayRequest& request, Elements& half) : HostMatrixHeld(request, half, nullptr) {}

  int components() override { return 4; }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    MemoryNeed need = HostMatrixHeld::memory(solver, 2 * columns);
    need.scratch += KramersOperator::scratch_bytes(4 * basis()->rows(), columns);
    return need;
  }
  Array<double> diagonal() override { return array_of(diagonal_of_pairs(matrix())); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return block_over(quaternion_rows(selected_rows(matrix(), rows)), rows);
  }
  /// There is no S² over spinors.
  Sectors sectors(const CsrMatrix*) override {
    const CsrMatrix& a = matrix();
    std::vector<Index> pairs(a.column_indices.begin(), a.column_indices.end());
    for (Index& column : pairs) column /= 2;
    return connected_sectors(a.row_offsets, pairs);
  }
  bool symmetric() override { return true; }
  Fingerprint fingerprint() override { return fingerprint_of_pairs(matrix()); }
  std::shared_ptr<const CsrMatrix> own_csr() override { return nullptr; }
  MadeOperator make(int columns, bool) override {
    const std::vector<double> energies = diagonal_of_pairs(matrix());
    auto a = std::make_shared<KramersOperator>(made_operator(), energies, backend_, columns);
    return {a, a.get()};
  }
};

}  // namespace

Way kramers_way(Elements& half) {
  return {true, [&half](WayRequest& request) -> std::unique_ptr<HeldMatrix> {
            auto held = std::make_unique<KramersHeld>(request, half);
            held->plan = request.plan_of(*held);
            if (request.automatic()) {
              held->settled = settled_on(request.format.name, "no other format is tried",
                                         request.config.spmv.expected_products);
            }
            return held;
          }};
}

}  // namespace cisolve
