#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/listed/listed_panel_cpu.hpp"
#include "hamiltonian/listed/listed_product.hpp"

namespace cisolve {
namespace {

/// Y_pr: values are looked up.
struct LookedUp {
  ListedTables::BetaLinks links;
  const double* integrals;
  const double* diagonal;  ///< by target from the first of its block; null: none

  double of_diagonal(Index target) const { return diagonal == nullptr ? 0.0 : diagonal[target]; }
  /// f(source, value) of a row.
  template <class F>
  void for_each(Index row, F f) const {
    for (Offset i = links.begin[row]; i < links.begin[row + 1]; ++i) {
      const ListedLink& link = links.links[i];
      const auto sign = std::uint64_t{link.odd} << 63;
      f(link.source,
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(integrals[link.pair]) ^ sign));
    }
  }
};

/// h^β.
struct Held {
  const StringMatrix& h;

  static double of_diagonal(Index) { return 0.0; }
  template <class F>
  void for_each(Index row, F f) const {
    for (Offset i = h.begin[row]; i < h.begin[row + 1]; ++i) f(h.columns[i], h.values[i]);
  }
};

/// Alpha strings of one block whose σ a thread makes: no two parts write to one row.
struct Part {
  int block;
  StringRange alphas;
};

/// Product of one part, by one thread.
class PartProduct {
 public:
  PartProduct(const ListedTables& tables, double alpha, ConstView x, View y)
      : tables_(tables), alpha_(alpha), x_(x), y_(y) {}

  void add(const Part& part) {
    add_alpha(part);
    add_beta(part);
    for (int pair = 0; pair < tables_.pairs(); ++pair) add_pair(part, pair);
  }

 private:
  const ListedTables::Block& block_of(Index a) const { return tables_.block_of(a); }
  static std::int64_t row_of(const ListedTables::Block& block, Index a) {
    return block.first_row + std::int64_t{a - block.alphas.first} * block.betas.size();
  }

  /// h^α: rows of C as they are, of all vectors together where nothing lies between them.
  void add_alpha(const Part& part) {
    constexpr std::int64_t piece = 512;
    const ListedTables::Block& block = tables_.blocks()[part.block];
    const StringMatrix& h = tables_.h(alpha);
    const int k = x_.columns;
    const bool together = x_.stride == k;
    const std::int64_t step = together ? 1 : x_.stride;
    const std::int64_t length = std::int64_t{block.betas.size()} * (together ? k : 1);
    const auto place = [&](std::int64_t e) {
      return together ? e / k * y_.stride + e % k : e * y_.stride;
    };
    std::array<double, piece> sum;
    for (Index a = part.alphas.first; a < part.alphas.last; ++a) {
      for (int first = 0; first < (together ? 1 : k); ++first) {
        double* const to = y_.data + row_of(block, a) * y_.stride + first;
        for (std::int64_t begin = 0; begin < length; begin += piece) {
          const std::int64_t n = std::min(piece, length - begin);
          std::fill_n(sum.begin(), n, 0.0);
          for (Offset i = h.begin[a]; i < h.begin[a + 1]; ++i) {
            const double* const from =
                x_.data + row_of(block, h.columns[i]) * x_.stride + first + begin * step;
            const double value = h.values[i];
            if (together) {
              for (std::int64_t e = 0; e < n; ++e) sum[e] += value * from[e];
            } else {
              for (std::int64_t e = 0; e < n; ++e) sum[e] += value * from[e * step];
            }
          }
          for (std::int64_t e = 0; e < n; ++e) to[place(begin + e)] += alpha_ * sum[e];
        }
      }
    }
  }

  void add_column(const ListedTables::Block& from, Index source, const ListedTables::Block& to,
                  Index target, double factor) {
    for (int j = 0; j < x_.columns; ++j) {
      columns_.push_back({x_.data + row_of(from, source) * x_.stride + j,
                          y_.data + row_of(to, target) * y_.stride + j, factor});
    }
  }

  void add_beta(const Part& part) {
    const ListedTables::Block& block = tables_.blocks()[part.block];
    columns_.clear();
    for (Index a = part.alphas.first; a < part.alphas.last; ++a) {
      add_column(block, a, block, a, alpha_);
    }
    panel_.add(Held{tables_.h(beta)}, block.betas, x_.stride, block.betas, y_.stride, columns_);
  }

  void add_pair(const Part& part, int pair) {
    const auto all = tables_.alpha_links(pair);
    const auto begin =
        std::ranges::lower_bound(all, part.alphas.first, {}, &AlphaLink::target) - all.begin();
    const auto end =
        std::ranges::lower_bound(all, part.alphas.last, {}, &AlphaLink::target) - all.begin();
    if (begin == end) return;
    const ListedTables::Block& to = tables_.blocks()[part.block];
    const ListedTables::Block& from = block_of(all[begin].source);
    if (from.betas.size() == 0) return;
    columns_.clear();
    for (const AlphaLink& link : all.subspan(begin, end - begin)) {
      add_column(from, link.source, to, link.target, alpha_ * link.sign);
    }
    const double* const integrals = tables_.integrals_of(pair);
    const int label = tables_.label(pair);
    if (label == 0) {
      diagonal_.clear();
      for (Index b = to.betas.first; b < to.betas.last; ++b) {
        double sum = 0.0;
        for (const int j : tables_.space().beta.strings[b]) sum += integrals[pair_index(j, j)];
        diagonal_.push_back(sum);
      }
    }
    panel_.add(
        LookedUp{tables_.beta_links(label), integrals, label == 0 ? diagonal_.data() : nullptr},
        from.betas, x_.stride, to.betas, y_.stride, columns_);
  }

  const ListedTables& tables_;
  double alpha_;
  ConstView x_;
  View y_;
  Panel panel_;
  std::vector<PanelColumn> columns_;
  std::vector<double> diagonal_;
};

class ListedCpu final : public LinearOperator {
 public:
  ListedCpu(std::shared_ptr<const ListedTables> tables, Backend& backend)
      : tables_(std::move(tables)), backend_(backend), cost_(listed_cost(*tables_)) {
    work_.assign(tables_->space().alpha.strings.size(), 1.0);
    for (int pair = 0; pair < tables_->pairs(); ++pair) {
      const auto links = tables_->alpha_links(pair);
      for (const AlphaLink& link : links) work_[link.target] += 1.0;
      used_pairs_ += !links.empty();
    }
  }

  Index rows() const override { return static_cast<Index>(tables_->space().size()); }
  Index columns() const override { return rows(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (beta == 0.0) {
      backend_.fill(0.0, y);
    } else {
      backend_.scale_columns(std::vector<double>(static_cast<std::size_t>(y.columns), beta), y);
    }
    const std::vector<Part> parts = parts_of(x.columns);
    FirstException exception;
#pragma omp parallel if (worth_threads(cost_.multiplications + cost_.of_one_spin))
    {
      PartProduct product(*tables_, alpha, x, y);
#pragma omp for schedule(dynamic, 1)
      for (std::size_t i = 0; i < parts.size(); ++i) {
        exception.guard([&] { product.add(parts[i]); });
      }
    }
    exception.rethrow();
  }

  void diagonal(View d) const override {
    const Array<double> h = listed_diagonal(*tables_);
    for (Index i = 0; i < d.rows; ++i) d.data[i * d.stride] = h[i];
  }

  OperatorInfo info() const override {
    return info_without_matrix(tables_->bytes());
  }

 private:
  /// Equal work each: several for each thread, but not so many that panels stay empty.
  std::vector<Part> parts_of(int vectors) const {
    double links = 0.0;
    for (const double of_string : work_) links += of_string;
    const double panels = links * vectors / listed_host_columns / std::max(1, used_pairs_);
    const int threads = omp_get_max_threads();
    const double wanted = std::clamp(panels, 1.0 * threads, 4.0 * threads);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < tables_->blocks().size(); ++i) {
      const StringRange& all = tables_->blocks()[i].alphas;
      if (tables_->blocks()[i].betas.size() == 0) continue;
      double work = 0.0;
      Index first = all.first;
      for (Index a = all.first; a < all.last; ++a) {
        work += work_[a];
        if (work * wanted < links && a + 1 < all.last) continue;
        parts.push_back({static_cast<int>(i), {first, a + 1}});
        first = a + 1;
        work = 0.0;
      }
    }
    return parts;
  }

  std::shared_ptr<const ListedTables> tables_;
  Backend& backend_;
  ListedCost cost_;
  std::vector<double> work_;  ///< by alpha string
  int used_pairs_ = 0;
};

}  // namespace

std::unique_ptr<LinearOperator> make_listed_cpu(std::shared_ptr<const ListedTables> tables,
                                                Backend& backend) {
  return std::make_unique<ListedCpu>(std::move(tables), backend);
}

}  // namespace cisolve
