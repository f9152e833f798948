#include "app/ways/kramers_way.hpp"

#include <memory>
#include <vector>

#include "app/ways/host_way.hpp"
#include "hamiltonian/spinor/kramers_matrix.hpp"
#include "hamiltonian/spinor/kramers_operator.hpp"

namespace cisolve {
namespace {

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
  Fingerprint fingerprint() override {
    Fingerprint made = HostMatrixHeld::fingerprint();
    made.components = components();
    made.rows = std::int64_t{components()} * basis()->rows();
    return made;
  }
  std::shared_ptr<const CsrMatrix> own_csr() override { return nullptr; }
  MadeOperator make(int columns, bool) override {
    const std::vector<double> energies = diagonal_of_pairs(matrix());
    auto a = std::make_shared<KramersOperator>(made_operator(), energies, backend_, columns);
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    return make_field_reader(backend_, components());
  }
};

}  // namespace

Way kramers_way(Elements& half) {
  return {true, [&half](WayRequest& request) -> std::unique_ptr<HeldMatrix> {
            auto held = std::make_unique<KramersHeld>(request, half);
            if (request.automatic()) {
              held->settled = settled_on(request.format.name, "no other format is tried",
                                         request.config.spmv.expected_products);
            }
            return held;
          }};
}

}  // namespace cisolve
