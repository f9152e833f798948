#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/config/config.hpp"
#include "app/input/determinants/determinants.hpp"
#include "backends/backend.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// The multiplicities 2S + 1 of a space: lowest, lowest + 2 … highest.
struct MultiplicityRange {
  int lowest = 1, highest = 1;
};

/// States of one multiplicity, where only those are asked for; one of the range.
struct RequestedMultiplicity {
  MultiplicityRange range;
  int multiplicity = 1;
  bool one_parity = false;  ///< vectors have spins of that parity alone: multiplicities 4 apart
};

/// Löwdin's projector onto one spin (Phys. Rev. 1955, 97, 1509) over determinants of one M_s:
///   P_s = Π_{s' ≠ s} (S² − s'(s' + 1)) / (s(s + 1) − s'(s' + 1)),
/// s' over the other spins of the vectors. H commutes with it. The factors whose denominators are
/// largest come first: the last ones, which enlarge what is far from s, then find only rounding.
class SpinProjector {
 public:
  /// `s_squared`: over the rows, on the backend. Takes scratch of n × `columns`, once.
  SpinProjector(std::unique_ptr<LinearOperator> s_squared, Backend& backend,
                const RequestedMultiplicity& wanted, int columns);

  /// T := P_s T in place, n × k; for each factor a product with S² and an axpby.
  void apply(View t);

 private:
  Backend& backend_;
  std::unique_ptr<LinearOperator> s_squared_;
  double wanted_;               ///< s(s + 1)
  std::vector<double> others_;  ///< s'(s' + 1), the furthest from s(s + 1) first
  MultiVector scratch_;
};

/// Multiplicity that `solver.multiplicity` asks for; `nature`: Model::nature. Throws InputError
/// without determinants, for unrestricted orbitals, for a multiplicity that electrons, M_s or the
/// space do not allow, and if the space has fewer such states than asked for.
std::optional<RequestedMultiplicity> requested_multiplicity(const RunConfig& config,
                                                            const Determinants* determinants,
                                                            const std::string& nature);

/// S² over the determinants as a matrix. Throws InputError for a space that is not closed under S²,
/// ResourceError where there is no room.
std::shared_ptr<const CsrMatrix> stored_s_squared(const AnySpace& space);

}  // namespace cisolve
