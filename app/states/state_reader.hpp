#pragma once

#include <array>
#include <memory>
#include <vector>

#include "app/input/source.hpp"
#include "app/states/leading.hpp"
#include "backends/backend.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/direct/direct_product.hpp"

namespace cisolve {

/// What is read off a state's vector, over whatever the rows are. All ranks call alike.
class StateReader {
 public:
  virtual ~StateReader() = default;

  /// y := S²x, of restricted orbitals, on the backend; n × 1.
  virtual void apply_s_squared(ConstView x, View y) = 0;

  /// The state that is asked about from then on, n × 1. False where it holds NaN or infinity.
  virtual bool read(ConstView x) = 0;
  /// Of what determinants it is, or rows of a matrix: at most `count` leading ones, their texts
  /// left out.
  struct Composition {
    std::vector<LeadingRow> leading;
    std::vector<double> rank_weights;  ///< empty, and zeros, of a matrix
    std::array<double, 8> irrep_weights{};
  };
  virtual Composition composition(int count) = 0;
  /// Of restricted orbitals.
  virtual OneDensities densities() = 0;
};

/// Of vectors over the rows of `a`: with direct tables a direct operator, which is asked on its
/// backend and must outlive it as they must; else they are those of the source, and the host is
/// asked. Throws ResourceError where there is no memory.
std::unique_ptr<StateReader> make_state_reader(const HamiltonianSource& source,
                                               const LinearOperator& a, const DirectTables* direct,
                                               Backend& backend);

}  // namespace cisolve
