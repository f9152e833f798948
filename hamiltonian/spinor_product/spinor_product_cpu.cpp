#include <omp.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve {
namespace {

using ColumnMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using RealForm = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of W that are taken to real form at once, of which a core's cache has room.
constexpr int most_rows = 64;

/// T of a group's remainders.
class GroupProduct {
 public:
  explicit GroupProduct(const SpinorProductTables& tables) : tables_(tables) {}

  /// c: the vector; t: re and im over the pairs that a remainder leaves empty, p < q, by q, then p;
  /// remainder by remainder.
  void multiply(const RemainderGroup& group, const double* c, double* t) {
    const GroupPairs pairs(tables_, group.common);
    d_.setZero(2 * pairs.count, group.count);
    t_.resize(2 * pairs.count, group.count);
    for_each_element(group, pairs, [&](Index column, int place, std::size_t row, double sign) {
      double* const to = &d_(2 * place, column);
      to[0] = sign * c[2 * row];
      to[1] = sign * c[2 * row + 1];
    });
    for (const GroupPairs::Block& block : pairs.blocks) multiply_block(block);
    for_each_element(group, pairs, [&](Index column, int place, std::size_t, double) {
      const double* const from = &t_(2 * place, column);
      *t++ = from[0];
      *t++ = from[1];
    });
  }

 private:
  struct Lower {
    int p;
    std::uint32_t low;
    bool odd;
  };

  template <class Visit>
  void for_each_element(const RemainderGroup& group, const GroupPairs& pairs, const Visit& visit) {
    const int n = tables_.spinors();
    const StringNumbers numbers = tables_.numbers();
    OrbitalString k = numbers.string(group.first, tables_.electrons() - 2, n);
    for (Index column = 0; column < group.count; ++column) {
      lower_.clear();
      numbers.for_each_empty(k, n, [&](int q, std::uint32_t low, std::uint32_t high, bool odd) {
        for (const Lower& p : lower_) {
          visit(column, pairs.places[p.p * n + q], std::size_t{p.low + high},
                p.odd == odd ? -1.0 : 1.0);
        }
        lower_.push_back({q, low, odd});
      });
      if (column + 1 < group.count && !k.empty()) k = k.next();
    }
  }

  void multiply_block(const GroupPairs::Block& block) {
    const auto pairs = static_cast<int>(block.chosen.size());
    for (int first = 0; first < pairs; first += most_rows) {
      const int rows = std::min(most_rows, pairs - first);
      take_rows(block, first, rows);
      t_.middleRows(2 * (block.first + first), 2 * rows).noalias() =
          w_.topLeftCorner(2 * rows, 2 * pairs) * d_.middleRows(2 * block.first, 2 * pairs);
    }
  }

  /// The real form of these rows of W.
  void take_rows(const GroupPairs::Block& block, int first, int rows) {
    const PairOperator& all = tables_.pairs();
    const PairOperator::Block& of = all.blocks()[block.of];
    const auto pairs = static_cast<Eigen::Index>(block.chosen.size());
    w_.resize(2 * rows, 2 * pairs);
    for (int i = 0; i < rows; ++i) {
      const double* const row =
          all.elements().data() + 2 * (of.first + block.chosen[first + i] * of.pairs.size());
      double* const re = &w_(2 * i, 0);
      double* const im = &w_(2 * i + 1, 0);
      for (Eigen::Index j = 0; j < pairs; ++j) {
        const double* const element = row + 2 * block.chosen[j];
        re[2 * j] = im[2 * j + 1] = element[0];
        re[2 * j + 1] = -element[1];
        im[2 * j] = element[1];
      }
    }
  }

  const SpinorProductTables& tables_;
  ColumnMajor d_, t_;
  RealForm w_;
  std::vector<Lower> lower_;
};

class SpinorProductCpu final : public LinearOperator {
 public:
  SpinorProductCpu(std::shared_ptr<const SpinorProductTables> tables, const SpinorPanels& panels)
      : tables_(std::move(tables)) {
    std::size_t doubles = 0;
    for (const RemainderGroup& group :
         remainder_groups(tables_->spinors(), tables_->electrons() - 2, panels.columns)) {
      const std::size_t more = 2 * static_cast<std::size_t>(pairs() * group.count);
      if (batches_.empty() || doubles + more > panels.batch) {
        batches_.emplace_back();
        doubles = 0;
      }
      batches_.back().push_back(group);
      doubles += more;
    }
  }

  Index rows() const override { return 2 * tables_->determinants(); }
  Index columns() const override { return rows(); }
  int components() const override { return 2; }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const double* const c = contiguous(x.slice(j, 1));
      bool first = true;
      for (const std::vector<RemainderGroup>& batch : batches_) {
        multiply(batch, c);
        add(batch, alpha, first, c, first ? beta : 1.0, y.slice(j, 1));
        first = false;
      }
    }
  }

  void diagonal(View d) const override {
    const Array<double> energies = tables_->diagonal();
    for (Index i = 0; i < d.rows; ++i) d.data[i * d.stride] = energies[i / 2];
  }

  OperatorInfo info() const override { return info_without_matrix(tables_->bytes()); }

 private:
  std::int64_t pairs() const { return tables_->empty_pairs(); }

  const double* contiguous(ConstView x) const {
    if (x.stride == 1) return x.data;
    column_.resize(static_cast<std::size_t>(x.rows));
#pragma omp parallel for if (worth_threads(x.rows)) schedule(static)
    for (Index i = 0; i < x.rows; ++i) column_[i] = x.data[i * x.stride];
    return column_.data();
  }

  /// T of the batch's remainders.
  void multiply(const std::vector<RemainderGroup>& batch, const double* c) const {
    const Index first = batch.front().first;
    const Index end = batch.back().first + batch.back().count;
    t_.resize(static_cast<std::size_t>(2 * pairs() * (end - first)));
    FirstException exception;
#pragma omp parallel if (worth_threads(static_cast <double>(t_.size()) * 10.0))
    {
      GroupProduct product(*tables_);
#pragma omp for schedule(dynamic, 1)
      for (std::size_t g = 0; g < batch.size(); ++g) {
        exception.guard([&] {
          product.multiply(batch[g], c, t_.data() + 2 * pairs() * (batch[g].first - first));
        });
      }
    }
    exception.rethrow();
  }

  /// y := α (what the batch adds, with the core energy where it is the first) + βy.
  void add(const std::vector<RemainderGroup>& batch, double alpha, bool with_core, const double* c,
           double beta, View y) const {
    const Index rows = tables_->determinants();
    const double core = with_core ? tables_->pairs().core_energy() : 0.0;
    const StringNumbers numbers = tables_->numbers();
    const int n = tables_->spinors(), electrons = tables_->electrons();
    const OrbitalString first = numbers.string(batch.front().first, electrons - 2, n);
    FirstException exception;
#pragma omp parallel for if (worth_threads(10.0 * rows)) schedule(dynamic, 4)
    for (Index begin = 0; begin < rows; begin += rows_at_once) {
      exception.guard([&] {
        const Index end = std::min(rows, begin + rows_at_once);
        OrbitalString s = numbers.string(begin, electrons, n);
        for (Index i = begin; i < end; ++i) {
          // The last of its remainders lacks its two lowest electrons.
          const bool apart = s.rest().rest() < first;
          const auto [re, im] = apart ? std::pair(0.0, 0.0) : sum(batch, s);
          double* const to = y.data + 2 * i * y.stride;
          put(alpha * (re + core * c[2 * i]), beta, to[0]);
          put(alpha * (im + core * c[2 * i + 1]), beta, to[y.stride]);
          if (i + 1 < end) s = s.next();
        }
      });
    }
    exception.rethrow();
  }

  static void put(double value, double beta, double& to) {
    to = value + (beta == 0.0 ? 0.0 : beta * to);
  }

  /// Σ ± T_pq,I−p−q over the batch's remainders.
  std::pair<double, double> sum(const std::vector<RemainderGroup>& batch,
                                const OrbitalString& i) const {
    const auto first = static_cast<std::uint32_t>(batch.front().first);
    const auto count = static_cast<std::uint32_t>(batch.back().first + batch.back().count) - first;
    std::uint32_t lows[OrbitalString::most_orbitals];
    int places[OrbitalString::most_orbitals];  // among the spinors that the remainder leaves empty
    double re = 0.0, im = 0.0;
    tables_->numbers().for_each_electron(
        i, [&](int e, int p, std::uint32_t low, std::uint32_t high) {
          const int place = p - e + 1;
          for (int d = 0; d < e; ++d) {
            const std::uint32_t k = lows[d] + high - first;
            if (k >= count) continue;
            const std::int64_t pair = std::int64_t{place} * (place - 1) / 2 + places[d];
            const double* const t = t_.data() + 2 * (pairs() * k + pair);
            const double sign = (d + e) % 2 == 0 ? 1.0 : -1.0;
            re += sign * t[0];
            im += sign * t[1];
          }
          lows[e] = low;
          places[e] = p - e;
        });
    return {re, im};
  }

  static constexpr Index rows_at_once = 1024;

  std::shared_ptr<const SpinorProductTables> tables_;
  std::vector<std::vector<RemainderGroup>> batches_;
  mutable Array<double> t_, column_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_spinor_product_cpu(
    std::shared_ptr<const SpinorProductTables> tables, Backend&, const SpinorPanels& panels) {
  return std::make_unique<SpinorProductCpu>(std::move(tables), panels);
}

}  // namespace cisolve
