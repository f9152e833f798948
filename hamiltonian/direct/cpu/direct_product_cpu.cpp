#include <algorithm>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/direct/cpu/alpha_row_cpu.hpp"
#include "hamiltonian/direct/cpu/product_vectors.hpp"
#include "hamiltonian/direct/cpu/s_squared_row_cpu.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/direct/direct_ranks.hpp"
#include "hamiltonian/direct/rows/direct_elements.hpp"
#include "hamiltonian/direct/tables/lowest_targets.hpp"

namespace cisolve {
namespace {

using Strided = Eigen::Map<HostMatrix, 0, Eigen::Stride<-1, -1>>;

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
    return info_without_matrix(tables_->bytes());
  }

 private:
  /// Numbers that a part of a product reads and writes, an estimate.
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
    // combine_rows may read so far behind the vectors.
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

  /// σ := Hc. If c has a parity ±, the part of σ from which Hc = σ ± Pσ follows, P being the
  /// exchange of both strings: alpha's alone of the terms of one spin, and the lower triangle with
  /// half the diagonal of the rest. Each rank takes its own alpha strings.
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
