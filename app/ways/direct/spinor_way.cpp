#include "app/ways/direct/spinor_way.hpp"

#include <memory>
#include <string>
#include <utility>

#include "app/ways/direct/operator_forecast.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/binomial.hpp"
#include "core/dense/field_matrix.hpp"
#include "core/error.hpp"
#include "core/forest.hpp"
#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/spinor/kramers/folded_operator.hpp"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve {
namespace {

class SpinorHeld : public HeldMatrix {
 public:
  SpinorHeld(const WayRequest& request, const SpinorIntegrals& integrals,
             const Determinants& determinants)
      : backend_(request.backend),
        integrals_(integrals),
        tables_(std::make_shared<const SpinorProductTables>(integrals)),
        basis_(std::make_shared<const Basis>(RowPartition{{0, determinants.rows()}})) {}

  const SpinorProductTables& tables() const { return *tables_; }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  int components() override { return 2; }
  std::string size_text() override {
    return std::to_string(basis_->rows()) + " determinants, products made of the integrals";
  }
  MemoryNeed memory(const MemoryNeed& solver, int) override {
    MemoryNeed need = solver;
    need.determinants = true;
    need.operator_matrix = tables_->bytes();
    need.scratch = spinor_scratch(*tables_, backend_.kind());
    return need;
  }
  Array<double> diagonal() override { return tables_->diagonal(); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return spinor_submatrix(integrals_, *tables_, rows);
  }
  Sectors sectors(const CsrMatrix*) override { return sectors_of_roots(spinor_roots(*tables_)); }
  Fingerprint fingerprint() override {
    return cisolve::fingerprint(*make_spinor_product(tables_, backend_), backend_);
  }
  MadeOperator make(int, bool) override {
    std::shared_ptr<LinearOperator> a = make_spinor_product(tables_, backend_);
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    return make_field_reader(backend_, components());
  }

 protected:
  Backend& backend_;
  const SpinorIntegrals& integrals_;
  std::shared_ptr<const SpinorProductTables> tables_;
  std::shared_ptr<const Basis> basis_;
};

/// The rows are Kramers pairs.
class PairedSpinorHeld final : public SpinorHeld {
 public:
  PairedSpinorHeld(const WayRequest& request, const SpinorIntegrals& integrals,
                   const Determinants& determinants, const KramersPairs& pairs)
      : SpinorHeld(request, integrals, determinants), pairs_(pairs) {
    basis_ = std::make_shared<const Basis>(RowPartition{{0, pairs.size()}});
  }

  int components() override { return 4; }
  std::string size_text() override {
    return std::to_string(tables_->determinants()) +
           " determinants in Kramers pairs, products made of the integrals";
  }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    MemoryNeed need = SpinorHeld::memory(solver, columns);
    need.scratch += FoldedOperator::scratch_bytes(4 * pairs_.size());
    return need;
  }
  /// Both determinants of a pair have the same energy.
  Array<double> diagonal() override {
    const Array<double> of_all = SpinorHeld::diagonal();
    Array<double> energies(static_cast<std::size_t>(pairs_.size()));
    for (Index i = 0; i < pairs_.size(); ++i) energies[i] = of_all[pairs_.first(i)];
    return energies;
  }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    std::vector<Index> determinants;
    for (const Index pair : rows) {
      determinants.push_back(pairs_.first(pair));
      determinants.push_back(pairs_.second(pair));
    }
    HostMatrix block = SpinorHeld::principal_submatrix(determinants);
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      const double sign = pairs_.sign(rows[i / 4]);
      const double of_number = i % 4 < 2 ? 1.0 : (i % 4 == 2 ? sign : -sign);
      block.row(i) *= of_number;
      block.col(i) *= of_number;
    }
    restore_form(block, 4);
    return block;
  }
  Sectors sectors(const CsrMatrix*) override {
    const std::vector<Index> roots = spinor_roots(*tables_);
    Forest forest(pairs_.size());
    for (Index i = 0; i < tables_->determinants(); ++i) {
      forest.unite(pairs_.place(i).pair, pairs_.place(roots[i]).pair);
    }
    return sectors_of_roots(forest.roots());
  }
  Fingerprint fingerprint() override { return cisolve::fingerprint(*folded(), backend_); }
  MadeOperator make(int, bool) override {
    std::shared_ptr<LinearOperator> a = folded();
    return {a, a.get()};
  }

 private:
  std::unique_ptr<LinearOperator> folded() const {
    return std::make_unique<FoldedOperator>(make_spinor_product(tables_, backend_), pairs_,
                                            backend_);
  }

  const KramersPairs& pairs_;
};

/// Why products are not made without a matrix; empty where they can be.
std::string why_not(const Determinants& determinants, const WayRequest& request) {
  if (!request.automatic() || request.config.spmv.tune || request.in_single()) {
    return "spmv.format, spmv.tune and spmv.off_diagonal are of stored matrices";
  }
  if (!request.ranks().alone()) return "over spinors they are of one rank alone";
  const CiSpace* const space = determinants.ranges();
  if (space == nullptr || !space->alpha.full) return "the space is not that of full CI";
  if (space->alpha.electrons < 2) return "there are fewer than two electrons";
  if (binomial(space->alpha.orbitals, space->alpha.electrons - 2) > most_numbered_strings) {
    return "there are too many strings of two electrons fewer";
  }
  return "";
}

OperatorForecast forecast(const SpinorHeld& held, const WayRequest& request, bool paired) {
  return operator_forecast(held.tables(), request.backend, request.purpose.most_columns(false),
                           request.purpose.products_before(), paired);
}

std::unique_ptr<HeldMatrix> take_spinors(const SpinorIntegrals& integrals,
                                         const Determinants& determinants,
                                         const KramersPairs* pairs, WayRequest& request) {
  const bool asked_for = request.config.operator_kind == OperatorKind::direct;
  if (request.config.operator_kind == OperatorKind::stored || request.wants_elements()) {
    return nullptr;
  }
  if (const std::string reason = why_not(determinants, request); !reason.empty()) {
    if (!asked_for) return nullptr;
    throw InputError("operator: found direct, expected stored or auto: " + reason);
  }
  std::unique_ptr<SpinorHeld> held;
  if (pairs == nullptr) {
    held = std::make_unique<SpinorHeld>(request, integrals, determinants);
  } else {
    held = std::make_unique<PairedSpinorHeld>(request, integrals, determinants, *pairs);
  }
  if (asked_for) {
    request.operator_reason = "asked for";
  } else if (!is_for_direct(forecast(*held, request, pairs != nullptr), request, true)) {
    return nullptr;
  }
  held->plan = request.plan_of(*held, false);
  held->settled =
      settled_on("direct", request.operator_reason, request.config.spmv.expected_products);
  return held;
}

}  // namespace

Way spinor_way(const SpinorIntegrals& integrals, const Determinants& determinants,
               const KramersPairs* pairs) {
  return {false, [&integrals, &determinants, pairs](WayRequest& request) {
            return take_spinors(integrals, determinants, pairs, request);
          }};
}

}  // namespace cisolve
