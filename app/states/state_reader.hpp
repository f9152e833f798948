#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/states/leading.hpp"
#include "backends/backend.hpp"
#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/spinor_product/spinor_density.hpp"

namespace cisolve {

/// Reader of a state's properties from its vector, for any kind of rows. All ranks call alike.
class StateReader {
 public:
  virtual ~StateReader() = default;

  /// y := S²x, of restricted orbitals, on the backend; n × 1.
  virtual void apply_s_squared(ConstView x, View y) = 0;

  /// The state that is asked about from then on, n × 1. False where it holds NaN or infinity.
  virtual bool read(ConstView x) = 0;
  /// Composition of a state by determinants or rows of a matrix: at most `count` leading ones,
  /// without their texts.
  struct Composition {
    std::vector<LeadingRow> leading;
    std::vector<double> rank_weights;  ///< empty, and zeros, of a matrix
    std::array<double, 8> irrep_weights{};
    SpinorDensity spinors = {};                 ///< over spinors; empty of others
    std::optional<NucleonState> nucleons = {};  ///< of nucleons alone
  };
  virtual Composition composition(int count) = 0;
  /// One-particle densities, for restricted orbitals.
  virtual OneDensities densities() = 0;
};

/// Reads vectors over determinants, or, where these are null, over the rows of a matrix, on the
/// host of every rank. `order`: how their space has the rows, as long as it is read; null: as they
/// are. Throws ResourceError where there is no memory.
std::unique_ptr<StateReader> make_row_reader(const Determinants* determinants, Backend& backend,
                                             const RowOrder* order = nullptr);
/// Reads vectors over K of so many components over the rows of a matrix, on the host.
std::unique_ptr<StateReader> make_field_reader(Backend& backend, int components);
/// Reads complex vectors over strings of spinors, which must outlive it, on the host.
std::unique_ptr<StateReader> make_spinor_reader(Backend& backend, const StringSpace& strings);
/// Reads vectors over the rows of a direct operator on its backend; operator and tables must
/// outlive it. Throws ResourceError where there is no memory.
std::unique_ptr<StateReader> make_function_reader(const DirectOperator& direct,
                                                  const DirectTables& tables, Backend& backend);

}  // namespace cisolve
