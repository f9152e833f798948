#include <algorithm>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/density/grams/density_grams.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"

namespace cisolve {
namespace {

/// Beta strings of a tile: what 14 orbitals' excitations make of it stays in a core's cache.
constexpr Index tile_width = 256;

/// Doubles that the parts of a sum take together, and most parts.
constexpr std::int64_t most_of_parts = std::int64_t{1} << 26;
constexpr std::int64_t most_parts = 256;

/// Σ over a share of the items 0 … n − 1 of rows × columns matrices: worker.add(item, sum), a
/// worker of make() for each thread. Parts of the items that do not depend on the threads are
/// summed each for itself.
template <class Make>
HostMatrix sum_of_parts(Eigen::Index rows, Eigen::Index columns, Index all, double work,
                        const StringShare& share, Make make) {
  const auto [begin, last] = share.of({0, all});
  const Index n = last - begin;
  const std::int64_t fit = most_of_parts / std::max<std::int64_t>(rows * columns, 1);
  const auto parts =
      static_cast<int>(std::min<std::int64_t>(std::clamp<std::int64_t>(fit, 1, most_parts), n));
  std::vector<HostMatrix> sums(parts);
  FirstException exception;
#pragma omp parallel if (worth_threads(work))
  {
    auto worker = make();
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < parts; ++i) {
      exception.guard([&] {
        sums[i] = HostMatrix::Zero(rows, columns);
        const auto end = static_cast<Index>(std::int64_t{n} * (i + 1) / parts);
        for (auto item = static_cast<Index>(std::int64_t{n} * i / parts); item < end; ++item) {
          worker.add(begin + item, sums[i]);
        }
      });
    }
  }
  exception.rethrow();
  HostMatrix total = HostMatrix::Zero(rows, columns);
  for (const HostMatrix& sum : sums) total += sum;
  return total;
}

/// Tiles of the beta strings, of one irrep in the file's count each.
std::vector<StringRange> tiles_of(const DensityTables& tables) {
  std::vector<StringRange> tiles;
  for (int f = 0; f < most_irreps; ++f) {
    const StringRange all = tables.strings(beta, f);
    for (Index b = all.first; b < all.last; b += tile_width) {
      tiles.push_back({b, std::min(b + tile_width, all.last)});
    }
  }
  return tiles;
}

/// Alpha strings of one irrep in the file's count: what a tile takes of the beta excitations is
/// read once for all of them.
constexpr Index strings_of_group = 16;

/// The elements of a group's rows at a beta string.
using Columns = Eigen::Array<double, strings_of_group, 1>;

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

  /// sums_t += Σ ⟨left|t right⟩ over a group's rows of alpha strings, for all operators t: rows of
  /// their columns, of `left` at the tile's beta strings, of `right` at all.
  void add_dots(Index tile, const Columns* left, const Columns* right, HostMatrix& sums) const {
    const auto dot = [&](Offset begin, Offset end) {
      Columns sum = Columns::Zero();
      for (Offset i = begin; i < end; ++i) sum += left[links_[i].to] * right[links_[i].from];
      return sum.sum();
    };
    for (int t = 0; t < operators_; ++t) {
      const Offset* const begin = links_of(tile, t);
      sums(0, t) += dot(begin[0], begin[1]) - dot(begin[1], begin[2]);
    }
  }

 private:
  /// Where its links of either sign begin, and end.
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

std::vector<StringRange> groups_of(const DensityTables& tables) {
  std::vector<StringRange> groups;
  for (int f = 0; f < most_irreps; ++f) {
    const StringRange all = tables.strings(alpha, f);
    for (Index a = all.first; a < all.last; a += strings_of_group) {
      groups.push_back({a, std::min(a + strings_of_group, all.last)});
    }
  }
  return groups;
}

/// Tables that the mixed Gram matrices share.
struct MixedTables {
  explicit MixedTables(const DensityTables& of)
      : tables(of), tiles(tiles_of(of)), groups(groups_of(of)) {
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
    const StringRange targets = mixed_.tables.betas(layout.file_irrep(g) ^ irrep_);
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

/// Strings of one spin of an irrep in the file's count, all of them, times some of the other's.
struct Rectangle {
  int irrep;
  StringRange strings, others;
};

std::vector<Rectangle> rectangles(const DensityTables& tables, Spin spin) {
  std::vector<Rectangle> list;
  for (int f = 0; f < most_irreps; ++f) {  // of the alpha strings
    const StringRange alphas = tables.strings(alpha, f), betas = tables.betas(f);
    if (alphas.size() == 0 || betas.size() == 0) continue;
    const StringRange &strings = spin == alpha ? alphas : betas,
                      &others = spin == alpha ? betas : alphas;
    const DirectStrings& all = tables.strings(spin);
    const int irrep = tables.layout.file_irrep(all.irrep_of[strings.first]);
    for (Index i = others.first; i < others.last; i += same_spin_width) {
      list.push_back({irrep, strings, {i, std::min(i + same_spin_width, others.last)}});
    }
  }
  return list;
}

/// The removals that lead to each string of two electrons fewer.
struct RemovalLists {
  explicit RemovalLists(const OperatorTable& table) {
    for (Index k = 0; k < table.columns; ++k) {
      for (int u = 0; u < table.rows(); ++u) {
        const Index entry = table.at(u, k);
        if (entry == 0) continue;
        links.push_back({std::abs(entry) - 1, static_cast<std::int16_t>(u),
                         static_cast<std::int16_t>(entry > 0 ? 1 : -1)});
      }
      begin.push_back(static_cast<Offset>(links.size()));
    }
  }
  std::vector<Offset> begin{0};
  std::vector<PairLink> links;
};

/// ⟨u x|t y⟩ over the determinants of one rectangle.
class SameSpinRectangle {
 public:
  SameSpinRectangle(const DensityTables& tables, Spin spin, int irrep, const double* x,
                    const double* y, const std::vector<Rectangle>& all,
                    const RemovalLists& removals)
      : tables_(tables), spin_(spin), irrep_(irrep), x_(x), y_(y), all_(all), removals_(removals) {}

  void add(Index i, HostMatrix& sum) {
    const Rectangle& r = all_[i];
    const StringRange fewer = tables_.fewer(spin_, r.irrep ^ irrep_);
    if (fewer.size() == 0) return;
    const Rows x = load(r, x_, left_);
    const Rows y = x_ == y_ ? x : load(r, y_, right_);
    for (Index k = fewer.first; k < fewer.last; ++k) {
      const PairLink* const links = removals_.links.data() + removals_.begin[k];
      const Offset n = removals_.begin[k + 1] - removals_.begin[k];
      Rows gram = gram_memory_.matrix(n, n);
      const Rows of_x = removed(r, x, links, n, left_);
      if (x_ == y_) {
        gram.noalias() = of_x * of_x.transpose();
      } else {
        gram.noalias() = of_x * removed(r, y, links, n, right_).transpose();
      }
      for (Offset u = 0; u < n; ++u) {
        for (Offset t = 0; t < n; ++t) sum(links[u].pair, links[t].pair) += gram(u, t);
      }
    }
  }

 private:
  /// Memory for one of the vectors.
  struct Memory {
    Scratch rectangle, removed;
  };

  /// The vector's rectangle, a row for each string of the spin.
  Rows load(const Rectangle& r, const double* vector, Memory& memory) {
    Rows x = memory.rectangle.matrix(r.strings.size(), r.others.size());
    const auto& begin = tables_.layout.row_begin;
    if (spin_ == alpha) {
      const Index first = tables_.betas(r.irrep).first;
      for (Index i = 0; i < r.strings.size(); ++i) {
        std::copy_n(vector + begin[r.strings.first + i] + (r.others.first - first), r.others.size(),
                    x.row(i).data());
      }
    } else {
      for (Index j = 0; j < r.others.size(); ++j) {
        const double* const from = vector + begin[r.others.first + j];
        for (Index i = 0; i < r.strings.size(); ++i) x(i, j) = from[i];
      }
    }
    return x;
  }
  /// The rectangle's remaining rows after each of the removals.
  Rows removed(const Rectangle& r, const Rows& x, const PairLink* links, Offset n, Memory& memory) {
    Rows rows = memory.removed.matrix(n, x.cols());
    for (Offset u = 0; u < n; ++u) {
      rows.row(u) = double(links[u].sign) * x.row(links[u].string - r.strings.first);
    }
    return rows;
  }

  const DensityTables& tables_;
  Spin spin_;
  int irrep_;
  const double *x_, *y_;
  const std::vector<Rectangle>& all_;
  const RemovalLists& removals_;
  Memory left_, right_;
  Scratch gram_memory_;
};

class DensityGramsCpu final : public DensityGrams {
 public:
  DensityGramsCpu(const DensityTables& tables, const StringShare& share)
      : tables_(tables), share_(share), mixed_(tables) {
    for (const Spin spin : {alpha, beta}) {
      rectangles_[spin] = rectangles(tables, spin);
      for (const OperatorTable& table : tables.removals[spin]) removals_[spin].emplace_back(table);
    }
  }

  HostMatrix mixed(int irrep, const double* x, const double* y, int alphas,
                   int betas) const override {
    return sum_of_parts(alphas, betas, static_cast<Index>(mixed_.groups.size()), work(), share_,
                        [&] { return MixedGroup(mixed_, irrep, x, y, alphas, betas); });
  }

  HostMatrix same_spin(Spin spin, int irrep, const double* x, const double* y) const override {
    const auto pairs = static_cast<Eigen::Index>(tables_.removals[spin][irrep].rows());
    const auto& all = rectangles_[spin];
    return sum_of_parts(pairs, pairs, static_cast<Index>(all.size()), work(), share_, [&] {
      return SameSpinRectangle(tables_, spin, irrep, x, y, all, removals_[spin][irrep]);
    });
  }

 private:
  /// Numbers that a part of the densities reads and writes, an estimate.
  double work() const { return 100.0 * static_cast<double>(tables_.layout.size()) / share_.shares; }

  const DensityTables& tables_;
  StringShare share_;
  MixedTables mixed_;
  std::array<std::vector<Rectangle>, 2> rectangles_;
  std::array<std::vector<RemovalLists>, 2> removals_;
};

}  // namespace

std::unique_ptr<DensityGrams> make_density_grams_cpu(const DensityTables& tables,
                                                     const StringShare& share) {
  return std::make_unique<DensityGramsCpu>(tables, share);
}

}  // namespace cisolve
