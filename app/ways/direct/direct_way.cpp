#include "app/ways/direct/direct_way.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "app/input/determinants/parity_of_rows.hpp"
#include "app/input/same_on_ranks.hpp"
#include "app/ways/direct/listed_held.hpp"
#include "app/ways/direct/operator_forecast.hpp"
#include "app/ways/direct/why_not_direct.hpp"
#include "app/ways/stored/rank_way.hpp"
#include "backends/ranks/communicator.hpp"
#include "backends/ranks/row_partition.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/basis/function_basis.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/direct/rows/direct_elements.hpp"

namespace cisolve {
namespace {

/// Bytes that a GPU holds beside vectors and the tables of the host, at most: those of the beta
/// strings, and what the electrons of one spin among themselves are made of.
struct DirectScratch {
  std::size_t tables = 0, work = 0;
};
DirectScratch device_scratch(const DirectTables& tables, int ranks) {
  std::size_t pairs = 0;
  for (const HostMatrix& v : tables.v) pairs += static_cast<std::size_t>(v.cols());
  const auto betas = static_cast<std::size_t>(tables.layout.beta_strings.size());
  // An excitation takes 4 bytes in a table for S², and at most as many in the lists of TargetTiles;
  // vectors of all irreps, and those of each irrep, have their own lists. Two electrons of one spin
  // have lists for the targets: for alpha strings of a rank and of vectors of one parity once more.
  const int irreps = tables.layout.irreps();
  const std::size_t lists = irreps == 1 ? 1 : 1 + static_cast<std::size_t>(irreps);
  return {(1 + lists) * sizeof(Index) * pairs * betas + tables.same_spin[beta].bytes() +
              (ranks == 1 ? 1 : 3) * tables.same_spin[alpha].bytes(),
          sizeof(double) * static_cast<std::size_t>(work_on_device(tables))};
}

/// H over the determinants of the space, in its order: for what is to be the same for a stored
/// matrix. Over ranks each has its part of the determinants, and whole vectors on the host.
class OverDeterminants final : public LinearOperator {
 public:
  OverDeterminants(const LinearOperator& direct, const DirectTables& tables, Backend& backend)
      : direct_(direct),
        tables_(tables),
        backend_(backend),
        rows_(
            even_partition(static_cast<Index>(tables.layout.size()), backend.communicator().size())
                .count(backend.communicator().rank())) {}

  Index rows() const override { return rows_; }
  Index columns() const override { return rows(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    MultiVector in(backend_, direct_.rows(), 1), out(backend_, direct_.rows(), 1);
    for (int j = 0; j < x.columns; ++j) {
      upload_own(backend_, tables_.rows.from_space(download_whole(backend_, x.slice(j, 1))),
                 in.view());
      direct_.apply(alpha, in.view(), 0.0, out.view());
      MultiVector image(backend_, rows(), 1);
      upload_own(backend_, tables_.rows.to_space(download_whole(backend_, out.view())),
                 image.view());
      backend_.axpby(1.0, image.view(), beta, y.slice(j, 1));
    }
  }
  void diagonal(View) const override {
    throw std::logic_error("the diagonal over determinants is not asked for");
  }
  OperatorInfo info() const override { return direct_.info(); }

 private:
  const LinearOperator& direct_;
  const DirectTables& tables_;
  Backend& backend_;
  Index rows_;
};

Parity parity_of(SpinInversion wanted) {
  return wanted == SpinInversion::even  ? Parity::even
         : wanted == SpinInversion::odd ? Parity::odd
                                        : Parity::none;
}

class DirectHeld final : public HeldMatrix {
 public:
  DirectHeld(const WayRequest& request, const Determinants& determinants)
      : backend_(request.backend),
        only_(parity_of(parity_of_rows(request.config, determinants))),
        halves_(request.config.input.spin_inversion != SpinInversion::all),
        tables_(std::make_shared<const DirectTables>(
            determinants.active_integrals(), *determinants.ranges(), only_, ranks().size())),
        basis_(std::make_shared<const FunctionBasis>(
            tables_,
            halves_ ? FunctionBasis::Kept::functions : FunctionBasis::Kept::determinants)) {}

  const DirectTables& tables() const { return *tables_; }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  std::string size_text() override {
    return std::to_string(basis_->rows()) +
           (only_ == Parity::none   ? " determinants"
            : only_ == Parity::even ? " functions even under spin inversion"
                                    : " functions odd under spin inversion") +
           (ranks().alone() ? "" : " on " + std::to_string(ranks().size()) + " ranks") +
           ", products made of the integrals";
  }
  MemoryNeed memory(const MemoryNeed& solver, int) override {
    MemoryNeed need = need_of_parts(solver, basis_->parts());
    need.determinants = true;
    need.parities = tables_->rows.kinds().size() > 1;
    need.operator_matrix = tables_->bytes();
    // c and σ of all determinants, on every rank, or for all ranks of the host together.
    const bool common = backend_.in_host_memory() && ranks().has_common_memory();
    need.scratch = 2 * sizeof(double) * static_cast<std::size_t>(tables_->layout.size()) /
                   static_cast<std::size_t>(common ? ranks().size() : 1);
    if (backend_.kind() == BackendKind::cuda) {
      const DirectScratch device = device_scratch(*tables_, ranks().size());
      need.operator_matrix += device.tables;
      need.scratch += device.work;
    }
    return need;
  }

  Array<double> diagonal() override {
    return direct_diagonal(tables_->integrals, tables_->layout, tables_->rows);
  }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return cisolve::principal_submatrix(tables_->integrals, tables_->layout, tables_->rows, rows);
  }
  /// S² leaves irrep and parity of a function as they are.
  Sectors sectors(const CsrMatrix*) override {
    const DirectRows& rows = tables_->rows;
    if (rows.parts() == 1) return {{}, rows.sector_sizes()};
    return {{}, rows.sector_sizes(), {rows.pieces().begin(), rows.pieces().end()}};
  }
  /// The stored matrix's unless functions of one parity are asked for.
  Fingerprint fingerprint() override {
    const auto tables = halves_ || only_ == Parity::none
                            ? tables_
                            : std::make_shared<const DirectTables>(
                                  tables_->integrals, tables_->space, Parity::none, ranks().size());
    const auto a = make_direct(tables, backend_);
    if (halves_) {
      const auto pieces = tables_->rows.numbers_in_one_part(ranks().rank());
      return cisolve::fingerprint(*a, backend_, [&](std::int64_t row) {
        auto piece = pieces.begin();
        while (row >= piece->count) row -= piece++->count;
        return piece->first + row;
      });
    }
    return cisolve::fingerprint(OverDeterminants(*a, *tables, backend_), backend_);
  }
  MadeOperator make(int, bool) override {
    operator_ = make_direct(tables_, backend_);
    return {operator_, operator_.get()};
  }
  std::unique_ptr<LinearOperator> s_squared() override {
    return make_s_squared(*operator_, backend_);
  }
  std::unique_ptr<StateReader> reader() override {
    return make_function_reader(*operator_, *tables_, backend_);
  }

 private:
  Communicator& ranks() const { return backend_.communicator(); }

  Backend& backend_;
  Parity only_;  ///< of the rows
  bool halves_;  ///< functions of one parity are all that is known, else all determinants are
  std::shared_ptr<const DirectTables> tables_;
  std::shared_ptr<const FunctionBasis> basis_;
  std::shared_ptr<DirectOperator> operator_;  ///< small, and what states are read by
};

/// True if tables over strings would be about as large as the matrix over their pairs.
bool has_small_factor(const Determinants& determinants) {
  constexpr Index few = 8;
  return are_listed_pairs(determinants) &&
         std::min(determinants.ranges()->alpha.size(), determinants.ranges()->beta.size()) < few;
}

/// Products without a matrix, and what is expected of them.
struct Offer {
  std::unique_ptr<HeldMatrix> held;
  std::function<OperatorForecast()> forecast;
};

/// Vectors of an eigenproblem's sector that a product is with at most: it serves one of every
/// sector.
int vectors_of_a_sector(const WayRequest& request, std::size_t sectors) {
  const int all = request.purpose.most_columns(false);
  if (request.config.task != Task::eigen) return all;
  return (all - 1) / static_cast<int>(sectors) + 1;
}

Offer of_full_ci(const Determinants& determinants, const WayRequest& request) {
  auto held = std::make_unique<DirectHeld>(request, determinants);
  const DirectTables& tables = held->tables();
  return {std::move(held), [&request, &tables] {
            const bool one_state =
                request.config.task == Task::eigen && request.config.solver.states == 1;
            return operator_forecast(
                tables, request.backend,
                vectors_of_a_sector(request, tables.rows.sector_sizes().size()),
                request.purpose.products_before(), one_state);
          }};
}

Offer of_list(const Determinants& determinants, const WayRequest& request) {
  const CiSpace& space = *determinants.ranges();
  require_host_memory(listed_table_bytes(space), "remainders of strings");
  const auto tables = std::make_shared<const ListedTables>(determinants.active_integrals(), space);
  return {make_listed_held(request, determinants, tables), [&request, tables] {
            return operator_forecast(*tables, request.backend,
                                     vectors_of_a_sector(request, sectors_of(*tables).sizes.size()),
                                     request.purpose.products_before());
          }};
}

std::unique_ptr<HeldMatrix> take_direct(const Determinants& determinants, WayRequest& request) {
  const bool asked_for = request.config.operator_kind == OperatorKind::direct;
  const bool halves = request.config.input.spin_inversion != SpinInversion::all;
  if (request.config.operator_kind == OperatorKind::stored || request.wants_elements()) {
    if (!halves) return nullptr;
    throw InputError(
        "input.spin_inversion: of products without a matrix alone; found operator stored");
  }
  if (const std::string reason = why_not_direct(determinants, request.config, request.backend);
      !reason.empty()) {
    if (halves) {
      throw InputError("input.spin_inversion: of products without a matrix alone: " + reason);
    }
    if (!asked_for) return nullptr;
    throw InputError("operator: found direct, expected stored or auto: " + reason);
  }
  if (!asked_for && has_small_factor(determinants)) return nullptr;
  require_same_integrals(determinants, request.ranks());
  Offer offer = are_listed_pairs(determinants) ? of_list(determinants, request)
                                               : of_full_ci(determinants, request);
  if (asked_for) {
    request.operator_reason = "asked for";
  } else if (halves) {
    request.operator_reason = "functions of one parity are not stored";
  } else if (request.config.solver.multiplicity && !request.ranks().alone()) {
    request.operator_reason = "over several ranks one multiplicity has no stored matrix";
  } else if (!is_for_direct(offer.forecast(), request)) {
    return nullptr;
  }
  auto& held = offer.held;
  held->plan = request.plan_of(*held, false);
  held->settled =
      settled_on("direct", request.operator_reason, request.config.spmv.expected_products);
  return std::move(held);
}

}  // namespace

Way direct_way(const Determinants& determinants) {
  return {false,
          [&determinants](WayRequest& request) { return take_direct(determinants, request); }};
}

}  // namespace cisolve
