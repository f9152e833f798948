#pragma once

#include <algorithm>
#include <vector>

#include "hamiltonian/density/grams/density_tables.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"

namespace cisolve {

/// Strings of one spin of an irrep in the file's count, all of them, times some of the other's.
struct Rectangle {
  int irrep;
  StringRange strings, others;
};

inline std::vector<Rectangle> rectangles(const DensityTables& tables, Spin spin) {
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
    const StringRange fewer = tables_.fewer(spin_, irrep_product(r.irrep, irrep_));
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

}  // namespace cisolve
