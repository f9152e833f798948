#include "app/ways/spinor_way.hpp"

#include <memory>
#include <string>
#include <utility>

#include "app/ways/operator_forecast.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"
#include "hamiltonian/basis/space_basis.hpp"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve {
namespace {

class SpinorHeld final : public HeldMatrix {
 public:
  SpinorHeld(const WayRequest& request, const SpinorIntegrals& integrals,
             const Determinants& determinants)
      : backend_(request.backend),
        integrals_(integrals),
        tables_(std::make_shared<const SpinorProductTables>(integrals)),
        basis_(std::make_shared<const SpaceBasis>(determinants.space(),
                                                  RowPartition{{0, determinants.rows()}})) {}

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

 private:
  Backend& backend_;
  const SpinorIntegrals& integrals_;
  std::shared_ptr<const SpinorProductTables> tables_;
  std::shared_ptr<const Basis> basis_;
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
  return "";
}

OperatorForecast forecast(const SpinorHeld& held, const WayRequest& request) {
  return operator_forecast(held.tables(), request.backend, request.purpose.most_columns(false),
                           request.purpose.products_before());
}

std::unique_ptr<HeldMatrix> take_spinors(const SpinorIntegrals& integrals,
                                         const Determinants& determinants, WayRequest& request) {
  const bool asked_for = request.config.operator_kind == OperatorKind::direct;
  if (request.config.operator_kind == OperatorKind::stored || request.wants_elements()) {
    return nullptr;
  }
  if (const std::string reason = why_not(determinants, request); !reason.empty()) {
    if (!asked_for) return nullptr;
    throw InputError("operator: found direct, expected stored or auto: " + reason);
  }
  auto held = std::make_unique<SpinorHeld>(request, integrals, determinants);
  if (asked_for) {
    request.operator_reason = "asked for";
  } else if (!is_for_direct(forecast(*held, request), request, true)) {
    return nullptr;
  }
  held->plan = request.plan_of(*held, false);
  held->settled =
      settled_on("direct", request.operator_reason, request.config.spmv.expected_products);
  return held;
}

}  // namespace

Way spinor_way(const SpinorIntegrals& integrals, const Determinants& determinants) {
  return {false,
          [&](WayRequest& request) { return take_spinors(integrals, determinants, request); }};
}

}  // namespace cisolve
