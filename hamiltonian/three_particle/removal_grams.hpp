#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/three_particle/string_removals.hpp"

namespace cisolve {

/// A set of removals with its tables in a backend's memory: what StringRemovals says.
struct RemovalTables {
  RemovalTables(const StringRemovals& removals, Backend& backend);

  int operators, rows;
  Index sources, targets;
  Buffer<Index> entries, labels;
};

/// One electron's removals by orbital, in a backend's memory: what removals_by_orbital says.
struct OrbitalRemovals {
  OrbitalRemovals(const StringRemovals& single, Backend& backend)
      : operators(single.operators),
        targets(single.targets),
        entries(Buffer<Index>::from_host(backend, removals_by_orbital(single))) {}

  int operators;
  Index targets;
  Buffer<Index> entries;
};

/// Vectors with electrons taken away: of matrices X_v over (strings of one spin) × (strings of the
/// other), row by row one behind another, the elements
///   (κ, λ) of O_i a_r X_v,  i from `own`, r from `other`, which acts on the columns, if there is
/// one. Operator (v, i, r) has number (v · own operators + i) · other operators + r.
struct RemovedVectors {
  const double* vectors;
  int count;    ///< of vectors
  Index width;  ///< columns of X_v
  const RemovalTables* own;
  const OrbitalRemovals* other = nullptr;

  int other_operators() const { return other != nullptr ? other->operators : 1; }
  /// Columns λ.
  Index columns() const { return other != nullptr ? other->targets : width; }
  /// All operators, and those that lead to one κ: the others' elements are zero there.
  int operators() const { return count * own->operators * other_operators(); }
  int rows() const { return count * own->rows * other_operators(); }
};

/// Parts of three-particle densities, on a backend, whose memory the arguments are in. Every run
/// gives equal bits, with any number of threads.
class RemovalGrams {
 public:
  virtual ~RemovalGrams() = default;

  /// ⟨left u|right t⟩ over all κ and λ, of which both have as many; operators of left × operators
  /// of right, in host memory. 2 · rows · rows flops for each (κ, λ); on the CPU half where left
  /// and right are one object.
  virtual HostMatrix gram(const RemovedVectors& left, const RemovedVectors& right) const = 0;
  /// V_c := Σ_edf (ce|df) a_e E_df X for `count` c from `first`, one behind another, removed
  /// strings × columns each; X is strings × columns, a_e acts on the strings, E_df on both spins, m
  /// orbitals. `integrals` are (ce|df) at row c m + e, pair d (d + 1)/2 + f of d ≥ f. m²(m + 1)
  /// flops for each element of X and c, on top of E_df.
  virtual void contract(const double* x, const HostMatrix& integrals, int first, int count,
                        double* v) const = 0;
  /// Y := Xᵀ, row-major, X rows × columns.
  virtual void transpose(const double* x, Index rows, Index columns, double* y) const = 0;
};

/// `orbitals` of each spin; contract() is for so many electrons in strings and in columns. The
/// backend must outlive it.
std::unique_ptr<RemovalGrams> make_removal_grams_cpu(int orbitals, int electrons, int others);
CISOLVE_CUDA_FUNCTION(make_removal_grams_cuda,
                      std::unique_ptr<RemovalGrams>(int orbitals, int electrons, int others,
                                                    Backend& backend));
std::unique_ptr<RemovalGrams> make_removal_grams(int orbitals, int electrons, int others,
                                                 Backend& backend);

}  // namespace cisolve
