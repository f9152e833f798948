#pragma once

#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "hamiltonian/direct/direct_share.hpp"

namespace cisolve {

/// Direct products over the ranks of a backend, whose vectors are distributed by rows as those of
/// stored matrices are. Every rank takes the whole of c, makes σ of its own alpha strings
/// (share_out), takes the whole of that, and keeps its rows: of vectors of one parity these are
/// made of σ_ab and σ_ba. Ranks that have c and σ in common memory (ProductVectors) wait for each
/// other instead. One rank exchanges and counts nothing.
class DirectRanks {
 public:
  /// `block`: of G that is left out together. Tables, of rows for as many ranks, and backend must
  /// outlive it.
  DirectRanks(const DirectTables& tables, Backend& backend, const BlockOfG& block);

  bool alone() const { return rows_.ranks() == 1; }
  /// Rows of vectors that this rank owns.
  Index first_row() const { return rows_.first(rank_); }
  Index rows() const { return rows_.count(rank_); }

  /// True if the tables are of vectors of one parity: else nothing may be asked of `lower`.
  bool of_parities() const { return alphas_[true].ranks() > 0; }
  /// Alpha strings whose σ this rank makes, where `lower` for a vector of one parity; and those of
  /// them that have an irrep.
  StringRange alphas(bool lower) const {
    return {alphas_[lower].first(rank_), alphas_[lower].begin[rank_ + 1]};
  }
  StringRange alphas(bool lower, int irrep) const;

  /// The rows of all ranks: n × 1 in `room`, which is left alone where one rank has them all.
  ConstView whole(ConstView x, double* room) const;
  /// The whole of x in host memory that is common to the ranks, of which each writes its rows: once
  /// none uses it any more, and until all have written.
  ConstView whole_in_common(ConstView x, double* room) const;
  /// Waits for all ranks.
  void meet() const;
  WorkShare share() const { return {rank_, rows_.ranks()}; }
  /// Places of vectors in the backend's memory: row a of irrep g at base[g] + (a − first of g)
  /// ld[g].
  struct Places {
    std::array<std::int64_t, most_irreps> base{};
    std::array<Index, most_irreps> ld{};
  };
  /// `whole` := the alpha strings of all ranks, each as the rank has it in `sigma`.
  void gather(bool lower, const double* sigma, const Places& places, double* whole) const;

 private:
  const DirectStrings& alpha_strings_;
  Backend& backend_;
  int rank_;
  RowPartition rows_;
  std::array<RowPartition, 2> alphas_;  ///< by `lower`
};

}  // namespace cisolve
