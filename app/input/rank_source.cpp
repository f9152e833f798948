#include "app/input/rank_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "app/input/host_source.hpp"
#include "app/input/rows.hpp"
#include "core/error.hpp"
#include "core/mixed.hpp"
#include "core/parallel.hpp"
#include "solvers/forest.hpp"
#include "spmv/rank_operator.hpp"

namespace cisolve {
namespace {

/// A number that tells arrays of numbers from others.
class Hash {
 public:
  template <class T>
  void add(const T* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, values + i, sizeof(T));
      value_ = mixed(value_ ^ bits);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

std::uint64_t hash_of(const Integrals& integrals) {
  Hash hash;
  hash.add(&integrals.core_energy, 1);
  for (const auto& h : integrals.one_electron) {
    for (int p = 0; p < h->orbitals(); ++p) {
      for (int q = 0; q <= p; ++q) {
        const double element = (*h)(p, q);
        hash.add(&element, 1);
      }
    }
  }
  for (const auto& v : {integrals.alpha_alpha, integrals.alpha_beta, integrals.beta_beta}) {
    for (int pq = 0; pq < v->pairs(); ++pq) {
      hash.add(v->row(pq), static_cast<std::size_t>(v->pairs()));
    }
  }
  return hash.value();
}

class RankSource final : public MatrixSource {
 public:
  RankSource(HamiltonianSource& source, Backend& backend)
      : source_(source),
        ranks_(backend.communicator()),
        parts_(even_partition(source.rows(), ranks_.size())),
        first_(parts_.first(ranks_.rank())),
        own_(parts_.count(ranks_.rank())) {
    const bool determinants = source.of_determinants();
    require_same(determinants ? hash_of(*source.active_integrals()) : 0, "integrals");
    require_same(static_cast<std::uint64_t>(rows()), "number of rows");
  }

  Index rows() const override { return parts_.rows(); }
  RowPartition parts() const override { return parts_; }
  std::optional<Offset> nonzeros() override {
    count();
    return nonzeros_;
  }
  std::string size_text() const override {
    return source_.size_text() + " on " + std::to_string(ranks_.size()) + " ranks";
  }
  MemoryNeed memory(const MemoryNeed& solver, const Format& format, const Backend& backend,
                    const FormatOptions& options, int columns) override {
    count();
    const Offset most = std::ranges::max(ranks_.gather(own_nonzeros()));
    const Index rows = largest_part();
    MemoryNeed need =
        memory_as_csr(solver, source_, format, backend, options, CsrMatrix::bytes(rows, most), 0);
    need.halvable = false;
    // The vectors of all ranks that a product gathers; on a device by way of the host.
    need.scratch += sizeof(double) * static_cast<std::size_t>(parts_.rows()) * columns;
    return need;
  }

  Array<double> diagonal() override {
    const std::vector<double> own = cisolve::diagonal(matrix(), first_);
    return array_of(ranks_.gather(std::span<const double>(own)));
  }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    // P ascends, as the ranks' rows do: what each has of A_PP lies one below another.
    std::vector<Index> own;
    for (const Index row : rows) {
      if (first_ <= row && row < first_ + own_) own.push_back(row - first_);
    }
    const HostMatrix part = dense_part(matrix(), own, rows);
    const std::vector<double> all =
        ranks_.gather(std::span<const double>(part.data(), static_cast<std::size_t>(part.size())));
    const auto n = static_cast<Eigen::Index>(rows.size());
    return Eigen::Map<const HostMatrix>(all.data(), n, n);
  }
  /// The whole is nowhere; this rank's rows are built.
  std::shared_ptr<const CsrMatrix> csr() override {
    matrix();
    return nullptr;
  }
  Sectors sectors(const CsrMatrix* s_squared) override;
  Fingerprint fingerprint() override;
  std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                       const FormatOptions& options) override {
    const std::vector<double> d = cisolve::diagonal(matrix(), first_);
    auto own = std::exchange(matrix_, nullptr);
    return make_rank_operator(make_operator(format.name, std::move(own), backend, options), d,
                              backend, parts_);
  }

 private:
  Index largest_part() const {
    Index most = 0;
    for (int r = 0; r < parts_.ranks(); ++r) most = std::max(most, parts_.count(r));
    return most;
  }
  Offset own_nonzeros() const { return matrix_ ? matrix_->nonzeros() : offsets_.back(); }

  /// Of determinants their row offsets, of a file the rows.
  void count() {
    if (nonzeros_ >= 0) return;
    if (source_.of_determinants()) {
      offsets_ = source_.count_rows(first_, first_ + own_);
    } else {
      matrix();
    }
    nonzeros_ = ranks_.total(own_nonzeros());
  }

  const CsrMatrix& matrix() {
    if (matrix_) return *matrix_;
    if (source_.of_determinants()) {
      count();
      matrix_ = std::make_shared<const CsrMatrix>(source_.take_rows(first_, std::move(offsets_)));
    } else {
      const auto whole = source_.take_shared();
      require_symmetric(*whole, source_.name());
      require_same_matrix(*whole);
      std::vector<Index> wanted(own_);
      std::iota(wanted.begin(), wanted.end(), first_);
      matrix_ = std::make_shared<const CsrMatrix>(selected_rows(*whole, wanted));
    }
    return *matrix_;
  }

  void require_same_matrix(const CsrMatrix& whole) {
    const Fingerprint mine = cisolve::fingerprint(whole);
    require_on_all(difference(mine, ranks_.of_first(mine)).empty(), "matrix");
  }
  void require_same(std::uint64_t mine, const std::string& what) {
    require_on_all(ranks_.of_first(mine) == mine, what);
  }
  void require_on_all(bool same, const std::string& what) {
    if (ranks_.all(same)) return;
    throw InputError(source_.name() + ": the ranks do not read the same " + what);
  }

  HamiltonianSource& source_;
  Communicator& ranks_;
  RowPartition parts_;
  Index first_, own_;
  Array<Offset> offsets_;  ///< of this rank's rows, until they are filled
  Offset nonzeros_ = -1;   ///< of all ranks; −1: not counted
  std::shared_ptr<const CsrMatrix> matrix_;
};

Sectors RankSource::sectors(const CsrMatrix*) {
  // What each rank's rows connect, then what the ranks' trees connect one after another.
  const CsrMatrix& a = matrix();
  const Index n = parts_.rows();
  Forest forest(n);
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      forest.unite(first_ + i, a.column_indices[e]);
    }
  }
  const std::vector<Index> own = forest.roots();
  for (int r = 0; r < ranks_.size(); ++r) {
    std::vector<Index> roots = r == ranks_.rank() ? own : std::vector<Index>(n);
    ranks_.broadcast(roots.data(), roots.size() * sizeof(Index), r);
#pragma omp parallel for if (worth_threads(n)) schedule(static)
    for (Index i = 0; i < n; ++i) forest.unite(i, roots[i]);
  }
  return sectors_of_roots(forest.roots());
}

Fingerprint RankSource::fingerprint() {
  const Fingerprint own = cisolve::fingerprint(matrix(), first_);
  Fingerprint all{parts_.rows(), *nonzeros(), 0, 0.0, 0.0};
  for (const Fingerprint& part : ranks_.gather(own)) {
    all.row_lengths += part.row_lengths;
    all.elements += part.elements;
    all.magnitude += part.magnitude;
  }
  return all;
}

}  // namespace

std::unique_ptr<MatrixSource> rank_source(HamiltonianSource& source, Backend& backend) {
  return std::make_unique<RankSource>(source, backend);
}

MemoryNeed need_of_a_rank(MemoryNeed solver, Index rows, Communicator& ranks) {
  if (ranks.alone()) return solver;
  const double share = 1.0 / ranks.size() + 1.0 / rows;
  const auto of_rank = [share](std::size_t& bytes) {
    bytes = static_cast<std::size_t>(share * static_cast<double>(bytes));
  };
  of_rank(solver.basis_vector);
  of_rank(solver.other_vectors);
  of_rank(solver.vectors_of_one_state);
  return solver;
}

}  // namespace cisolve
