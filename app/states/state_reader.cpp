#include "app/states/state_reader.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "backends/ranks/communicator.hpp"
#include "backends/ranks/row_partition.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/density/direct_densities.hpp"
#include "hamiltonian/density/function_weights.hpp"
#include "hamiltonian/density/vector_sums.hpp"
#include "hamiltonian/states/excitation_rank.hpp"
#include "hamiltonian/states/irrep_weights.hpp"

namespace cisolve {
namespace {

/// A vector (n × 1) on the host: in pieces, whose places in it are first touched in parallel.
HostVector download_vector(Backend& backend, ConstView x) {
  constexpr Index piece = 1 << 20;
  if (!backend.communicator().alone()) return download_whole(backend, x);
  HostVector host(x.rows);
  for (Index first = 0; first < x.rows; first += std::min(piece, x.rows - first)) {
    const HostMatrix part = backend.download(x.row_range(first, std::min(piece, x.rows - first)));
#pragma omp parallel for if (worth_threads(part.rows())) schedule(static)
    for (Eigen::Index i = 0; i < part.rows(); ++i) host[first + i] = part(i, 0);
  }
  return host;
}

bool all_finite(const HostVector& x) {
  bool finite = true;
#pragma omp parallel for if (worth_threads(x.size())) schedule(static) reduction(&& : finite)
  for (Eigen::Index i = 0; i < x.size(); ++i) finite = finite && std::isfinite(x[i]);
  return finite;
}

/// Over determinants in the order of the space, or the rows of a matrix file, on the host of every
/// rank.
class ReaderOfRows final : public StateReader {
 public:
  ReaderOfRows(const Determinants* determinants, Backend& backend, const RowOrder* order)
      : determinants_(determinants), backend_(backend), order_(order) {
    if (determinants == nullptr) return;
    const AnySpace& space = determinants->space();
    const double vectors = 5.0 * static_cast<double>(space.size()) * sizeof(double);
    require_host_memory(vectors + vector_sums_bytes(space), "vectors and their excitations");
    if (!determinants->active_integrals().unrestricted) sums_ = make_vector_sums(space);
  }

  void apply_s_squared(ConstView x, View y) override {
    const HostVector image =
        sums_->apply_s_squared(in_space_order(download_whole(backend_, x).col(0)));
    upload_own(backend_, to_rows(order_, static_cast<Index>(image.size()), image), y);
  }
  bool read(ConstView x) override {
    x_ = in_space_order(download_vector(backend_, x));
    return all_finite(x_);
  }
  Composition composition(int count) override {
    Composition made{leading_rows(x_, count), {}, {}};
    if (determinants_ == nullptr) return made;
    determinants_->space().visit([&](const auto& space) {
      made.rank_weights = rank_weights(space, x_);
      made.irrep_weights = irrep_weights(space, determinants_->active_integrals(), x_);
    });
    return made;
  }
  OneDensities densities() override { return sums_->one_densities(x_, x_); }

 private:
  HostVector in_space_order(HostVector x) const {
    if (order_ == nullptr) return x;
    HostVector ordered(x.size());
    order_->from_rows(x.data(), 1, ordered.data(), 1);
    return ordered;
  }

  const Determinants* determinants_;
  Backend& backend_;
  const RowOrder* order_;
  std::unique_ptr<const VectorSums> sums_;  ///< of restricted orbitals
  HostVector x_;
};

/// Over the rows of a direct operator, on the backend.
class ReaderOfFunctions final : public StateReader {
 public:
  ReaderOfFunctions(const DirectOperator& direct, const DirectTables& tables, Backend& backend)
      : direct_(direct),
        tables_(tables),
        backend_(backend),
        survey_(make_determinant_survey(tables.layout, backend)) {
    if (backend.kind() == BackendKind::cpu) {
      const auto doubles = static_cast<double>(tables.layout.size() + tables.rows.size());
      require_host_memory(doubles * sizeof(double), "vectors of determinants");
    }
    c_ = Buffer<double>(backend, tables.layout.size());
    if (!tables.integrals.unrestricted)
      densities_.emplace(tables.layout, backend, DensityOrder::one_particle);
  }

  void apply_s_squared(ConstView x, View y) override { direct_.apply_s_squared(x, y); }
  bool read(ConstView x) override {
    x_ = x;
    double norm = 0.0;
    backend_.column_norms(x, {&norm, 1});
    direct_.to_layout(x, c_.data());
    return std::isfinite(norm);
  }
  Composition composition(int count) override {
    return {leading_determinants(tables_.layout, survey_->larger_than(c_.data(), smallest_leading),
                                 count),
            rank_weights(tables_, *survey_, c_.data()), irrep_weights(tables_, x_, backend_)};
  }
  OneDensities densities() override { return densities_->one(c_.data(), c_.data()); }

 private:
  const DirectOperator& direct_;
  const DirectTables& tables_;
  Backend& backend_;
  std::unique_ptr<DeterminantSurvey> survey_;
  std::optional<DirectDensities> densities_;  ///< of restricted orbitals
  Buffer<double> c_;                          ///< in the order of the layout, on every rank
  ConstView x_{};
};

}  // namespace

std::unique_ptr<StateReader> make_row_reader(const Determinants* determinants, Backend& backend,
                                             const RowOrder* order) {
  return std::make_unique<ReaderOfRows>(determinants, backend, order);
}

std::unique_ptr<StateReader> make_function_reader(const DirectOperator& direct,
                                                  const DirectTables& tables, Backend& backend) {
  return std::make_unique<ReaderOfFunctions>(direct, tables, backend);
}

}  // namespace cisolve
