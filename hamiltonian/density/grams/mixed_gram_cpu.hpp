#pragma once

#include <algorithm>
#include <vector>

#include "hamiltonian/density/grams/density_tables.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"

namespace cisolve {

/// Beta strings of a tile: what 14 orbitals' excitations make of it stays in a core's cache.
constexpr Index betas_of_tile = 256;

/// Alpha strings of one irrep in the file's count: what a tile takes of the beta excitations is
/// read once for all of them.
constexpr Index strings_of_group = 16;

/// The elements of a group's rows at a beta string.
using Columns = Eigen::Array<double, strings_of_group, 1>;

/// The strings of one spin in pieces of at most so many, of one irrep in the file's count each.
inline std::vector<StringRange> pieces_of(const DensityTables& tables, Spin spin, Index most) {
  std::vector<StringRange> pieces;
  for (int f = 0; f < most_irreps; ++f) {
    const StringRange all = tables.strings(spin, f);
    for (Index s = all.first; s < all.last; s += most) {
      pieces.push_back({s, std::min(s + most, all.last)});
    }
  }
  return pieces;
}

/// The beta excitations of one irrep, tile by tile of the strings they lead to, without the zeros.
class BetaExcitations {
 public:
  BetaExcitations(const OperatorTable& table, const std::vector<StringRange>& tiles)
      : operators_(table.rows()) {
    for (const StringRange& tile : tiles) {
      for (int t = 0; t < table.rows(); ++t) {
        for (const int sign : {1, -1}) {
          for (Index b = tile.first; b < tile.last; ++b) {
            const Index entry = sign * table.at(t, b);
            if (entry > 0) links_.push_back({b - tile.first, entry - 1});
          }
          begin_.push_back(static_cast<Offset>(links_.size()));
        }
      }
    }
  }

  /// e := what the first operators make of a row of beta strings `first` …, at those of a tile: the
  /// same elements as of any other row; the others stay.
  void apply(Index tile, const double* row, Index first, Rows& e) const {
    const double* const from = row - first;
    for (int t = 0; t < e.rows(); ++t) {
      const Offset* const begin = links_of(tile, t);
      double* const to = e.row(t).data();
      for (Offset i = begin[0]; i < begin[1]; ++i) to[links_[i].to] = from[links_[i].from];
      for (Offset i = begin[1]; i < begin[2]; ++i) to[links_[i].to] = -from[links_[i].from];
    }
  }

  /// sums_t += Σ ⟨left|t right⟩ over a group's rows of alpha strings, for the first operators t:
  /// rows of their columns, of `left` at the tile's beta strings, of `right` at all.
  void add_dots(Index tile, const Columns* left, const Columns* right, HostMatrix& sums) const {
    const auto dot = [&](Offset begin, Offset end) {
      Columns sum = Columns::Zero();
      for (Offset i = begin; i < end; ++i) sum += left[links_[i].to] * right[links_[i].from];
      return sum.sum();
    };
    for (int t = 0; t < sums.cols(); ++t) {
      const Offset* const begin = links_of(tile, t);
      sums(0, t) += dot(begin[0], begin[1]) - dot(begin[1], begin[2]);
    }
  }

 private:
  /// Begins of its links of either sign, and their end.
  const Offset* links_of(Index tile, int t) const {
    return begin_.data() + 2 * (Offset{tile} * operators_ + t);
  }
  struct Link {
    Index to;  ///< in the tile
    Index from;
  };
  int operators_;
  std::vector<Offset> begin_{0};  ///< of (tile, operator, sign), one more at the end
  std::vector<Link> links_;
};

/// Tables that the mixed Gram matrices share.
struct MixedTables {
  explicit MixedTables(const DensityTables& of)
      : tables(of),
        tiles(pieces_of(of, beta, betas_of_tile)),
        groups(pieces_of(of, alpha, strings_of_group)) {
    for (const OperatorTable& table : of.excitations[beta]) excitations.emplace_back(table, tiles);
  }
  const DensityTables& tables;
  std::vector<StringRange> tiles, groups;
  std::vector<BetaExcitations> excitations;  ///< by irrep
};

/// ⟨u x|t y⟩ over the determinants of a group of alpha strings.
class MixedGroup {
 public:
  MixedGroup(const MixedTables& mixed, int irrep, const double* x, const double* y, int alphas,
             int betas)
      : mixed_(mixed), irrep_(irrep), x_(x), y_(y), alphas_(alphas), betas_(betas) {}

  void add(Index number, HostMatrix& sum) {
    const DirectLayout& layout = mixed_.tables.layout;
    const StringRange& group = mixed_.groups[number];
    const int g = layout.alpha_strings.irrep_of[group.first];
    const StringRange sources = layout.betas(g);
    const StringRange targets = mixed_.tables.betas(irrep_product(layout.file_irrep(g), irrep_));
    if (sources.size() == 0) return;
    // The first operator of the irrep 0 is 1.
    if (irrep_ == 0 && betas_ == 1) return add_of_alphas(group, sources.size(), sum);
    if (irrep_ == 0 && alphas_ == 1) return add_of_betas(group, sources, sum);
    for (std::size_t i = 0; i < mixed_.tiles.size(); ++i) {
      const StringRange& tile = mixed_.tiles[i];
      if (tile.first < targets.first || targets.last < tile.last) continue;
      Rows e = e_memory_.matrix(betas_, tile.size());
      e.setZero();
      for (Index a = group.first; a < group.last; ++a) {
        find_rows(a, tile.first - targets.first);
        if (rows_.empty()) continue;
        mixed_.excitations[irrep_].apply(static_cast<Index>(i), y_ + layout.row_begin[a],
                                         sources.first, e);
        multiply(e, sum);
      }
    }
  }

 private:
  /// ⟨u x|y⟩: dots of rows.
  void add_of_alphas(const StringRange& group, Index length, HostMatrix& sum) {
    for (Index a = group.first; a < group.last; ++a) {
      const Eigen::Map<const HostVector> y(y_ + mixed_.tables.layout.row_begin[a], length);
      find_rows(a, 0);
      for (Row& row : rows_) {
        row.dot = row.sign * Eigen::Map<const HostVector>(row.begin, length).dot(y);
      }
      for (const auto& [u, row] : operators_) sum(u, 0) += rows_[row].dot;
    }
  }

  /// ⟨x|t y⟩.
  void add_of_betas(const StringRange& group, const StringRange& betas, HostMatrix& sum) {
    load(x_, group, betas.size(), x_columns_);
    if (x_ != y_) load(y_, group, betas.size(), y_columns_);
    const Columns* const y = x_ == y_ ? x_columns_.data() : y_columns_.data();
    for (std::size_t i = 0; i < mixed_.tiles.size(); ++i) {
      const StringRange& tile = mixed_.tiles[i];
      if (tile.first < betas.first || betas.last < tile.last) continue;
      mixed_.excitations[0].add_dots(static_cast<Index>(i),
                                     x_columns_.data() + (tile.first - betas.first),
                                     y - betas.first, sum);
    }
  }

  /// The group's rows of a vector, side by side.
  void load(const double* vector, const StringRange& group, Index length,
            std::vector<Columns>& columns) {
    columns.assign(length, Columns::Zero());
    for (Index a = group.first; a < group.last; ++a) {
      const double* const row = vector + mixed_.tables.layout.row_begin[a];
      for (Index b = 0; b < length; ++b) columns[b][a - group.first] = row[b];
    }
  }

  /// The rows u x of alpha string a that are not zero, from there on; all that leave it as it is
  /// are one.
  void find_rows(Index a, Index first) {
    const OperatorTable& table = mixed_.tables.excitations[alpha][irrep_];
    const auto& begin = mixed_.tables.layout.row_begin;
    rows_.clear();
    operators_.clear();
    int own = -1;
    for (int u = 0; u < alphas_; ++u) {
      const Index entry = table.at(u, a);
      if (entry == 0) continue;
      const bool unchanged = entry == a + 1;
      if (!unchanged || own < 0) {
        if (unchanged) own = static_cast<int>(rows_.size());
        rows_.push_back({x_ + begin[std::abs(entry) - 1] + first, entry > 0 ? 1.0 : -1.0, 0.0});
      }
      operators_.push_back({u, unchanged ? own : static_cast<int>(rows_.size()) - 1});
    }
  }

  void multiply(const Rows& e, HostMatrix& sum) {
    const auto n = static_cast<Eigen::Index>(rows_.size());
    Rows d = d_memory_.matrix(n, e.cols()), product = product_memory_.matrix(n, betas_);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Map<const Eigen::RowVectorXd> row(rows_[i].begin, e.cols());
      d.row(i) = rows_[i].sign * row;
    }
    product.noalias() = d * e.transpose();
    for (const auto& [u, row] : operators_) sum.row(u) += product.row(row);
  }

  struct Row {
    const double* begin;
    double sign, dot;
  };
  struct Operator {
    int number, row;
  };
  const MixedTables& mixed_;
  int irrep_;
  const double *x_, *y_;
  int alphas_, betas_;
  std::vector<Row> rows_;
  std::vector<Operator> operators_;
  std::vector<Columns> x_columns_, y_columns_;
  Scratch d_memory_, e_memory_, product_memory_;
};

}  // namespace cisolve
