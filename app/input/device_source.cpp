#include "app/input/device_source.hpp"

#include <numeric>
#include <utility>

#include "app/input/rows.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {
namespace {

class DeviceSource final : public MatrixSource {
 public:
  DeviceSource(HamiltonianSource& source, Backend& backend)
      : source_(source), backend_(backend), rows_(source.rows_on_device(backend)) {}

  Index rows() const override { return rows_->rows(); }
  std::optional<Offset> nonzeros() override { return rows_->nonzeros(); }
  std::string size_text() const override { return source_.size_text(); }
  MemoryNeed memory(const MemoryNeed& solver, const Format& format, const Backend& backend,
                    const FormatOptions& options, int columns) override {
    return memory_as_device_rows(
        solver, format, rows(), rows_->nonzeros(), rows_->device_bytes(),
        format.scratch(source_.outline(), options, backend.kind(), columns));
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
  Fingerprint fingerprint() override { return cisolve::fingerprint(*rows_, backend_); }
  std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                       const FormatOptions& options) override {
    auto made = make_operator(format, *rows_, backend, options);
    rows_.reset();  // the memory of its blocks of rows is the solver's now
    return made;
  }

 private:
  HamiltonianSource& source_;
  Backend& backend_;
  std::unique_ptr<RowSource> rows_;
};

}  // namespace

MemoryNeed memory_as_device_rows(const MemoryNeed& solver, const Format& format, Index rows,
                                 Offset nonzeros, std::size_t tables, std::size_t scratch) {
  MemoryNeed need = solver;
  need.determinants = need.halvable = true;
  need.csr = CsrMatrix::bytes(rows, nonzeros);
  need.operator_matrix = format.expected_bytes(rows, nonzeros);
  need.device_conversion = tables + row_block_bytes(nonzeros);
  need.scratch = scratch;
  return need;
}

std::unique_ptr<MatrixSource> device_source(HamiltonianSource& source, Backend& backend) {
  return std::make_unique<DeviceSource>(source, backend);
}

}  // namespace cisolve
