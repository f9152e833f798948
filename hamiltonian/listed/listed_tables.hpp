#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hamiltonian/direct/rows/direct_layout.hpp"

namespace cisolve {

/// A sparse matrix over the strings of one spin, by rows; columns ascend.
struct StringMatrix {
  std::vector<Offset> begin{0};  ///< strings + 1
  std::vector<Index> columns;
  std::vector<double> values;

  std::size_t bytes() const;
};

/// ⟨target| X_pr |source⟩ = sign of alpha strings.
struct AlphaLink {
  Index target, source;
  std::int32_t sign;
};

/// ⟨string| X_qs |source⟩ of beta strings. Aligned so that a GPU loads one at once.
struct alignas(8) ListedLink {
  Index source;
  std::uint16_t pair;  ///< pair_index(q, s)
  std::uint16_t odd;   ///< 1 where the sign is −
};

/// Tables for products over all pairs of listed strings, in host memory:
///
///   H = h^α ⊗ 1 + 1 ⊗ h^β + Σ_{p≥r} X_pr ⊗ Y_pr,   Y_pr = Σ_{q≥s} (pr|qs) X_qs,
///
/// X_pr = E_pr + E_rp for p > r, between strings of the list alone: what excites to others is none
/// of the matrix. h of a spin holds the elements of its electrons among themselves, h^α the core
/// energy too. X_pp = n_p counts from the orbitals that most alpha strings have occupied: they have
/// n_p − 1, which few strings have other than zero, and Σ Y_pp over them is part of h^β.
///
/// Links are found by remainders of strings, so that work follows links, never pairs of strings.
/// Bytes: 8 and 12 a link, 12 an element of h. Integrals and space must outlive it.
class ListedTables {
 public:
  /// Tables of a space whose beta strings are one range for every alpha string. Up to 64 orbitals
  /// have the labels that zeros of the integrals tell (orbital_labels), more of them the file's
  /// irreps.
  ListedTables(const Integrals& integrals, const CiSpace& space);

  /// The determinants of a group of alpha strings: (a, b) is row first_row + (a − alphas.first) ·
  /// betas.size() + b − betas.first.
  struct Block {
    StringRange alphas, betas;
    std::int64_t first_row;
  };
  /// By group of alpha strings; links of a pair lead from one block to one.
  const std::vector<Block>& blocks() const { return blocks_; }
  const Block& block_of(Index alpha_string) const {
    return blocks_[space_.alpha.group_of[alpha_string]];
  }

  int pairs() const { return static_cast<int>(alpha_begin_.size()) - 1; }
  /// By ascending target.
  std::span<const AlphaLink> alpha_links(int pair) const {
    return {alpha_links_.data() + alpha_begin_[pair], alpha_links_.data() + alpha_begin_[pair + 1]};
  }
  /// Links of Y_pr: those of the label of (pr), q > s, of all beta strings one behind another,
  /// those of string b at begin[b] … begin[b + 1] − 1.
  struct BetaLinks {
    const Offset* begin;
    const ListedLink* links;
  };
  BetaLinks beta_links(int label) const {
    return {beta_begin_.data() + std::int64_t{label} * space_.beta.size(), beta_links_.data()};
  }
  /// Label of an alpha pair; Y_pr has a diagonal if it is 0.
  int label(int pair) const { return pair_labels_[pair]; }
  const StringMatrix& h(Spin spin) const { return h_[spin]; }
  /// (pr|qs) of all q ≥ s.
  const double* integrals_of(int pair) const { return integrals_.alpha_beta->row(pair); }

  /// Label of a row, which H keeps.
  int label_of(Index a, Index b) const {
    return irrep_product(labels_[alpha][a], labels_[beta][b]);
  }
  const Integrals& integrals() const { return integrals_; }
  const CiSpace& space() const { return space_; }
  std::size_t bytes() const;

  /// The lists one behind another, for copies.
  const std::vector<AlphaLink>& all_alpha_links() const { return alpha_links_; }
  std::span<const Offset> alpha_begin() const { return alpha_begin_; }
  const std::vector<Offset>& all_beta_begin() const { return beta_begin_; }
  const std::vector<ListedLink>& all_beta_links() const { return beta_links_; }

 private:
  void make_blocks();
  void make_alpha_links(const OrbitalString& typical);
  void make_beta_links(const std::vector<int>& orbital_labels);

  const Integrals& integrals_;
  const CiSpace& space_;
  std::vector<Block> blocks_;
  std::array<std::vector<std::int8_t>, 2> labels_;  ///< of strings
  std::vector<std::int8_t> pair_labels_;            ///< of alpha orbitals
  std::array<StringMatrix, 2> h_;
  std::vector<Offset> alpha_begin_;
  std::vector<AlphaLink> alpha_links_;
  std::vector<Offset> beta_begin_;  ///< by label, then string
  std::vector<ListedLink> beta_links_;
};

/// Host memory that making the tables takes, about: remainders of the strings.
double listed_table_bytes(const CiSpace& space);

/// Cost of a product with one vector.
struct ListedCost {
  double multiplications = 0.0;  ///< by two single excitations, one of each spin
  double moved = 0.0;            ///< elements of C by an alpha link
  double of_one_spin = 0.0;      ///< multiplications by elements of h
  double nonzeros = 0.0;         ///< of the matrix, elements that vanish as a sum among them
};
ListedCost listed_cost(const ListedTables& tables);

}  // namespace cisolve
