#include "app/ways/stored/host_way.hpp"

#include <utility>

#include "core/error.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/basis/space_basis.hpp"

namespace cisolve {
namespace {

Pattern pattern_of(const CsrMatrix& a) {
  return {a.row_offsets, a.column_indices};
}

std::shared_ptr<const Basis> basis_of(Elements& elements, const Determinants* determinants) {
  RowPartition all{{0, elements.rows()}};
  if (determinants == nullptr) return std::make_shared<const Basis>(std::move(all));
  return std::make_shared<const SpaceBasis>(determinants->space(), std::move(all));
}

void count(const WayRequest& request, Elements& elements) {
  const MemoryPlan planned = request.plan(request.purpose.memory(true));
  const bool halvable = request.automatic() && !request.in_single() && elements.components() == 1;
  elements.limit(planned.available.host * (halvable ? 2 : 1));
  try {
    elements.outline();
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + std::string(halvable ? " (half storage takes half)" : "") +
                        request.smaller(planned.available));
  }
}

}  // namespace

HostMatrixHeld::HostMatrixHeld(const WayRequest& request, Elements& elements,
                               const Determinants* determinants)
    : backend_(request.backend),
      options_(request.config.spmv),
      elements_(elements),
      determinants_(determinants),
      components_(elements.components()),
      requires_symmetric_(request.purpose.requires_symmetric()),
      format_(&request.format) {
  if (elements.of_determinants()) count(request, elements);
  basis_ = basis_of(elements, determinants);
  plan = request.plan_of(*this);
}

MemoryNeed HostMatrixHeld::memory(const MemoryNeed& solver, int columns) {
  const CsrMatrix& a = outline();
  MemoryNeed need = memory_as_csr(
      solver, *format_, backend_, options_, CsrMatrix::bytes(a.rows, a.nonzeros(), a.components),
      format_->scratch ? format_->scratch(a, options_, backend_.kind(), columns) : 0, components_);
  need.determinants = elements_.of_determinants();
  need.halvable = need.halvable && components_ == 1;
  return need;
}

const CsrMatrix& HostMatrixHeld::matrix() {
  if (matrix_) return *matrix_;
  auto taken = elements_.take();
  if (!elements_.of_determinants() && requires_symmetric_) {
    require_symmetric(*taken, elements_.name());
  }
  matrix_ = std::move(taken);
  return *matrix_;
}

Array<double> HostMatrixHeld::diagonal() {
  return array_of(cisolve::diagonal(matrix()));
}

HostMatrix HostMatrixHeld::principal_submatrix(const std::vector<Index>& rows) {
  return cisolve::principal_submatrix(matrix(), rows);
}

Sectors HostMatrixHeld::sectors(const CsrMatrix* s_squared) {
  if (s_squared == nullptr) return connected_sectors({pattern_of(matrix())});
  return connected_sectors({pattern_of(matrix()), pattern_of(*s_squared)});
}

bool HostMatrixHeld::symmetric() {
  return requires_symmetric_ || elements_.of_determinants() || is_symmetric(matrix());
}

std::shared_ptr<const CsrMatrix> HostMatrixHeld::own_csr() {
  matrix();
  return matrix_;
}

std::shared_ptr<const CsrMatrix> HostMatrixHeld::release() {
  matrix();
  return std::move(matrix_);
}

std::unique_ptr<LinearOperator> HostMatrixHeld::made_operator() {
  return make_operator(format_->name, release(), backend_, options_);
}

MadeOperator HostMatrixHeld::make(int, bool) {
  const std::shared_ptr<LinearOperator> a = made_operator();
  return {a, a.get()};
}

std::unique_ptr<StateReader> HostMatrixHeld::reader() {
  if (components_ > 1) return make_field_reader(backend_, components_);
  return make_row_reader(determinants_, backend_);
}

void HostMatrixHeld::take_half(const WayRequest& request) {
  if (request.in_single() || request.wants_elements() || components_ > 1) return;
  const Format& half = half_storage_format();
  const Offset nonzeros = (outline().nonzeros() + basis_->rows()) / 2;
  const MemoryNeed need = memory_as_csr(request.purpose.memory(true), half, backend_, options_,
                                        CsrMatrix::bytes(basis_->rows(), nonzeros), 0);
  if (!fits(request.plan(need)) || !elements_.hold_upper_triangle()) return;
  const std::string whole = std::exchange(format_, &half)->name;
  plan = request.plan_of(*this);
  settled =
      settled_on(half.name, whole + " does not fit, half storage does", options_.expected_products);
}

Way host_way(Elements& elements, const Determinants* determinants) {
  return {true, [&elements, determinants](WayRequest& request) -> std::unique_ptr<HeldMatrix> {
            auto held = std::make_unique<HostMatrixHeld>(request, elements, determinants);
            if (!request.automatic()) return held;
            const std::string csr = request.format.name;
            held->settled =
                settled_on(csr, "no other format is tried", request.config.spmv.expected_products);
            if (!fits(held->plan)) held->take_half(request);
            return held;
          }};
}

MemoryNeed memory_as_csr(const MemoryNeed& solver, const Format& format, const Backend& backend,
                         const FormatOptions& options, std::size_t csr, std::size_t scratch,
                         int components) {
  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const bool in_single = options.off_diagonal == Precision::float32;
  // The host matrix as the operator, beside it values in single precision until that is used.
  const bool is_operator = on_cpu && !format.converts;
  const std::size_t single = in_single ? csr / 3 : 0;
  MemoryNeed need = solver;
  need.halvable = !format.symmetric && !in_single;
  need.host_matrix = csr;
  need.host_matrix_stays = is_operator || in_single;
  need.operator_matrix = is_operator ? single : csr;
  // A format for a device is laid out on the host, or there in blocks of rows, which are real; on
  // the CPU it stays in place.
  if (!on_cpu && format.cuda_from_rows != nullptr && components == 1) {
    need.conversion = need.device_conversion =
        row_block_bytes(static_cast<Offset>(csr / (sizeof(Index) + sizeof(double))));
  } else if (!on_cpu) {
    need.conversion = (format.converts ? csr : 0) + single;
  }
  need.scratch = scratch;
  return need;
}

}  // namespace cisolve
