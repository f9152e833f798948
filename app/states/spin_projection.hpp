#pragma once

#include <memory>
#include <vector>

#include "app/config/config.hpp"
#include "app/input/source.hpp"
#include "backends/backend.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// The multiplicities 2S + 1 of a space: lowest, lowest + 2 … highest.
struct MultiplicityRange {
  int lowest = 1, highest = 1;
};

/// Löwdin's projector onto one spin (Phys. Rev. 1955, 97, 1509) over determinants of one M_s:
///   P_s = Π_{s' ≠ s} (S² − s'(s' + 1)) / (s(s + 1) − s'(s' + 1)),
/// s' over the other spins of the space. H commutes with it. The factors whose denominators are
/// largest come first: the last ones, which enlarge what is far from s, then find only rounding.
class SpinProjector {
 public:
  /// `s_squared`: S² over the determinants, on the backend; `multiplicity` is one of the range.
  /// Takes scratch of n × `columns`, once.
  SpinProjector(std::unique_ptr<LinearOperator> s_squared, Backend& backend,
                MultiplicityRange range, int multiplicity, int columns);

  /// T := P_s T in place, n × k; for each factor a product with S² and an axpby.
  void apply(View t);

 private:
  Backend& backend_;
  std::unique_ptr<LinearOperator> s_squared_;
  double wanted_;               ///< s(s + 1)
  std::vector<double> others_;  ///< s'(s' + 1), the furthest from s(s + 1) first
  MultiVector scratch_;
};

/// Where states of one multiplicity are asked for.
struct RequestedMultiplicity {
  std::shared_ptr<const CsrMatrix> s_squared;  ///< on the host; may be let go
  std::unique_ptr<SpinProjector> projector;    ///< null where all states are wanted
};

/// What `solver.multiplicity` asks for, for blocks of up to `columns` vectors. Throws InputError
/// for a matrix file, unrestricted orbitals, a multiplicity that electrons, M_s or the space do not
/// allow, fewer such states in the space than asked for, and a space that is not closed under S²;
/// ResourceError where there is no room for S².
RequestedMultiplicity requested_multiplicity(const RunConfig& config, HamiltonianSource& source,
                                             Backend& backend, int columns);

/// "singlets", "doublets", …, "states of multiplicity 9".
std::string multiplicity_name(int multiplicity);

}  // namespace cisolve
