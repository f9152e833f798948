#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/direct/direct_elements.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/direct/direct_ranks.hpp"
#include "hamiltonian/direct/lowest_targets.hpp"
#include "hamiltonian/direct/product_vectors.hpp"
#include "hamiltonian/direct/same_spin_cpu.hpp"

namespace cisolve {
namespace {

using Strided = Eigen::Map<HostMatrix, 0, Eigen::Stride<-1, -1>>;

/// σ of one alpha string by excitations of alpha and beta electrons, at most one of each.
class AlphaRow {
 public:
  /// `betas`: what of c is not zero. `lowest`: of the beta strings' pairs of each irrep where σ_ab
  /// is wanted for b < a, and half of σ_aa; null: for all b.
  AlphaRow(const DirectTables& tables, const BetaRanges& betas,
           const std::vector<LowestTargets>* lowest)
      : tables_(tables),
        layout_(tables.layout),
        alpha_(layout_.alpha_strings),
        betas_(betas),
        lowest_(lowest) {}

  /// sigma: the row of a, added to.
  void add(const double* c, Index a, double* sigma) {
    const int irrep = alpha_.irrep_of[a];
    const StringRange targets = betas_[irrep];
    if (targets.size() == 0 || (lowest_ != nullptr && targets.first > a)) return;
    double* const row = sigma - layout_.betas(irrep).first;
    const bool own = lowest_ != nullptr && targets.first <= a && a < targets.last;
    const double before = own ? row[a] : 0.0;
    for (int h = 0; h < most_irreps; ++h) {
      const StringRange sources = betas_[irrep ^ h];
      if (sources.size() == 0) continue;
      const PackedWeights weights = gather_terms(c, a, h);
      if (weights.k() == 0) continue;
      const Index first = layout_.betas(irrep ^ h).first;
      for_each_tile(sources, [&](Index number, const StringRange& tile) {
        add_tile(a, h, number, tile, first, weights, row);
      });
    }
    if (own) row[a] = before + 0.5 * (row[a] - before);
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
      for (const int p : alpha_.strings[a]) own_ += v.row(1 + p);
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
  void for_each_tile(const StringRange& range, Visit visit) const {
    const auto& tiles = tables_.beta_links.tiles();
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (range.first <= tiles[i].first && tiles[i].last <= range.last) {
        visit(static_cast<Index>(i), tiles[i]);
      }
    }
  }

  void add_tile(Index a, int h, Index number, const StringRange& tile, Index first,
                const PackedWeights& weights, double* sigma) {
    const std::int64_t ldg = whole_blocks(tile.size());
    double* const g = g_memory_.of(ldg * rows_together);
    const std::array<double*, rows_together> rows_of_g{g, g + ldg, g + 2 * ldg, g + 3 * ldg};
    place_rows(tile, first, ldg);
    for (int t = 0; t < weights.pairs(); ++t) {
      const double* const from = g + t % rows_together * ldg;
      if (from == g) {
        if (lowest_ == nullptr) {
          const auto all = [](std::int64_t) { return true; };
          combine_rows(tile_rows_.data(), tile.size(), weights, t, rows_of_g.data(), all);
        } else {
          const auto wanted = [a, lowest = (*lowest_)[h].of(number, t)](std::int64_t block) {
            return lowest[block] <= a;
          };
          combine_rows(tile_rows_.data(), tile.size(), weights, t, rows_of_g.data(), wanted);
        }
      }
      const auto [plus, minus] = tables_.beta_links.of(h, t, number);
#pragma GCC unroll 4
      for (const BetaLink& link : wanted(plus, a)) sigma[link.target] += from[link.source];
#pragma GCC unroll 4
      for (const BetaLink& link : wanted(minus, a)) sigma[link.target] -= from[link.source];
    }
  }

  /// The tile of the rows: side by side where they are many, for each set of pairs reads them again
  /// and they lie on as many pages.
  void place_rows(const StringRange& tile, Index first, std::int64_t ldg) {
    constexpr std::size_t few = 24;
    const bool copied = rows_.size() > few;
    double* to = copied ? d_memory_.of(ldg * std::ssize(rows_)) : nullptr;
    tile_rows_.clear();
    for (const double* row : rows_) {
      const double* const from = row + (tile.first - first);
      if (copied) std::copy_n(from, tile.size(), to);
      tile_rows_.push_back(copied ? to : from);
      to += copied ? ldg : 0;
    }
  }

  /// The links to strings up to a, where only those are wanted.
  std::span<const BetaLink> wanted(std::span<const BetaLink> links, Index a) const {
    if (lowest_ == nullptr) return links;
    const auto end = std::ranges::upper_bound(links, a, {}, &BetaLink::target);
    return links.first(end - links.begin());
  }

  const DirectTables& tables_;
  const DirectLayout& layout_;
  const DirectStrings& alpha_;
  const BetaRanges& betas_;
  const std::vector<LowestTargets>* lowest_;
  std::vector<const double*> rows_, tile_rows_;
  Eigen::RowVectorXd own_;
  Scratch weights_memory_, d_memory_, g_memory_;
};

/// The row of S²c of alpha string a: an alpha electron that is alone in its orbital and a beta one
/// that is change places. With `lower` for b ≤ a alone, half of it for b = a.
void s_squared_row(const DirectTables& tables, const double* c, Index a, bool lower,
                   double* sigma) {
  const DirectLayout& layout = tables.layout;
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
  const int irrep = alphas.irrep_of[a];
  const OrbitalString64 string = alphas.strings[a];
  StringRange targets = layout.betas(irrep);
  if (lower) targets.last = std::min<Index>(targets.last, a + 1);
  const double ms = 0.5 * (alphas.electrons - betas.electrons);
  double* const row = sigma + layout.row_begin[a] - targets.first;
  const double* const own = c + layout.row_begin[a] - targets.first;
  for (Index b = targets.first; b < targets.last; ++b) {
    row[b] = (ms * (ms + 1.0) + (betas.strings[b] & ~string).count()) * own[b];
  }
  const auto& tiles = tables.beta_links.tiles();
  for (int h = 0; h < most_irreps; ++h) {
    const StringRange sources = layout.betas(irrep ^ h);
    for (const PairLink& link : tables.alpha_links.of(a, h)) {
      // The orbital that a has and the other has not: b must have the latter's.
      const OrbitalString64 gains = alphas.strings[link.string] & ~string;
      const OrbitalString64 both = alphas.strings[link.string] ^ string;
      const double* const from = c + layout.row_begin[link.string] - sources.first;
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (tiles[i].first < sources.first || tiles[i].last > sources.last) continue;
        const auto [plus, minus] = tables.beta_links.of(h, link.pair, static_cast<Index>(i));
        const auto add = [&](std::span<const BetaLink> links, double sign) {
          for (const BetaLink& l : links) {
            if (l.target >= targets.last) break;
            if ((betas.strings[l.target] & both) != gains) continue;
            row[l.target] -= sign * from[tiles[i].first + l.source];
          }
        };
        add(plus, link.sign);
        add(minus, -link.sign);
      }
    }
  }
  if (lower && targets.first <= a && a < targets.last) row[a] *= 0.5;
}

class DirectCpu final : public DirectOperator {
 public:
  DirectCpu(std::shared_ptr<const DirectTables> tables, Backend& backend)
      : tables_(std::move(tables)),
        layout_(tables_->layout),
        backend_(backend),
        ranks_(*tables_, backend, {rows_together, combined_columns}),
        n_(layout_.size()) {
    const DirectStrings& alphas = layout_.alpha_strings;
    for (int g = 0; g < most_irreps; ++g) {
      places_.base[g] = layout_.row_begin[alphas.begin[g]];
      places_.ld[g] = layout_.betas(g).size();
    }
    if (tables_->rows.kinds().front().parity == Parity::none) return;
    for (int h = 0; h < most_irreps; ++h) {
      lowest_.emplace_back(tables_->beta_links, h, rows_together, combined_columns);
    }
  }

  Index rows() const override { return ranks_.rows(); }
  Index columns() const override { return rows(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const DirectRows& rows = tables_->rows;
    for (int j = 0; j < x.columns; ++j) {
      const Content content = content_of(*tables_, x.slice(j, 1), backend_);
      load(x.slice(j, 1));
      multiply(content, vectors_.c(), vectors_.sigma());
      store(content.parity != Parity::none, alpha, kind_factors(rows, content.parity), beta,
            y.slice(j, 1));
    }
  }

  void to_layout(ConstView x, double* c) const override {
    reserve();
    const ConstView whole = whole_of(x);
    tables_->rows.to_layout(whole.data, whole.stride, c);
  }

  void apply_s_squared(ConstView x, View y) const override {
    const Parity parity = content_of(*tables_, x, backend_).parity;
    const bool lower = parity != Parity::none;
    load(x);
    const StringRange own = ranks_.alphas(lower);
    if (lower) zero(own, vectors_.sigma());
    FirstException exception;
#pragma omp parallel for if (worth_threads(work())) schedule(dynamic, 1)
    for (Index a = own.first; a < own.last; ++a) {
      exception.guard([&] { s_squared_row(*tables_, vectors_.c(), a, lower, vectors_.sigma()); });
    }
    exception.rethrow();
    store(lower, 1.0, kind_factors(tables_->rows, parity), 0.0, y);
  }

  void diagonal(View d) const override {
    const Array<double> h = direct_diagonal(tables_->integrals, layout_, tables_->rows);
    const Index first = ranks_.first_row();
#pragma omp parallel for if (worth_threads(d.rows)) schedule(static)
    for (Index i = 0; i < d.rows; ++i) d.data[i * d.stride] = h[first + i];
  }
  OperatorInfo info() const override {
    OperatorInfo info;
    info.format = "direct";
    info.stored = false;
    info.bytes = tables_->bytes();
    return info;
  }

 private:
  /// What a part of a product reads and writes, about.
  double work() const {
    return 100.0 * static_cast<double>(n_);
  }

  /// c := x.
  void load(ConstView x) const {
    reserve();
    const ConstView whole = whole_of(x);
    tables_->rows.to_layout(whole.data, whole.stride, vectors_.c(),
                            vectors_.common() ? ranks_.share() : WorkShare{});
    if (vectors_.common()) ranks_.meet();
  }
  void reserve() const {
    // With what combine_rows may read behind it.
    vectors_.reserve(n_ + combined_columns, backend_.communicator());
  }
  /// The rows of all ranks, in σ's place.
  ConstView whole_of(ConstView x) const {
    return vectors_.common() ? ranks_.whole_in_common(x, vectors_.sigma())
                             : ranks_.whole(x, vectors_.sigma());
  }

  /// y := alpha σ + beta y, with the factors of each kind of rows; over ranks c may be lost.
  void store(bool lower, double alpha, const std::vector<double>& factors, double beta,
             View y) const {
    const double* sigma = vectors_.sigma();
    if (vectors_.common()) {
      ranks_.meet();
    } else if (!ranks_.alone()) {
      ranks_.gather(lower, sigma, places_, vectors_.c());
      sigma = vectors_.c();
    }
    tables_->rows.from_layout(sigma, alpha, factors, beta, y.data, y.stride,
                              {ranks_.first_row(), ranks_.rows()});
  }

  /// σ := Hc, or where c has a parity ± what makes Hc = σ ± Pσ, P the exchange of both strings: of
  /// the electrons of one spin alpha's alone, of the rest the lower triangle with half the
  /// diagonal. Of several ranks each for its alpha strings.
  void multiply(const Content& content, double* c, double* sigma) const {
    const bool lower = content.parity != Parity::none;
    zero(ranks_.alphas(lower), sigma);
    for (const Content::Part& part : content.parts) {
      add_alphas(lower, part.betas, c, sigma);
      if (!lower) add_betas(part.betas, c, sigma);
      add_mixed(ranks_.alphas(lower), part.betas, c, lower ? &lowest_ : nullptr, sigma);
    }
  }

  void zero(const StringRange& alphas, double* sigma) const {
    const std::int64_t first = layout_.row_begin[alphas.first];
    const std::int64_t last = layout_.row_begin[alphas.last];
#pragma omp parallel for if (worth_threads(last - first)) schedule(static)
    for (std::int64_t i = first; i < last; ++i) sigma[i] = 0.0;
  }

  /// The part of single excitations of each spin.
  void add_mixed(const StringRange& alphas, const BetaRanges& betas, const double* c,
                 const std::vector<LowestTargets>* lowest, double* sigma) const {
    FirstException exception;
#pragma omp parallel if (worth_threads(work()))
    {
      AlphaRow row(*tables_, betas, lowest);
#pragma omp for schedule(dynamic, 1)
      for (Index a = alphas.first; a < alphas.last; ++a) {
        exception.guard([&] { row.add(c, a, sigma + layout_.row_begin[a]); });
      }
    }
    exception.rethrow();
  }

  /// A rectangle of c, strings of one irrep of the spin that is multiplied, all of them, times some
  /// of the other spin's.
  struct Rectangle {
    int irrep;
    Index strings;
    StringRange targets;  ///< of them those whose σ is wanted
    StringRange others;
    std::int64_t at;  ///< of its first element in c
    std::int64_t ld;  ///< from an alpha string to the next
  };
  Rectangle rectangle(int alpha_irrep, Index first_alpha, Index first_beta) const {
    const StringRange range = layout_.betas(alpha_irrep);
    return {0, 0, {}, {}, layout_.row_begin[first_alpha] + first_beta - range.first, range.size()};
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
          columns.add(tables_->same_spin[spin], task.irrep, task.targets, in, out);
          const Index first = task.targets.first, count = task.targets.size();
          view(sigma, task).middleRows(first, count) +=
              out.block(first, 0, count, task.others.size());
        });
      }
    }
    exception.rethrow();
  }

  /// All alpha strings of an irrep, some beta strings at a time.
  void add_alphas(bool lower, const BetaRanges& betas, double* c, double* sigma) const {
    std::vector<Rectangle> tasks;
    const DirectStrings& alphas = layout_.alpha_strings;
    for (int g = 0; g < most_irreps; ++g) {
      const StringRange own = ranks_.alphas(lower, g);
      if (own.size() == 0) continue;
      const StringRange range = betas[g];
      for (Index b = range.first; b < range.last; b += same_spin_width) {
        Rectangle task = rectangle(g, alphas.begin[g], b);
        task.irrep = g;
        task.strings = alphas.size(g);
        task.targets = {own.first - alphas.begin[g], own.last - alphas.begin[g]};
        task.others = {b, std::min(b + same_spin_width, range.last)};
        tasks.push_back(task);
      }
    }
    add_same_spin(alpha, tasks, c, sigma, [](double* memory, const Rectangle& r) {
      return Strided(memory + r.at, r.strings, r.others.size(), Eigen::Stride<-1, -1>(r.ld, 1));
    });
  }

  /// All beta strings of an irrep, some alpha strings at a time: the rectangle transposed.
  void add_betas(const BetaRanges& betas, double* c, double* sigma) const {
    std::vector<Rectangle> tasks;
    const DirectStrings& strings = layout_.beta_strings;
    for (int g = 0; g < most_irreps; ++g) {
      for (int y = 0; y < most_irreps; ++y) {
        if (!holds(betas[g], strings, y)) continue;
        const StringRange own = ranks_.alphas(false, g);
        for (Index a = own.first; a < own.last; a += same_spin_width) {
          Rectangle task = rectangle(g, a, strings.begin[y]);
          task.irrep = y;
          task.strings = strings.size(y);
          task.targets = {0, strings.size(y)};
          task.others = {a, std::min(a + same_spin_width, own.last)};
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
  Backend& backend_;
  DirectRanks ranks_;
  DirectRanks::Places places_;
  std::int64_t n_;                     ///< of c and σ
  std::vector<LowestTargets> lowest_;  ///< by irrep of the pair, where there are parities
  mutable ProductVectors vectors_;
};

}  // namespace

std::unique_ptr<DirectOperator> make_direct_cpu(std::shared_ptr<const DirectTables> tables,
                                                Backend& backend) {
  return std::make_unique<DirectCpu>(std::move(tables), backend);
}

}  // namespace cisolve
