#include "app/ways/stored/device_way.hpp"

#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/basis/space_basis.hpp"
#include "hamiltonian/matrix/cuda/rows_cuda.hpp"

namespace cisolve {
namespace {

class DeviceRows final : public HeldMatrix {
 public:
  DeviceRows(const WayRequest& request, const Determinants& determinants, const Format& format)
      : backend_(request.backend),
        options_(request.config.spmv),
        determinants_(determinants),
        format_(format),
        order_(order_of(request, determinants)),
        rows_(make_rows_cuda(determinants.active_integrals(), determinants.space(), backend_,
                             order_)),
        outline_(outline_of(*rows_)),
        basis_(std::make_shared<const SpaceBasis>(determinants.space(),
                                                  RowPartition{{0, rows_->rows()}}, order_)) {
    on_device = true;
  }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return rows_->nonzeros(); }
  std::string size_text() override {
    return std::to_string(rows_->rows()) + " determinants, " + std::to_string(rows_->nonzeros()) +
           " nonzeros";
  }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    return memory_as_device_rows(solver, format_, rows_->rows(), rows_->nonzeros(),
                                 rows_->device_bytes(),
                                 format_.scratch(outline_, options_, backend_.kind(), columns));
  }
  /// The tables, which go with the rows.
  MemoryAvailable bytes_in_place() const override { return {.device = rows_->device_bytes()}; }

  Array<double> diagonal() override { return array_of(rows_->diagonal()); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return block_over(rows_->some_rows(rows), rows);
  }
  /// Row i of the matrix of A's components has an entry in column roots[i].
  Sectors sectors(const CsrMatrix* s_squared) override {
    const std::vector<Index> roots = component_roots(*rows_, backend_);
    if (s_squared == nullptr) return sectors_of_roots(roots);
    std::vector<Offset> row_offsets(roots.size() + 1);
    std::iota(row_offsets.begin(), row_offsets.end(), Offset{0});
    return connected_sectors(
        {{row_offsets, roots}, {s_squared->row_offsets, s_squared->column_indices}});
  }
  Fingerprint fingerprint() override { return cisolve::fingerprint(*rows_, backend_, order_); }
  MadeOperator make(int, bool) override {
    std::shared_ptr<LinearOperator> a = make_operator(format_, *rows_, backend_, options_);
    rows_.reset();  // the memory of its blocks of rows is the solver's now
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    return make_row_reader(&determinants_, backend_, basis_->callers());
  }

 private:
  /// The matrix of S², which one multiplicity needs, has the rows of the space.
  static std::vector<Index> order_of(const WayRequest& request, const Determinants& determinants) {
    if (request.config.solver.multiplicity) return {};
    return near_rows(determinants.space());
  }

  Backend& backend_;
  const SpmvConfig& options_;
  const Determinants& determinants_;
  const Format& format_;
  std::vector<Index> order_;  ///< of rows, as SpaceBasis has it
  std::unique_ptr<RowSource> rows_;
  CsrMatrix outline_;
  std::shared_ptr<const Basis> basis_;
};

/// The rows in that format, whether there is room for it or not; null where it is not wanted.
std::unique_ptr<HeldMatrix> take_device(const Determinants& determinants, WayRequest& request,
                                        const Format& format, const std::string& reason) {
  const bool automatic = request.automatic();
  const bool wanted =
      automatic ? why_csr_stays(request.config.spmv).empty() : format.cuda_from_rows != nullptr;
  if (!wanted || !request.on_gpu() || !request.ranks().alone() || request.in_single() ||
      !made_on_devices(determinants, request)) {
    return nullptr;
  }
  std::unique_ptr<DeviceRows> held;
  try {
    held = std::make_unique<DeviceRows>(request, determinants, format);
  } catch (const ResourceError& error) {
    if (!automatic) throw;
    request.note(std::string("rows are made on the host: ") + error.what());
    return nullptr;
  }
  if (automatic && held->nonzeros() < fewest_nonzeros_to_choose) return nullptr;
  held->plan = request.plan_of(*held);
  if (!automatic) return held;
  held->estimated = true;
  held->settled = settled_on(format.name, reason, request.config.spmv.expected_products);
  return held;
}

}  // namespace

std::vector<Way> device_ways(const Determinants& determinants) {
  const auto too_large =
      std::make_shared<bool>(false);  // packed, if the way behind it is asked at all
  const auto whole = [&determinants, too_large](WayRequest& request) {
    const bool automatic = request.automatic();
    auto held =
        take_device(determinants, request, automatic ? format_of_device_rows() : request.format,
                    "made on the GPU from integrals, of which its elements are");
    *too_large = automatic && held;
    if (*too_large && !fits(held->plan)) held.reset();
    return held;
  };
  const auto half = [&determinants, too_large](WayRequest& request) {
    std::unique_ptr<HeldMatrix> held;
    if (!*too_large) return held;
    held = take_device(determinants, request, half_format_of_device_rows(),
                       format_of_device_rows().name + " does not fit, half storage does");
    if (held && !fits(held->plan)) held.reset();
    return held;
  };
  return {{true, whole}, {true, half}};
}

bool made_on_devices(const Determinants& determinants, WayRequest& request) {
  determinants.require_stored();
  if (can_make_rows_cuda(determinants.space())) return true;
  request.note(
      "rows of a restricted active space, or of pairs of strings over more than 64 orbitals, are "
      "made on the host");
  return false;
}

MemoryNeed memory_as_device_rows(const MemoryNeed& solver, const Format& format, Index rows,
                                 Offset nonzeros, std::size_t tables, std::size_t scratch) {
  MemoryNeed need = solver;
  need.determinants = true;
  need.halvable = !format.symmetric;
  need.csr = CsrMatrix::bytes(rows, nonzeros);
  need.operator_matrix = format.expected_bytes(rows, nonzeros);
  need.device_conversion = tables + row_block_bytes(nonzeros);
  if (format.symmetric) {  // beside a block of whole rows what is cut of it
    need.device_conversion += row_block_bytes((nonzeros + rows) / 2);
  }
  need.scratch = scratch;
  return need;
}

CsrMatrix outline_of(const RowSource& rows) {
  CsrMatrix outline;
  outline.rows = rows.rows();
  outline.columns = rows.columns();
  outline.row_offsets = rows.row_offsets();
  return outline;
}

}  // namespace cisolve
