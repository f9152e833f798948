#include "app/input/packed_source.hpp"

#include <utility>

#include "app/input/rows.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "formats/packed/decode.hpp"
#include "io/hdf5/packed_file.hpp"
#include "solvers/forest.hpp"

namespace cisolve {
namespace {

class PackedSource final : public MatrixSource {
 public:
  PackedSource(std::unique_ptr<PackedFile> file, std::string size_text)
      : file_(std::move(file)), size_text_(std::move(size_text)) {}

  Index rows() const override { return matrix().rows; }
  std::optional<Offset> nonzeros() override { return file_->outline.nonzeros(); }
  std::string size_text() const override { return size_text_; }
  MemoryNeed memory(const MemoryNeed& solver, const Format& format, const Backend& backend,
                    const FormatOptions& options, int columns) override {
    const bool on_cpu = backend.kind() == BackendKind::cpu;
    MemoryNeed need = solver;
    need.host_matrix = matrix().bytes();
    need.host_matrix_stays = on_cpu;
    need.operator_matrix = on_cpu ? 0 : need.host_matrix;
    need.csr = CsrMatrix::bytes(rows(), file_->outline.nonzeros());
    need.scratch = format.scratch(file_->outline, options, backend.kind(), columns);
    return need;
  }
  MemoryAvailable bytes_in_place() const override { return {.host = matrix().bytes()}; }

  Array<double> diagonal() override { return array_of(cisolve::diagonal(matrix())); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return block_over(some_rows(matrix(), rows), rows);
  }
  /// A file has no determinants, hence no S².
  Sectors sectors(const CsrMatrix*) override {
    const PackedMatrix& m = matrix();
    Forest forest(m.rows);
#pragma omp parallel for if (worth_threads(30.0 * m.rows)) schedule(dynamic, 1024)
    for (Index s = 0; s < m.rows; ++s) {
      if (forest.whole()) continue;
      const Index i = row_of(m, s);
      for_each_entry(m, s, [&](Index j, double) { forest.unite(i, j); });
    }
    return sectors_of_roots(forest.roots());
  }
  Fingerprint fingerprint() override {
    return cisolve::fingerprint(matrix(), file_->outline.row_offsets);
  }
  std::unique_ptr<LinearOperator> make(const Format&, Backend& backend,
                                       const FormatOptions& options) override {
    const auto file = std::move(file_);  // and its outline goes with it
    auto made = make_packed(std::move(file->matrix), file->outline.nonzeros(), backend);
    made->use(options.kernel);
    return made;
  }

 private:
  const PackedMatrix& matrix() const {
    return file_->matrix;
  }

  std::unique_ptr<PackedFile> file_;
  std::string size_text_;
};

}  // namespace

std::unique_ptr<MatrixSource> packed_source(HamiltonianSource& source) {
  if (!source.packed_file()->symmetric) {
    throw InputError(source.name() +
                     ": not symmetric, as was found when it was written; spmv.format csr says "
                     "where, expected a symmetric matrix");
  }
  std::string size_text = source.size_text() + ", packed";
  return std::make_unique<PackedSource>(source.take_packed(), std::move(size_text));
}

}  // namespace cisolve
