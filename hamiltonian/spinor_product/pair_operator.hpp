#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// The Hamiltonian of N ≥ 2 electrons as an operator between pairs of them,
///
///   Ĥ = E_core + Σ_{p<q, r<s} W_pq,rs a†_p a†_q a_s a_r,
///   W_pq,rs = (pr|qs) − (ps|qr) + [h_pr δ_qs − h_ps δ_qr − h_qr δ_ps + h_qs δ_pr] / (N − 1),
///
/// which is Hermitian and falls into blocks where integrals are zero: pairs are listed block by
/// block, in each as they ascend by q, then p. Bytes: 16 for each element of a block.
class PairOperator {
 public:
  PairOperator(const SpinorIntegrals& integrals, int electrons);

  using Pair = std::pair<int, int>;  ///< p < q
  struct Block {
    std::vector<Pair> pairs;
    std::size_t first;  ///< of its elements
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  /// re and im of its elements, row by row, one block behind another.
  const Array<double>& elements() const { return elements_; }
  double core_energy() const { return core_energy_; }

 private:
  std::vector<Block> blocks_;
  Array<double> elements_;
  double core_energy_;
};

}  // namespace cisolve
