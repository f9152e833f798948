#include "app/ways/stored/packed_way.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/forest.hpp"
#include "core/threads/parallel.hpp"
#include "formats/packed/decode.hpp"
#include "io/hdf5/packed_file.hpp"

namespace cisolve {
namespace {

class PackedHeld final : public HeldMatrix {
 public:
  PackedHeld(const WayRequest& request, const Format& format, PackedElements& elements)
      : backend_(request.backend),
        options_(request.config.spmv),
        format_(format),
        size_text_(elements.size_text() + ", packed"),
        file_(elements.take_packed()),
        basis_(std::make_shared<const Basis>(RowPartition{{0, file_->matrix.rows}})) {
    plan = request.plan_of(*this);
  }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return file_->outline.nonzeros(); }
  std::string size_text() override { return size_text_; }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    const bool on_cpu = backend_.kind() == BackendKind::cpu;
    MemoryNeed need = solver;
    need.host_matrix = matrix().bytes();
    need.host_matrix_stays = on_cpu;
    need.operator_matrix = on_cpu ? 0 : need.host_matrix;
    need.csr = CsrMatrix::bytes(basis_->rows(), file_->outline.nonzeros());
    need.scratch = format_.scratch(file_->outline, options_, backend_.kind(), columns);
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
  MadeOperator make(int, bool) override {
    const auto file = std::move(file_);  // and its outline goes with it
    std::shared_ptr<LinearOperator> a =
        make_packed(std::move(file->matrix), file->outline.nonzeros(), backend_);
    a->use(options_.kernel);
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    return make_row_reader(nullptr, backend_);
  }

 private:
  const PackedMatrix& matrix() const {
    return file_->matrix;
  }

  Backend& backend_;
  const SpmvConfig& options_;
  const Format& format_;
  std::string size_text_;
  std::unique_ptr<PackedFile> file_;
  std::shared_ptr<const Basis> basis_;
};

std::unique_ptr<HeldMatrix> take_packed(PackedElements& elements, WayRequest& request) {
  const Format& format = find_format("packed");
  const bool wanted = request.automatic() || request.format.name == format.name;
  if (!wanted || !request.ranks().alone() || request.config.task != Task::eigen ||
      request.in_single() || request.wants_elements()) {
    return nullptr;
  }
  if (!elements.packed()->symmetric) {
    throw InputError(elements.name() +
                     ": not symmetric, as was found when it was written; spmv.format csr says "
                     "where, expected a symmetric matrix");
  }
  auto held = std::make_unique<PackedHeld>(request, format, elements);
  if (request.automatic()) {
    held->settled =
        settled_on(format.name, "the file holds it so", request.config.spmv.expected_products);
  }
  return held;
}

}  // namespace

Way packed_way(PackedElements& elements) {
  return {true, [&elements](WayRequest& request) { return take_packed(elements, request); }};
}

}  // namespace cisolve
