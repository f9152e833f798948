#include <algorithm>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/density/grams/density_grams.hpp"
#include "hamiltonian/density/grams/mixed_gram_cpu.hpp"
#include "hamiltonian/density/grams/same_spin_gram_cpu.hpp"

namespace cisolve {
namespace {

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
