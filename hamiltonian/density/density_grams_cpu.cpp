#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "hamiltonian/density/density_grams.hpp"
#include "hamiltonian/direct/same_spin_cpu.hpp"

namespace cisolve {
namespace {

/// Beta strings of a tile: what 14 orbitals' excitations make of it stays in a core's cache.
constexpr Index tile_width = 256;

/// Doubles that the parts of a sum take together, and most parts.
constexpr std::int64_t most_of_parts = std::int64_t{1} << 26;
constexpr std::int64_t most_parts = 256;

/// Σ over items 0 … n − 1 of rows × columns matrices: worker.add(item, sum), a worker of make() for
/// each thread. Parts of the items that do not depend on the threads are summed each for itself.
template <class Make>
HostMatrix sum_of_parts(Eigen::Index rows, Eigen::Index columns, Index n, double work, Make make) {
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
          worker.add(item, sums[i]);
        }
      });
    }
  }
  exception.rethrow();
  HostMatrix total = HostMatrix::Zero(rows, columns);
  for (const HostMatrix& sum : sums) total += sum;
  return total;
}

/// ⟨u x|t y⟩ over the determinants of one alpha string.
class MixedRow {
 public:
  MixedRow(const DensityTables& tables, int irrep, const double* x, const double* y, int alphas,
           int betas)
      : tables_(tables), irrep_(irrep), x_(x), y_(y), alphas_(alphas), betas_(betas) {}

  void add(Index a, HostMatrix& sum) {
    const DirectLayout& layout = tables_.layout;
    const int g = layout.alpha_strings.irrep_of[a];
    const StringRange sources = layout.betas(g);
    const StringRange targets = tables_.betas(layout.file_irrep(g) ^ irrep_);
    find_rows(a);
    if (rows_.empty() || sources.size() == 0 || targets.size() == 0) return;
    const auto n = static_cast<Eigen::Index>(rows_.size());
    Rows product = product_memory_.matrix(n, betas_);
    const double* const y = zero_and_row(a, sources.size());
    for (Index first = targets.first; first < targets.last; first += tile_width) {
      const Index width = std::min(tile_width, targets.last - first);
      Rows d = d_memory_.matrix(n, width), e = e_memory_.matrix(betas_, width);
      for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Map<const Eigen::RowVectorXd> row(rows_[i].begin + (first - targets.first),
                                                       width);
        d.row(i) = rows_[i].sign * row;
      }
      excite(y, sources.first, first, e);
      if (first == targets.first) {
        product.noalias() = d * e.transpose();
      } else {
        product.noalias() += d * e.transpose();
      }
    }
    for (const auto& [u, row] : operators_) sum.row(u) += product.row(row);
  }

 private:
  /// The rows u x of alpha string a that are not zero; all that leave it as it is are one.
  void find_rows(Index a) {
    const OperatorTable& table = tables_.excitations[alpha][irrep_];
    const auto& begin = tables_.layout.row_begin;
    rows_.clear();
    operators_.clear();
    int own = -1;
    for (int u = 0; u < alphas_; ++u) {
      const Index entry = table.at(u, a);
      if (entry == 0) continue;
      const bool unchanged = entry == a + 1;
      if (!unchanged || own < 0) {
        if (unchanged) own = static_cast<int>(rows_.size());
        rows_.push_back({x_ + begin[std::abs(entry) - 1], entry > 0 ? 1.0 : -1.0});
      }
      operators_.push_back({u, unchanged ? own : static_cast<int>(rows_.size()) - 1});
    }
  }

  /// y_ of alpha string a, a zero before it.
  const double* zero_and_row(Index a, Index size) {
    double* const to = y_memory_.of(size + 1);
    to[0] = 0.0;
    std::copy_n(y_ + tables_.layout.row_begin[a], size, to + 1);
    return to;
  }

  /// e := what the beta excitations make of the row y, a zero before it, for beta strings first …
  void excite(const double* y, Index first_source, Index first, Rows& e) const {
    const OperatorTable& table = tables_.excitations[beta][irrep_];
    for (int t = 0; t < betas_; ++t) {
      const Index* const entries = table.entries.data() + std::size_t(t) * table.columns + first;
      double* const row = e.row(t).data();
      // Without branches: most entries are 0, in no order that could be foretold.
      for (Index b = 0; b < e.cols(); ++b) {
        const double value = y[std::max(std::abs(entries[b]) - first_source, 0)];
        row[b] = entries[b] < 0 ? -value : value;
      }
    }
  }

  struct Row {
    const double* begin;
    double sign;
  };
  struct Operator {
    int number, row;
  };
  const DensityTables& tables_;
  int irrep_;
  const double *x_, *y_;
  int alphas_, betas_;
  std::vector<Row> rows_;
  std::vector<Operator> operators_;
  Scratch y_memory_, d_memory_, e_memory_, product_memory_;
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

/// ⟨u x|t x⟩ over the determinants of one rectangle.
class SameSpinRectangle {
 public:
  SameSpinRectangle(const DensityTables& tables, Spin spin, int irrep, const double* x,
                    const std::vector<Rectangle>& all, const RemovalLists& removals)
      : tables_(tables), spin_(spin), irrep_(irrep), x_(x), all_(all), removals_(removals) {}

  void add(Index i, HostMatrix& sum) {
    const Rectangle& r = all_[i];
    const StringRange fewer = tables_.fewer(spin_, r.irrep ^ irrep_);
    if (fewer.size() == 0) return;
    const Rows x = load(r);
    for (Index k = fewer.first; k < fewer.last; ++k) {
      const PairLink* const links = removals_.links.data() + removals_.begin[k];
      const Offset n = removals_.begin[k + 1] - removals_.begin[k];
      Rows rows = rows_memory_.matrix(n, x.cols()), gram = gram_memory_.matrix(n, n);
      for (Offset u = 0; u < n; ++u) {
        rows.row(u) = double(links[u].sign) * x.row(links[u].string - r.strings.first);
      }
      gram.noalias() = rows * rows.transpose();
      for (Offset u = 0; u < n; ++u) {
        for (Offset t = 0; t < n; ++t) sum(links[u].pair, links[t].pair) += gram(u, t);
      }
    }
  }

 private:
  /// The rectangle of x, a row for each string of the spin.
  Rows load(const Rectangle& r) {
    Rows x = x_memory_.matrix(r.strings.size(), r.others.size());
    const auto& begin = tables_.layout.row_begin;
    if (spin_ == alpha) {
      const Index first = tables_.betas(r.irrep).first;
      for (Index i = 0; i < r.strings.size(); ++i) {
        std::copy_n(x_ + begin[r.strings.first + i] + (r.others.first - first), r.others.size(),
                    x.row(i).data());
      }
    } else {
      for (Index j = 0; j < r.others.size(); ++j) {
        const double* const from = x_ + begin[r.others.first + j];
        for (Index i = 0; i < r.strings.size(); ++i) x(i, j) = from[i];
      }
    }
    return x;
  }

  const DensityTables& tables_;
  Spin spin_;
  int irrep_;
  const double* x_;
  const std::vector<Rectangle>& all_;
  const RemovalLists& removals_;
  Scratch x_memory_, rows_memory_, gram_memory_;
};

class DensityGramsCpu final : public DensityGrams {
 public:
  explicit DensityGramsCpu(const DensityTables& tables) : tables_(tables) {
    for (const Spin spin : {alpha, beta}) {
      rectangles_[spin] = rectangles(tables, spin);
      for (const OperatorTable& table : tables.removals[spin]) removals_[spin].emplace_back(table);
    }
  }

  HostMatrix mixed(int irrep, const double* x, const double* y, int alphas,
                   int betas) const override {
    return sum_of_parts(alphas, betas, tables_.layout.alpha_strings.size(), work(),
                        [&] { return MixedRow(tables_, irrep, x, y, alphas, betas); });
  }

  HostMatrix same_spin(Spin spin, int irrep, const double* x) const override {
    const auto pairs = static_cast<Eigen::Index>(tables_.removals[spin][irrep].rows());
    const auto& all = rectangles_[spin];
    return sum_of_parts(pairs, pairs, static_cast<Index>(all.size()), work(), [&] {
      return SameSpinRectangle(tables_, spin, irrep, x, all, removals_[spin][irrep]);
    });
  }

 private:
  /// What a part of the densities reads and writes, about.
  double work() const { return 100.0 * static_cast<double>(tables_.layout.size()); }

  const DensityTables& tables_;
  std::array<std::vector<Rectangle>, 2> rectangles_;
  std::array<std::vector<RemovalLists>, 2> removals_;
};

}  // namespace

std::unique_ptr<DensityGrams> make_density_grams_cpu(const DensityTables& tables) {
  return std::make_unique<DensityGramsCpu>(tables);
}

}  // namespace cisolve
