#include <algorithm>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/direct/same_spin_cpu.hpp"
#include "hamiltonian/space/matrix_element.hpp"

namespace cisolve {
namespace {

using Strided = Eigen::Map<HostMatrix, 0, Eigen::Stride<-1, -1>>;

/// σ of one alpha string by excitations of alpha and beta electrons, at most one of each.
class AlphaRow {
 public:
  explicit AlphaRow(const DirectTables& tables)
      : tables_(tables), layout_(tables.layout), alpha_(layout_.alpha_strings) {}

  /// sigma: the row of a.
  void compute(const double* c, Index a, double* sigma) {
    const int irrep = alpha_.irrep_of[a];
    const StringRange targets = layout_.betas(irrep);
    std::fill_n(sigma, targets.size(), 0.0);
    for (int h = 0; h < most_irreps; ++h) {
      const PackedWeights weights = gather_terms(c, a, h);
      if (weights.k() == 0) continue;
      const StringRange sources = layout_.betas(irrep ^ h);
      for_each_tile(sources, [&](Index number, const StringRange& tile) {
        add_tile(h, number, tile, sources.first, weights, sigma - targets.first);
      });
    }
  }

 private:
  /// The rows D_u of c and the rows of V that belong to them, with their signs.
  PackedWeights gather_terms(const double* c, Index a, int h) {
    const HostMatrix& v = tables_.v[h];
    const auto links = tables_.alpha_links.of(a, h);
    const auto pairs = static_cast<int>(v.cols());
    const int k = static_cast<int>(links.size()) + (h == 0 ? 1 : 0);
    PackedWeights weights(weights_memory_.of(PackedWeights::size(k, pairs)), k, pairs);
    rows_.clear();
    if (h == 0) {  // X_0 and all X_pp leave a as it is
      own_ = v.row(0);
      for_each_occupied(a, [&](int p) { own_ += v.row(1 + p); });
      weights.set(0, [&](int t) { return own_[t]; });
      rows_.push_back(c + layout_.row_begin[a]);
    }
    for (const PairLink& link : links) {
      const double* const of_pair = v.row(link.pair).data();
      weights.set(static_cast<int>(rows_.size()), [&](int t) { return link.sign * of_pair[t]; });
      rows_.push_back(c + layout_.row_begin[link.string]);
    }
    return weights;
  }

  template <class Visit>
  void for_each_occupied(Index a, Visit visit) const {
    for (int p = 0; p < alpha_.orbitals; ++p) {
      if ((alpha_.strings[a] >> p & 1) != 0) visit(p);
    }
  }

  template <class Visit>
  void for_each_tile(const StringRange& range, Visit visit) const {
    const auto& tiles = tables_.beta_links.tiles();
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (range.first <= tiles[i].first && tiles[i].last <= range.last) {
        visit(static_cast<Index>(i), tiles[i]);
      }
    }
  }

  void add_tile(int h, Index number, const StringRange& tile, Index first,
                const PackedWeights& weights, double* sigma) {
    const std::int64_t ldg = whole_blocks(tile.size());
    double* const g = g_memory_.of(ldg * rows_together);
    // Side by side, for each set of pairs reads them again and they lie on many pages.
    double* const d = d_memory_.of(ldg * weights.k());
    tile_rows_.clear();
    for (const double* row : rows_) {
      double* const to = d + ldg * static_cast<std::int64_t>(tile_rows_.size());
      std::copy_n(row + (tile.first - first), tile.size(), to);
      tile_rows_.push_back(to);
    }
    for (int t = 0; t < weights.pairs(); ++t) {
      const double* const from = g + t % rows_together * ldg;
      if (from == g) {
        combine_rows(tile_rows_.data(), tile.size(), weights, t, g, ldg);
      }
      const auto [plus, minus] = tables_.beta_links.of(h, t, number);
      for (const BetaLink& link : plus) sigma[link.target] += from[link.source];
      for (const BetaLink& link : minus) sigma[link.target] -= from[link.source];
    }
  }

  const DirectTables& tables_;
  const DirectLayout& layout_;
  const DirectStrings& alpha_;
  std::vector<const double*> rows_, tile_rows_;
  Eigen::RowVectorXd own_;
  Scratch weights_memory_, d_memory_, g_memory_;
};

class DirectCpu final : public LinearOperator {
 public:
  explicit DirectCpu(std::shared_ptr<const DirectTables> tables)
      : tables_(std::move(tables)), layout_(tables_->layout), n_(layout_.size()) {}

  Index rows() const override { return static_cast<Index>(n_); }
  Index columns() const override { return rows(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    c_.resize(n_);
    sigma_.resize(n_);
    for (int j = 0; j < x.columns; ++j) {
      load(x, j, c_.data());
      multiply(c_.data(), sigma_.data());
      store(alpha, sigma_.data(), beta, y, j);
    }
  }

  void diagonal(View d) const override {
    const std::vector<double> h = ci_diagonal(tables_->integrals, tables_->space);
    for (std::int64_t i = 0; i < n_; ++i) d.data[i * d.stride] = h[i];
  }
  OperatorInfo info() const override {
    OperatorInfo info;
    info.format = "direct";
    info.stored = false;
    info.bytes = tables_->bytes();
    return info;
  }

 private:
  /// Calls visit(position here, number in the space) for all determinants, alpha string by alpha
  /// string in parallel.
  template <class Visit>
  void for_each_determinant(Visit visit) const {
    const DirectStrings& betas = layout_.beta_strings;
#pragma omp parallel for if (worth_threads(work())) schedule(static)
    for (Index a = 0; a < layout_.alpha_strings.size(); ++a) {
      const StringRange range = layout_.betas(layout_.alpha_strings.irrep_of[a]);
      const std::int64_t here = layout_.row_begin[a] - range.first;
      const std::int64_t there = layout_.row_in_space(a);
      for (Index b = range.first; b < range.last; ++b) visit(here + b, there + betas.number[b]);
    }
  }
  /// What a part of a product reads and writes, about.
  double work() const {
    return 100.0 * static_cast<double>(n_);
  }
  void load(ConstView x, int j, double* c) const {
    for_each_determinant([=, from = x.data + j, stride = x.stride](
                             std::int64_t i, std::int64_t row) { c[i] = from[row * stride]; });
  }
  void store(double alpha, const double* sigma, double beta, View y, int j) const {
    for_each_determinant([=, to = y.data + j, stride = y.stride](std::int64_t i, std::int64_t row) {
      double& element = to[row * stride];
      element = beta == 0.0 ? alpha * sigma[i] : alpha * sigma[i] + beta * element;
    });
  }

  void multiply(double* c, double* sigma) const {
    add_mixed(c, sigma);
    add_alphas(c, sigma);
    add_betas(c, sigma);
  }

  /// σ := the part of single excitations of each spin, the only one that is set and not added.
  void add_mixed(const double* c, double* sigma) const {
    FirstException exception;
#pragma omp parallel if (worth_threads(work()))
    {
      AlphaRow row(*tables_);
#pragma omp for schedule(dynamic, 1)
      for (Index a = 0; a < layout_.alpha_strings.size(); ++a) {
        exception.guard([&] { row.compute(c, a, sigma + layout_.row_begin[a]); });
      }
    }
    exception.rethrow();
  }

  /// A rectangle of c, strings of one irrep of the spin that is multiplied, all of them, times some
  /// of the other spin's.
  struct Rectangle {
    int irrep;
    Index strings;
    StringRange others;
    std::int64_t at;  ///< of its first element in c
    std::int64_t ld;  ///< from an alpha string to the next
  };
  Rectangle rectangle(int alpha_irrep, Index first_alpha, Index first_beta) const {
    const StringRange range = layout_.betas(alpha_irrep);
    return {0, 0, {}, layout_.row_begin[first_alpha] + first_beta - range.first, range.size()};
  }

  /// Electrons of one spin: `in` := the rectangle, a row for each of its strings, and σ's += `out`;
  /// view(memory, rectangle) is the rectangle so.
  template <class RowsOf>
  void add_same_spin(Spin spin, const std::vector<Rectangle>& tasks, double* c, double* sigma,
                     RowsOf view) const {
    FirstException exception;
#pragma omp parallel if (worth_threads(work()))
    {
      SameSpinColumns columns;
      Scratch in_memory, out_memory;
#pragma omp for schedule(dynamic, 1)
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        exception.guard([&] {
          const Rectangle& task = tasks[i];
          Rows in = in_memory.matrix(task.strings, same_spin_width);
          Rows out = out_memory.matrix(task.strings, same_spin_width);
          in.leftCols(task.others.size()) = view(c, task);
          out.setZero();
          columns.add(tables_->same_spin[spin], task.irrep, in, out);
          view(sigma, task) += out.leftCols(task.others.size());
        });
      }
    }
    exception.rethrow();
  }

  /// All alpha strings of an irrep, some beta strings at a time.
  void add_alphas(double* c, double* sigma) const {
    std::vector<Rectangle> tasks;
    const DirectStrings& alphas = layout_.alpha_strings;
    for (int g = 0; g < most_irreps; ++g) {
      if (alphas.size(g) == 0) continue;
      const StringRange range = layout_.betas(g);
      for (Index b = range.first; b < range.last; b += same_spin_width) {
        Rectangle task = rectangle(g, alphas.begin[g], b);
        task.irrep = g;
        task.strings = alphas.size(g);
        task.others = {b, std::min(b + same_spin_width, range.last)};
        tasks.push_back(task);
      }
    }
    add_same_spin(alpha, tasks, c, sigma, [](double* memory, const Rectangle& r) {
      return Strided(memory + r.at, r.strings, r.others.size(), Eigen::Stride<-1, -1>(r.ld, 1));
    });
  }

  /// All beta strings of an irrep, some alpha strings at a time: the rectangle transposed.
  void add_betas(double* c, double* sigma) const {
    std::vector<Rectangle> tasks;
    const DirectStrings &alphas = layout_.alpha_strings, &betas = layout_.beta_strings;
    for (int g = 0; g < most_irreps; ++g) {
      for (int y = 0; y < most_irreps; ++y) {
        if (!layout_.holds(g, y)) continue;
        for (Index a = alphas.begin[g]; a < alphas.begin[g + 1]; a += same_spin_width) {
          Rectangle task = rectangle(g, a, betas.begin[y]);
          task.irrep = y;
          task.strings = betas.size(y);
          task.others = {a, std::min(a + same_spin_width, alphas.begin[g + 1])};
          tasks.push_back(task);
        }
      }
    }
    add_same_spin(beta, tasks, c, sigma, [](double* memory, const Rectangle& r) {
      return Strided(memory + r.at, r.strings, r.others.size(), Eigen::Stride<-1, -1>(1, r.ld));
    });
  }

  std::shared_ptr<const DirectTables> tables_;
  const DirectLayout& layout_;
  std::int64_t n_;
  mutable Array<double> c_, sigma_;  ///< kept: their pages are dear to come by
};

}  // namespace

std::unique_ptr<LinearOperator> make_direct_cpu(std::shared_ptr<const DirectTables> tables,
                                                Backend&) {
  return std::make_unique<DirectCpu>(std::move(tables));
}

}  // namespace cisolve
