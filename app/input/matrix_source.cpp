#include "app/input/matrix_source.hpp"

#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/parallel.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "formats/packed/decode.hpp"
#include "solvers/forest.hpp"

namespace cisolve {
namespace {

Pattern pattern_of(const CsrMatrix& a) {
  return {a.row_offsets, a.column_indices};
}

/// The block over `wanted` of a matrix of which those rows are given.
HostMatrix block_over(const CsrMatrix& rows, const std::vector<Index>& wanted) {
  std::vector<Index> all(wanted.size());
  std::iota(all.begin(), all.end(), 0);
  return dense_part(rows, all, wanted);
}

class CsrSource final : public MatrixSource {
 public:
  explicit CsrSource(std::shared_ptr<const CsrMatrix> a) : a_(std::move(a)) {}

  Index rows() const override { return a_->rows; }
  std::optional<Offset> nonzeros() const override { return a_->nonzeros(); }
  std::vector<double> diagonal() const override { return cisolve::diagonal(*a_); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) const override {
    return cisolve::principal_submatrix(*a_, rows);
  }
  Sectors sectors(const CsrMatrix* s_squared) const override {
    if (s_squared == nullptr) return connected_sectors({pattern_of(*a_)});
    return connected_sectors({pattern_of(*a_), pattern_of(*s_squared)});
  }
  Fingerprint fingerprint() const override { return cisolve::fingerprint(*a_); }
  std::shared_ptr<const CsrMatrix> csr() const override { return a_; }
  std::shared_ptr<const CsrMatrix> release_csr() override { return std::move(a_); }
  std::unique_ptr<LinearOperator> make(const std::string& format, Backend& backend,
                                       const FormatOptions& options) override {
    return make_operator(format, std::move(a_), backend, options);
  }

 private:
  std::shared_ptr<const CsrMatrix> a_;
};

class PackedSource final : public MatrixSource {
 public:
  explicit PackedSource(std::unique_ptr<PackedFile> file) : file_(std::move(file)) {}

  Index rows() const override { return matrix().rows; }
  std::optional<Offset> nonzeros() const override { return file_->row_offsets.back(); }
  std::vector<double> diagonal() const override { return cisolve::diagonal(matrix()); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) const override {
    return block_over(some_rows(matrix(), rows), rows);
  }
  /// A file has no determinants, hence no S².
  Sectors sectors(const CsrMatrix*) const override {
    const PackedMatrix& m = matrix();
    Forest forest(m.rows);
#pragma omp parallel for if (worth_threads(30.0 * m.rows)) schedule(dynamic, 1024)
    for (Index s = 0; s < m.rows; ++s) {
      const Index i = row_of(m, s);
      for_each_entry(m, s, [&](Index j, double) { forest.unite(i, j); });
    }
    return sectors_of_roots(forest.roots());
  }
  Fingerprint fingerprint() const override {
    return cisolve::fingerprint(matrix(), file_->row_offsets);
  }
  std::unique_ptr<LinearOperator> make(const std::string&, Backend& backend,
                                       const FormatOptions& options) override {
    const auto file = std::move(file_);  // and its row offsets go with it
    auto made = make_packed(std::move(file->matrix), file->row_offsets.back(), backend);
    made->use(options.kernel);
    return made;
  }

 private:
  const PackedMatrix& matrix() const {
    return file_->matrix;
  }
  std::unique_ptr<PackedFile> file_;
};

class DeviceSource final : public MatrixSource {
 public:
  DeviceSource(std::unique_ptr<RowSource> rows, Backend& backend)
      : rows_(std::move(rows)), backend_(backend) {}

  Index rows() const override { return rows_->rows(); }
  std::optional<Offset> nonzeros() const override { return rows_->nonzeros(); }
  std::vector<double> diagonal() const override { return rows_->diagonal(); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) const override {
    return block_over(rows_->some_rows(rows), rows);
  }
  /// Row i of the matrix of A's components has an entry in column roots[i].
  Sectors sectors(const CsrMatrix* s_squared) const override {
    const std::vector<Index> roots = component_roots(*rows_, backend_);
    if (s_squared == nullptr) return sectors_of_roots(roots);
    std::vector<Offset> row_offsets(roots.size() + 1);
    std::iota(row_offsets.begin(), row_offsets.end(), Offset{0});
    return connected_sectors({{row_offsets, roots}, pattern_of(*s_squared)});
  }
  Fingerprint fingerprint() const override { return cisolve::fingerprint(*rows_, backend_); }
  std::unique_ptr<LinearOperator> make(const std::string& format, Backend& backend,
                                       const FormatOptions& options) override {
    return make_operator(find_format(format), *rows_, backend, options);
  }

 private:
  std::unique_ptr<RowSource> rows_;
  Backend& backend_;
};

}  // namespace

std::unique_ptr<MatrixSource> csr_source(std::shared_ptr<const CsrMatrix> a) {
  return std::make_unique<CsrSource>(std::move(a));
}

std::unique_ptr<MatrixSource> packed_source(std::unique_ptr<PackedFile> file) {
  return std::make_unique<PackedSource>(std::move(file));
}

std::unique_ptr<MatrixSource> device_source(std::unique_ptr<RowSource> rows, Backend& backend) {
  return std::make_unique<DeviceSource>(std::move(rows), backend);
}

PSpace p_space_of(const MatrixSource& a, Sectors sectors, int states, int size,
                  BackendKind backend) {
  PSpace p;
  p.sectors = std::move(sectors);
  // A product of no stored elements takes as long as one over a row's couplings, some hundred.
  const Offset nonzeros = a.nonzeros().value_or(Offset{100} * a.rows());
  p.rows = p_space_rows(a.diagonal(), p.sectors, nonzeros, states, size, backend);
  p.matrix = a.principal_submatrix(p.rows);
  return p;
}

}  // namespace cisolve
