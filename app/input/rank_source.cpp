#include "app/input/rank_source.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "app/input/own_rows.hpp"
#include "core/hash.hpp"
#include "core/parallel.hpp"
#include "solvers/forest.hpp"
#include "spmv/rank_operator.hpp"

namespace cisolve {
namespace {

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

/// With vectors so many times as long.
MemoryNeed with_vectors(MemoryNeed solver, double times) {
  const auto scale = [times](std::size_t& bytes) {
    bytes = static_cast<std::size_t>(times * static_cast<double>(bytes));
  };
  scale(solver.basis_vector);
  solver.for_all_vectors([&](SolverVectors& v) { scale(v.others); });
  scale(solver.vectors_of_one_state);
  return solver;
}

Index largest(const RowPartition& parts) {
  Index most = 0;
  for (int r = 0; r < parts.ranks(); ++r) most = std::max(most, parts.count(r));
  return most;
}

class RankSource final : public MatrixSource {
 public:
  RankSource(HamiltonianSource& source, Backend& backend, bool on_device, bool requires_symmetric)
      : source_(source), ranks_(backend.communicator()) {
    if (source.of_determinants()) require_same_integrals(source, ranks_);
    const Index rows = source.rows();
    require_on_all_ranks(ranks_.of_first(rows) == rows, ranks_, source.name(), "number of rows");
    own_ = on_device ? own_rows_on_device(source, backend)
                     : own_rows_on_host(source, ranks_, requires_symmetric);
    parts_ = partition_of(ranks_, own_->count());
    first_ = parts_.first(ranks_.rank());
    nonzeros_ = ranks_.total(own_->nonzeros());
  }

  Index rows() const override { return parts_.rows(); }
  RowPartition parts() const override { return parts_; }
  std::optional<Offset> nonzeros() override { return nonzeros_; }
  std::string size_text() const override {
    return std::to_string(parts_.rows()) +
           (source_.of_determinants() ? " determinants, " : " rows, ") + std::to_string(nonzeros_) +
           " nonzeros on " + std::to_string(ranks_.size()) + " ranks";
  }
  MemoryNeed memory(const MemoryNeed& solver, const Format& format, const Backend& backend,
                    const FormatOptions& options, int columns) override {
    const Offset most = std::ranges::max(ranks_.gather(own_->nonzeros()));
    MemoryNeed need = own_->memory(need_of_parts(solver, parts_), largest(parts_), most, format,
                                   backend, options, columns);
    // The vectors of all ranks that a product gathers; on a device by way of the host.
    need.scratch += sizeof(double) * static_cast<std::size_t>(parts_.rows()) * columns;
    return need;
  }
  MemoryAvailable bytes_in_place() const override {
    return {.device = std::ranges::min(ranks_.gather(own_->device_bytes_in_place()))};
  }

  Array<double> diagonal() override {
    const std::vector<double> own = own_->diagonal();
    return array_of(ranks_.gather(std::span<const double>(own)));
  }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    // P ascends, as the ranks' rows do: what each has of A_PP lies one below another.
    std::vector<Index> own;
    for (const Index row : rows) {
      if (first_ <= row && row < first_ + own_->count()) own.push_back(row - first_);
    }
    const HostMatrix part = own_->block(own, rows);
    const std::vector<double> all =
        ranks_.gather(std::span<const double>(part.data(), static_cast<std::size_t>(part.size())));
    const auto n = static_cast<Eigen::Index>(rows.size());
    return Eigen::Map<const HostMatrix>(all.data(), n, n);
  }
  /// The whole is nowhere; this rank's rows are built.
  std::shared_ptr<const CsrMatrix> csr() override {
    own_->build();
    return nullptr;
  }
  std::shared_ptr<const CsrMatrix> own_csr() override { return own_->csr(); }
  Sectors sectors(const CsrMatrix* s_squared) override;
  bool symmetric() override { return own_->symmetric(); }
  Fingerprint fingerprint() override;
  std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                       const FormatOptions& options) override {
    const std::vector<double> d = own_->diagonal();
    return make_rank_operator(own_->make(format, backend, options), d, backend, parts_);
  }

 private:
  HamiltonianSource& source_;
  Communicator& ranks_;
  std::unique_ptr<OwnRows> own_;
  RowPartition parts_;
  Index first_ = 0;
  Offset nonzeros_ = 0;  ///< of all ranks
};

Sectors RankSource::sectors(const CsrMatrix*) {
  std::vector<Index> roots = own_->component_roots();
  Hash hash;
  hash.add(roots.data(), roots.size());
  // Where every rank's rows connect the same, as whole rows of symmetric matrices mostly do, that
  // is what they connect together.
  if (ranks_.all(ranks_.of_first(hash.value()) == hash.value())) return sectors_of_roots(roots);
  const Index n = parts_.rows();
  Forest forest(n);
  for (int r = 0; r < ranks_.size(); ++r) {
    std::vector<Index> theirs = r == ranks_.rank() ? roots : std::vector<Index>(n);
    ranks_.broadcast(theirs.data(), theirs.size() * sizeof(Index), r);
#pragma omp parallel for if (worth_threads(n)) schedule(static)
    for (Index i = 0; i < n; ++i) forest.unite(i, theirs[i]);
  }
  return sectors_of_roots(forest.roots());
}

Fingerprint RankSource::fingerprint() {
  const Fingerprint own = own_->fingerprint();
  Fingerprint all{parts_.rows(), nonzeros_, 0, 0.0, 0.0};
  for (const Fingerprint& part : ranks_.gather(own)) {
    all.row_lengths += part.row_lengths;
    all.elements += part.elements;
    all.magnitude += part.magnitude;
  }
  return all;
}

}  // namespace

void require_same_integrals(HamiltonianSource& source, Communicator& ranks) {
  if (ranks.alone()) return;
  source.rows();  // the orbitals are restricted to the active ones
  const std::uint64_t mine = hash_of(*source.active_integrals());
  require_on_all_ranks(ranks.of_first(mine) == mine, ranks, source.name(), "integrals");
}

std::unique_ptr<MatrixSource> rank_source(HamiltonianSource& source, Backend& backend,
                                          bool on_device, bool requires_symmetric) {
  return std::make_unique<RankSource>(source, backend, on_device, requires_symmetric);
}

MemoryNeed need_of_a_rank(MemoryNeed solver, Index rows, Communicator& ranks) {
  if (ranks.alone()) return solver;
  return with_vectors(solver, 1.0 / ranks.size() + 1.0 / rows);
}

MemoryNeed need_of_parts(MemoryNeed solver, const RowPartition& parts) {
  return with_vectors(solver, static_cast<double>(largest(parts)) * parts.ranks() / parts.rows());
}

}  // namespace cisolve
