#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"
#include "hamiltonian/three_particle/excitation_lists.hpp"
#include "hamiltonian/three_particle/removal_grams.hpp"

namespace cisolve {
namespace {

/// Columns λ at a time: 14 orbitals' rows of them stay in a core's caches.
constexpr Index gram_width = 512;
/// Rows of left and of right that one thread multiplies at a time.
constexpr int left_rows = 64, right_rows = 256;
/// Columns that one thread contracts at a time.
constexpr Index contract_width = 64;

/// Elements first … of row i of those that lead to target κ.
void write_row(const RemovedVectors& of, Index target, int i, Index first, Index columns,
               double* to) {
  const int others = of.other_operators(), own = of.own->rows;
  const int r = i % others, removal = i / others % own, v = i / others / own;
  const Index entry = of.own->entries.data()[static_cast<Offset>(target) * own + removal];
  const double* const from =
      of.vectors + (static_cast<Offset>(v) * of.own->sources + std::abs(entry) - 1) * of.width;
  const double sign = entry > 0 ? 1.0 : -1.0;
  if (of.other == nullptr) {
    for (Index b = 0; b < columns; ++b) to[b] = sign * from[first + b];
    return;
  }
  const Index* const table =
      of.other->entries.data() + static_cast<Offset>(r) * of.other->targets + first;
  for (Index b = 0; b < columns; ++b) {
    const Index e = table[b];
    const double value = e == 0 ? 0.0 : from[std::abs(e) - 1];
    to[b] = e < 0 ? -sign * value : sign * value;
  }
}

/// The numbers of the operators that lead to target κ, row by row.
void find_operators(const RemovedVectors& of, Index target, std::vector<Index>& numbers) {
  const int others = of.other_operators(), own = of.own->rows;
  numbers.clear();
  for (int v = 0; v < of.count; ++v) {
    for (int i = 0; i < own; ++i) {
      const Index label = of.own->labels.data()[static_cast<Offset>(target) * own + i];
      for (int r = 0; r < others; ++r) {
        numbers.push_back((v * of.own->operators + label) * others + r);
      }
    }
  }
}

/// A string after a_e.
struct Fewer {
  Index target;
  int orbital, sign;
};

std::vector<std::vector<Fewer>> by_source(const StringRemovals& single) {
  std::vector<std::vector<Fewer>> of(single.sources);
  for (Index target = 0; target < single.targets; ++target) {
    for (int i = 0; i < single.rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(target) * single.rows + i;
      const Index entry = single.entries[at];
      of[std::abs(entry) - 1].push_back(
          {target, static_cast<int>(single.labels[at]), entry > 0 ? 1 : -1});
    }
  }
  return of;
}

class RemovalGramsCpu final : public RemovalGrams {
 public:
  RemovalGramsCpu(int orbitals, int electrons, int others)
      : orbitals_(orbitals),
        removals_(orbitals, electrons, 1),
        own_(orbitals, electrons),
        others_(orbitals, others),
        columns_(AllStrings(orbitals, others).size()) {}

  HostMatrix gram(const RemovedVectors& left, const RemovedVectors& right) const override {
    const bool same = &left == &right;
    HostMatrix sum = HostMatrix::Zero(left.operators(), right.operators());
    const Index targets = left.own->targets, all = left.columns();
    const int rows = left.rows(), columns = right.rows();
    if (targets == 0 || all == 0 || rows == 0 || columns == 0) return sum;
    const Index width = std::min(gram_width, all);
    HostMatrix l(rows, width), r(same ? 0 : columns, width);
    const HostMatrix& of_right = same ? l : r;
    std::vector<Index> of_l, of_r;
    const int down = (rows + left_rows - 1) / left_rows,
              across = (columns + right_rows - 1) / right_rows;
    FirstException exception;
    const double work = static_cast<double>(targets) * all * rows * columns;
#pragma omp parallel if (worth_threads(work))
    {
      Scratch memory;
      for (Index target = 0; target < targets; ++target) {
#pragma omp single
        exception.guard([&] {
          find_operators(left, target, of_l);
          find_operators(right, target, of_r);
        });
        for (Index first = 0; first < all; first += width) {
          const Index count = std::min(width, all - first);
#pragma omp for schedule(static)
          for (int i = 0; i < rows + (same ? 0 : columns); ++i) {
            if (i < rows) {
              write_row(left, target, i, first, count, l.row(i).data());
            } else {
              write_row(right, target, i - rows, first, count, r.row(i - rows).data());
            }
          }
#pragma omp for schedule(dynamic, 1)
          for (int tile = 0; tile < down * across; ++tile) {
            exception.guard([&] {
              const int i = tile / across * left_rows, j = tile % across * right_rows;
              const int n = std::min(left_rows, rows - i), k = std::min(right_rows, columns - j);
              if (same && j + k <= i) return;  // below the diagonal
              Rows product = memory.matrix(n, k);
              product.noalias() =
                  l.block(i, 0, n, count) * of_right.block(j, 0, k, count).transpose();
              add(product, of_l.data() + i, of_r.data() + j, sum, same && j >= i + n);
            });
          }
        }
      }
    }
    exception.rethrow();
    return sum;
  }

  void contract(const double* x, const HostMatrix& integrals, int first, int count,
                double* v) const override {
    const int pairs = orbitals_ * (orbitals_ + 1) / 2;
    const auto rows =
        integrals.middleRows(Eigen::Index{first} * orbitals_, Eigen::Index{count} * orbitals_);
    const Offset size = static_cast<Offset>(removals_.targets) * columns_;
    const Index tiles = (columns_ + contract_width - 1) / contract_width;
    FirstException exception;
#pragma omp parallel if (worth_threads(static_cast <double>(size) * count * pairs))
    {
      Scratch t_memory, w_memory;
#pragma omp for schedule(dynamic, 1)
      for (Index tile = 0; tile < tiles; ++tile) {
        exception.guard([&] {
          const Index b = tile * contract_width, width = std::min(contract_width, columns_ - b);
          for (int c = 0; c < count; ++c) {
            for (Index k = 0; k < removals_.targets; ++k) {
              std::fill_n(v + c * size + static_cast<Offset>(k) * columns_ + b, width, 0.0);
            }
          }
          Rows t = t_memory.matrix(pairs, width), w = w_memory.matrix(rows.rows(), width);
          for (Index a = 0; a < removals_.sources; ++a) {
            excite(x, a, b, t);
            w.noalias() = rows * t;
            remove(w, a, b, count, v);
          }
        });
      }
    }
    exception.rethrow();
  }

  void transpose(const double* x, Index rows, Index columns, double* y) const override {
    constexpr Index block = 32;
#pragma omp parallel for schedule(static) if (worth_threads(static_cast <double>(rows) * columns))
    for (Index first = 0; first < columns; first += block) {
      const Index last = std::min(first + block, columns);
      for (Index i0 = 0; i0 < rows; i0 += block) {
        for (Index j = first; j < last; ++j) {
          for (Index i = i0; i < std::min(i0 + block, rows); ++i) {
            y[static_cast<Offset>(j) * rows + i] = x[static_cast<Offset>(i) * columns + j];
          }
        }
      }
    }
  }

 private:
  /// Adds a product at its operators, and its transpose too where the tile stands for both.
  static void add(const Rows& product, const Index* rows, const Index* columns, HostMatrix& sum,
                  bool both) {
    for (Eigen::Index i = 0; i < product.rows(); ++i) {
      for (Eigen::Index j = 0; j < product.cols(); ++j) {
        sum(rows[i], columns[j]) += product(i, j);
        if (both) sum(columns[j], rows[i]) += product(i, j);
      }
    }
  }

  /// T_df := the elements of X_df x at string a and columns b ….
  void excite(const double* x, Index a, Index b, Rows& t) const {
    t.setZero();
    for (int i = 0; i < own_.links; ++i) {
      const Index entry = own_.entries[static_cast<Offset>(a) * own_.links + i];
      const double* const from = x + static_cast<Offset>(std::abs(entry) - 1) * columns_ + b;
      double* const to = t.row(own_.pairs[static_cast<Offset>(a) * own_.links + i]).data();
      const double sign = entry > 0 ? 1.0 : -1.0;
      for (Index k = 0; k < t.cols(); ++k) to[k] += sign * from[k];
    }
    const double* const row = x + static_cast<Offset>(a) * columns_;
    for (Index k = 0; k < t.cols(); ++k) {
      const Offset begin = static_cast<Offset>(b + k) * others_.links;
      for (int i = 0; i < others_.links; ++i) {
        const Index entry = others_.entries[begin + i];
        const double value = row[std::abs(entry) - 1];
        t(others_.pairs[begin + i], k) += entry > 0 ? value : -value;
      }
    }
  }

  /// V_c += a_e W_ce, W_ce of string a alone.
  void remove(const Rows& w, Index a, Index b, int count, double* v) const {
    const Offset size = static_cast<Offset>(removals_.targets) * columns_;
    for (const auto& [target, orbital, sign] : fewer_[a]) {
      for (int c = 0; c < count; ++c) {
        const double* const from = w.row(c * orbitals_ + orbital).data();
        double* const to = v + c * size + static_cast<Offset>(target) * columns_ + b;
        for (Index k = 0; k < w.cols(); ++k) to[k] += sign * from[k];
      }
    }
  }

  int orbitals_;
  StringRemovals removals_;
  ExcitationLists own_, others_;
  Index columns_;
  std::vector<std::vector<Fewer>> fewer_ = by_source(removals_);
};

}  // namespace

std::unique_ptr<RemovalGrams> make_removal_grams_cpu(int orbitals, int electrons, int others) {
  return std::make_unique<RemovalGramsCpu>(orbitals, electrons, others);
}

}  // namespace cisolve
