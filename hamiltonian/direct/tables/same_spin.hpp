#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/direct/rows/direct_strings.hpp"

namespace cisolve {

/// The electrons of one spin among themselves, over their strings:
///   Σ_{p>q, r>s} W_{pq,rs} a†_p a†_q a_s a_r,  W_{pq,rs} = (pr|qs) − (ps|qr),
/// through the strings κ of two electrons fewer: ⟨κ + pq| … |κ + rs⟩ = ± ± W_{pq,rs}. Only the
/// pairs that κ has room for matter, so the operator is a sum of small dense matrices, one for each
/// κ.
class SameSpin {
 public:
  SameSpin(const DirectStrings& strings, const TwoElectron& integrals);

  /// All κ + rs of one irrep: strings by their number within it, pairs r > s.
  struct Block {
    std::span<const PairLink> additions;
    const HostMatrix& w;  ///< W of the pairs of their irrep
  };
  Index blocks(int irrep) const { return static_cast<Index>(of_[irrep].pair_irrep.size()); }
  Block block(int irrep, Index i) const {
    const OfIrrep& of = of_[irrep];
    return {{of.additions.data() + of.begin[i], of.additions.data() + of.begin[i + 1]},
            w_[of.pair_irrep[i]]};
  }
  /// Most additions of a block of that irrep.
  int most_additions(int irrep) const;
  std::size_t bytes() const;

  /// The blocks of strings of one irrep, one behind another.
  struct OfIrrep {
    std::vector<Offset> begin{0};
    std::vector<PairLink> additions;
    std::vector<std::int8_t> pair_irrep;  ///< of each block
  };
  const OfIrrep& of(int irrep) const { return of_[irrep]; }
  const HostMatrix& w(int pair_irrep) const { return w_[pair_irrep]; }

 private:
  std::array<OfIrrep, most_irreps> of_;    ///< by irrep of the strings made
  std::array<HostMatrix, most_irreps> w_;  ///< by irrep of the pairs
};

}  // namespace cisolve
