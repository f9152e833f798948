#include "app/input/host_source.hpp"

#include <utility>

#include "core/error.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {
namespace {

Pattern pattern_of(const CsrMatrix& a) {
  return {a.row_offsets, a.column_indices};
}

class HostSource final : public MatrixSource {
 public:
  HostSource(HamiltonianSource& source, bool requires_symmetric)
      : source_(source), requires_symmetric_(requires_symmetric) {}

  Index rows() const override { return source_.rows(); }
  std::optional<Offset> nonzeros() override {
    return (matrix_ ? *matrix_ : source_.outline()).nonzeros();
  }
  std::string size_text() const override { return source_.size_text(); }
  MemoryNeed memory(const MemoryNeed& solver, const Format& format, const Backend& backend,
                    const FormatOptions& options, int columns) override {
    const CsrMatrix& a = source_.outline();
    return memory_as_csr(solver, source_, format, backend, options,
                         CsrMatrix::bytes(a.rows, a.nonzeros()),
                         format.scratch ? format.scratch(a, options, backend.kind(), columns) : 0);
  }
  MemoryAvailable bytes_in_place() const override { return {.host = source_.loaded_bytes()}; }

  Array<double> diagonal() override { return array_of(cisolve::diagonal(matrix())); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return cisolve::principal_submatrix(matrix(), rows);
  }
  Sectors sectors(const CsrMatrix* s_squared) override {
    if (s_squared == nullptr) return connected_sectors({pattern_of(matrix())});
    return connected_sectors({pattern_of(matrix()), pattern_of(*s_squared)});
  }
  bool symmetric() override {
    return requires_symmetric_ || source_.of_determinants() || is_symmetric(matrix());
  }
  Fingerprint fingerprint() override { return cisolve::fingerprint(matrix()); }
  std::shared_ptr<const CsrMatrix> csr() override {
    matrix();
    return matrix_;
  }
  std::shared_ptr<const CsrMatrix> release_csr() override {
    matrix();
    return std::move(matrix_);
  }
  std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                       const FormatOptions& options) override {
    return make_operator(format.name, release_csr(), backend, options);
  }

 private:
  const CsrMatrix& matrix() {
    if (matrix_) return *matrix_;
    auto taken = source_.take_shared();
    if (!source_.of_determinants() && requires_symmetric_)
      require_symmetric(*taken, source_.name());
    matrix_ = std::move(taken);
    return *matrix_;
  }

  HamiltonianSource& source_;
  bool requires_symmetric_;
  std::shared_ptr<const CsrMatrix> matrix_;
};

}  // namespace

MemoryNeed memory_as_csr(const MemoryNeed& solver, const HamiltonianSource& source,
                         const Format& format, const Backend& backend, const FormatOptions& options,
                         std::size_t csr, std::size_t scratch) {
  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const bool in_single = options.off_diagonal == Precision::float32;
  // The host matrix as the operator, beside it values in single precision until that is used.
  const bool is_operator = on_cpu && !format.converts;
  const std::size_t single = in_single ? csr / 3 : 0;
  MemoryNeed need = solver;
  need.determinants = source.of_determinants();
  need.halvable = !format.symmetric && !in_single;
  need.host_matrix = csr;
  need.host_matrix_stays = is_operator || in_single;
  need.operator_matrix = is_operator ? single : csr;
  // On its way to a device the format is laid out on the host, or there in blocks of rows; on the
  // CPU it stays where it is.
  if (!on_cpu && format.cuda_from_rows != nullptr) {
    need.conversion = need.device_conversion =
        row_block_bytes(static_cast<Offset>(csr / (sizeof(Index) + sizeof(double))));
  } else if (!on_cpu) {
    need.conversion = (format.converts ? csr : 0) + single;
  }
  need.scratch = scratch;
  return need;
}

std::unique_ptr<MatrixSource> host_source(HamiltonianSource& source, bool requires_symmetric) {
  return std::make_unique<HostSource>(source, requires_symmetric);
}

}  // namespace cisolve
