#include <algorithm>
#include <array>
#include <memory>

#include "hamiltonian/density/grams/density_grams.hpp"
#include "hamiltonian/density/grams/gram_sum_cuda.cuh"
#include "hamiltonian/density/grams/row_dots_cuda.cuh"
#include "hamiltonian/density/grams/rows_cuda.cuh"

namespace cisolve {
namespace {

/// Doubles of the rows that are multiplied at a time, where a single string's do not take more.
constexpr std::int64_t most_of_rows = std::int64_t{1} << 27;

class DensityGramsCuda final : public DensityGrams {
 public:
  DensityGramsCuda(const DensityTables& tables, const StringShare& share, Backend& backend)
      : tables_(tables),
        share_(share),
        backend_(backend),
        row_begin_(Buffer<std::int64_t>::from_host(backend, tables.layout.row_begin)) {
    for (const Spin spin : {alpha, beta}) {
      for (int k = 0; k < most_irreps; ++k) {
        excitations_[spin][k] =
            Buffer<Index>::from_host(backend, tables.excitations[spin][k].entries);
        removals_[spin][k] = Buffer<Index>::from_host(backend, tables.removals[spin][k].entries);
      }
    }
  }

  HostMatrix mixed(int irrep, const double* x, const double* y, int alphas,
                   int betas) const override {
    if (alphas == 0 || betas == 0) return HostMatrix::Zero(alphas, betas);
    // The first operator of the irrep 0 is 1.
    if (irrep == 0 && betas == 1) return of_one_spin(alpha, x, y, alphas);
    if (irrep == 0 && alphas == 1) return of_one_spin(beta, x, y, betas).transpose();
    GramSum sum(alphas, betas, cublas_, backend_);
    for (int f = 0; f < most_irreps; ++f) {
      const StringRange strings = share_.of(tables_.strings(alpha, f));
      const StringRange sources = tables_.betas(f),
                        targets = tables_.betas(irrep_product(f, irrep));
      if (sources.size() == 0) continue;
      in_tiles(sum, strings, targets.size(), alphas + betas,
               [&](Index first, Index count, std::int64_t k) {
                 const std::int64_t ld = sum.row_size(k);
                 double* const left = rows_.data();
                 double* const right = left + alphas * ld;
                 excite_alphas<<<grid(count, alphas), excite_threads>>>(
                     excitations_[alpha][irrep].data(), tables_.excitations[alpha][irrep].columns,
                     first, x, row_begin_.data(), targets.size(), left, ld);
                 check_launch("exciting alpha electrons");
                 excite_betas<<<grid(count, betas), excite_threads>>>(
                     excitations_[beta][irrep].data(), tables_.excitations[beta][irrep].columns,
                     targets.first, y, row_begin_.data(), first, sources.first, targets.size(),
                     right, ld);
                 check_launch("exciting beta electrons");
                 sum.clear_ends(left, alphas + betas, k);
                 sum.add(left, right, k);
               });
    }
    return sum.result();
  }

  HostMatrix same_spin(Spin spin, int irrep, const double* x, const double* y) const override {
    const OperatorTable& table = tables_.removals[spin][irrep];
    if (table.rows() == 0) return HostMatrix::Zero(0, 0);
    GramSum sum(table.rows(), table.rows(), cublas_, backend_);
    const Index* const entries = removals_[spin][irrep].data();
    const int vectors = x == y ? 1 : 2;
    // Fills the rows of each vector, one's behind the other's, and multiplies them.
    const auto multiply = [&](std::int64_t k, auto fill) {
      const std::int64_t size = table.rows() * sum.row_size(k);
      double* const left = rows_.data();
      double* const right = left + (vectors - 1) * size;
      fill(x, left);
      if (vectors == 2) fill(y, right);
      sum.clear_ends(left, vectors * table.rows(), k);
      sum.add(left, right, k);
    };
    for (int f = 0; f < most_irreps; ++f) {  // of the alpha strings
      const StringRange alphas = tables_.strings(alpha, f), betas = tables_.betas(f);
      if (alphas.size() == 0 || betas.size() == 0) continue;
      if (spin == alpha) {
        const StringRange fewer = share_.of(tables_.fewer(alpha, irrep_product(f, irrep)));
        in_tiles(sum, fewer, betas.size(), vectors * table.rows(),
                 [&](Index first, Index count, std::int64_t k) {
                   multiply(k, [&](const double* vector, double* rows) {
                     excite_alphas<<<grid(count, table.rows()), excite_threads>>>(
                         entries, table.columns, first, vector, row_begin_.data(), betas.size(),
                         rows, sum.row_size(k));
                     check_launch("taking alpha electrons away");
                   });
                 });
      } else {
        const DirectStrings& strings = tables_.layout.beta_strings;
        const int of_betas = tables_.layout.file_irrep(strings.irrep_of[betas.first]);
        const StringRange fewer = tables_.fewer(beta, irrep_product(of_betas, irrep));
        in_tiles(sum, share_.of(alphas), fewer.size(), vectors * table.rows(),
                 [&](Index first, Index count, std::int64_t k) {
                   multiply(k, [&](const double* vector, double* rows) {
                     excite_betas<<<grid(count, table.rows()), excite_threads>>>(
                         entries, table.columns, fewer.first, vector, row_begin_.data(), first,
                         betas.first, fewer.size(), rows, sum.row_size(k));
                     check_launch("taking beta electrons away");
                   });
                 });
      }
    }
    return sum.result();
  }

 private:
  /// ⟨u x|y⟩ of alpha excitations u of irrep 0, or ⟨x|t y⟩ of beta excitations t.
  HostMatrix of_one_spin(Spin spin, const double* x, const double* y, int operators) const {
    const OperatorTable& table = tables_.excitations[spin][0];
    Buffer<double> totals(backend_, static_cast<std::size_t>(operators));
    check_cuda(cudaMemsetAsync(totals.data(), 0, operators * sizeof(double)), "clearing sums");
    for (int f = 0; f < most_irreps; ++f) {
      const StringRange alphas = share_.of(tables_.strings(alpha, f)), betas = tables_.betas(f);
      if (alphas.size() == 0 || betas.size() == 0) continue;
      Buffer<double> sums(backend_, static_cast<std::size_t>(operators) * alphas.size());
      const dim3 blocks(alphas.size(), (operators + dot_warps - 1) / dot_warps);
      const dim3 threads(32, dot_warps);
      const Index* const entries = excitations_[spin][0].data();
      if (spin == alpha) {
        dot_alphas<<<blocks, threads>>>(entries, table.columns, operators, alphas.first,
                                        betas.size(), row_begin_.data(), x, y, sums.data());
      } else {
        dot_betas<<<blocks, threads>>>(entries, table.columns, operators, alphas.first,
                                       betas.size(), betas.first, row_begin_.data(), x, y,
                                       sums.data());
      }
      check_launch("a density of one electron");
      add_rows<<<operators, 256>>>(sums.data(), alphas.size(), totals.data());
      check_launch("adding up a density");
    }
    HostMatrix found(operators, 1);
    backend_.download_bytes(totals.data(), found.data(), operators * sizeof(double));
    return found;
  }

  static dim3 grid(Index strings, int operators) {
    return dim3(static_cast<unsigned>(strings), static_cast<unsigned>(operators));
  }

  /// Calls add(first, count, k) for so many of the strings at a time that so many rows of k = count
  /// · width elements have room in rows_.
  template <class Add>
  void in_tiles(const GramSum& sum, const StringRange& strings, Index width, int rows,
                Add add) const {
    if (strings.size() == 0 || width == 0) return;
    const std::int64_t fit = most_of_rows / (std::int64_t{rows} * width);
    const auto together =
        static_cast<Index>(std::clamp<std::int64_t>(fit, 1, std::int64_t{strings.size()}));
    const auto doubles =
        static_cast<std::size_t>(rows * sum.row_size(std::int64_t{together} * width));
    if (rows_.size() < doubles) {
      rows_ = Buffer<double>();  // before there is another
      rows_ = Buffer<double>(backend_, doubles);
    }
    for (Index first = strings.first; first < strings.last; first += together) {
      const Index count = std::min(together, strings.last - first);
      add(first, count, std::int64_t{count} * width);
    }
  }

  const DensityTables& tables_;
  StringShare share_;
  Backend& backend_;
  mutable Cublas cublas_;
  Buffer<std::int64_t> row_begin_;
  std::array<std::array<Buffer<Index>, most_irreps>, 2> excitations_, removals_;
  mutable Buffer<double> rows_;
};

}  // namespace

std::unique_ptr<DensityGrams> CISOLVE_IN_MODULE(make_density_grams_cuda)(
    const DensityTables& tables, const StringShare& share, Backend& backend) {
  return std::make_unique<DensityGramsCuda>(tables, share, backend);
}

}  // namespace cisolve
