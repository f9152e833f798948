#include "app/ways/stored/rank_way.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "app/input/same_on_ranks.hpp"
#include "app/ways/stored/device_way.hpp"
#include "app/ways/stored/own_rows.hpp"
#include "core/error.hpp"
#include "core/forest.hpp"
#include "core/hash.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/basis/space_basis.hpp"
#include "spmv/rank_operator.hpp"

namespace cisolve {
namespace {

/// The need with vectors so many times as long.
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

class RankHeld final : public HeldMatrix {
 public:
  /// `determinants`: what the rows are, null for those of a matrix.
  RankHeld(const WayRequest& request, const Format& format, std::unique_ptr<OwnRows> own,
           const Determinants* determinants)
      : backend_(request.backend),
        options_(request.config.spmv),
        format_(format),
        ranks_(request.ranks()),
        own_(std::move(own)),
        determinants_(determinants) {
    RowPartition parts = partition_of(ranks_, own_->count());
    first_ = parts.first(ranks_.rank());
    if (determinants == nullptr) {
      basis_ = std::make_shared<const Basis>(std::move(parts));
    } else {
      basis_ = std::make_shared<const SpaceBasis>(determinants->space(), std::move(parts));
    }
    nonzeros_ = ranks_.total(own_->nonzeros());
    plan = request.plan_of(*this);
  }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return nonzeros_; }
  std::string size_text() override {
    return std::to_string(basis_->rows()) +
           (determinants_ != nullptr ? " determinants, " : " rows, ") + std::to_string(nonzeros_) +
           " nonzeros on " + std::to_string(ranks_.size()) + " ranks";
  }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    const Offset most = std::ranges::max(ranks_.gather(own_->nonzeros()));
    const RowPartition& parts = basis_->parts();
    MemoryNeed need = own_->memory(need_of_parts(solver, parts), largest(parts), most, format_,
                                   backend_, options_, columns);
    // The vectors of all ranks that a product gathers; on a device by way of the host.
    need.scratch += sizeof(double) * static_cast<std::size_t>(parts.rows()) * columns;
    return need;
  }
  MemoryAvailable bytes_in_place() const override {
    return {.device = std::ranges::min(ranks_.gather(own_->device_bytes_in_place()))};
  }
  void build() override { own_->build(); }

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
  std::shared_ptr<const CsrMatrix> own_csr() override { return own_->csr(); }
  Sectors sectors(const CsrMatrix* s_squared) override;
  bool symmetric() override { return own_->symmetric(); }
  Fingerprint fingerprint() override;
  MadeOperator make(int, bool) override {
    const std::vector<double> d = own_->diagonal();
    std::shared_ptr<LinearOperator> a =
        make_rank_operator(own_->make(format_, backend_, options_), d, backend_, basis_->parts());
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    return make_row_reader(determinants_, backend_);
  }

 private:
  Backend& backend_;
  const SpmvConfig& options_;
  const Format& format_;
  Communicator& ranks_;
  std::unique_ptr<OwnRows> own_;
  const Determinants* determinants_;
  std::shared_ptr<const Basis> basis_;
  Index first_ = 0;
  Offset nonzeros_ = 0;  ///< of all ranks
};

Sectors RankHeld::sectors(const CsrMatrix*) {
  std::vector<Index> roots = own_->component_roots();
  Hash hash;
  hash.add(roots.data(), roots.size());
  // The connections of one rank's rows are those of the whole matrix if all ranks have equal ones,
  // which is so for whole rows of most symmetric matrices.
  if (ranks_.all(ranks_.of_first(hash.value()) == hash.value())) return sectors_of_roots(roots);
  const Index n = basis_->rows();
  Forest forest(n);
  for (int r = 0; r < ranks_.size(); ++r) {
    std::vector<Index> theirs = r == ranks_.rank() ? roots : std::vector<Index>(n);
    ranks_.broadcast(theirs.data(), theirs.size() * sizeof(Index), r);
#pragma omp parallel for if (worth_threads(n)) schedule(static)
    for (Index i = 0; i < n; ++i) forest.unite(i, theirs[i]);
  }
  return sectors_of_roots(forest.roots());
}

Fingerprint RankHeld::fingerprint() {
  const Fingerprint own = own_->fingerprint();
  Fingerprint all{basis_->rows(), nonzeros_, 0, 0.0, 0.0};
  for (const Fingerprint& part : ranks_.gather(own)) {
    all.row_lengths += part.row_lengths;
    all.elements += part.elements;
    all.magnitude += part.magnitude;
  }
  return all;
}

/// Throws InputError where the configuration asks for what ranks cannot do.
void require_for_ranks(const WayRequest& request) {
  const auto refuse_if = [](bool wrong, const std::string& what) {
    if (wrong) throw InputError(what + ": not over several ranks");
  };
  refuse_if(request.config.spmv.tune, "spmv.tune");
  refuse_if(request.in_single(), "spmv.off_diagonal float32");
  refuse_if(request.format.symmetric, "spmv.format " + request.format.name +
                                          ", which stores one triangle of a symmetric matrix,");
}

std::unique_ptr<HeldMatrix> held(WayRequest& request, const Format& format,
                                 std::unique_ptr<OwnRows> own, const Determinants* determinants,
                                 bool on_device) {
  auto made = std::make_unique<RankHeld>(request, format, std::move(own), determinants);
  made->on_device = on_device;
  if (request.automatic()) {
    made->settled = settled_on(format.name,
                               on_device ? "made on the GPUs from integrals, of which its elements "
                                           "are"
                                         : "over several ranks nothing else is tried",
                               request.config.spmv.expected_products);
  }
  return made;
}

/// The configured format, of `auto` csr, or packed on GPUs.
const Format& format_for(const WayRequest& request) {
  return request.automatic() && request.on_gpu() ? format_of_device_rows() : request.format;
}

std::unique_ptr<HeldMatrix> take_built(BuiltMatrix& matrix, WayRequest& request) {
  if (request.ranks().alone()) return nullptr;
  require_for_ranks(request);
  const Determinants& determinants = matrix.determinants();
  require_same_integrals(determinants, request.ranks());
  const Format& format = format_for(request);
  const bool on_device = request.on_gpu() && format.cuda_from_rows != nullptr &&
                         made_on_devices(determinants, request);
  auto own = on_device ? own_rows_on_device(determinants, request.backend)
                       : own_rows_on_host(matrix, request.ranks());
  return held(request, format, std::move(own), &determinants, on_device);
}

std::unique_ptr<HeldMatrix> take_loaded(Elements& elements, WayRequest& request) {
  Communicator& ranks = request.ranks();
  if (ranks.alone()) return nullptr;
  require_for_ranks(request);
  const Index rows = elements.rows();
  require_on_all_ranks(ranks.of_first(rows) == rows, ranks, elements.name(), "number of rows");
  auto own = own_rows_cut(elements, ranks, request.purpose.requires_symmetric());
  return held(request, format_for(request), std::move(own), nullptr, false);
}

}  // namespace

Way rank_way(BuiltMatrix& matrix) {
  return {true, [&matrix](WayRequest& request) { return take_built(matrix, request); }};
}

Way rank_way(Elements& elements) {
  return {true, [&elements](WayRequest& request) { return take_loaded(elements, request); }};
}

MemoryNeed need_of_a_rank(MemoryNeed solver, Index rows, Communicator& ranks) {
  if (ranks.alone()) return solver;
  return with_vectors(solver, 1.0 / ranks.size() + 1.0 / rows);
}

MemoryNeed need_of_parts(MemoryNeed solver, const RowPartition& parts) {
  return with_vectors(solver, static_cast<double>(largest(parts)) * parts.ranks() / parts.rows());
}

}  // namespace cisolve
