#include "app/ways/stored/own_rows.hpp"

#include <numeric>
#include <span>
#include <utility>

#include "app/input/same_on_ranks.hpp"
#include "app/ways/stored/device_way.hpp"
#include "app/ways/stored/host_way.hpp"
#include "backends/ranks/row_partition.hpp"
#include "core/error.hpp"
#include "core/forest.hpp"
#include "core/threads/parallel.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/matrix/cuda/rows_cuda.hpp"

namespace cisolve {
namespace {

std::vector<Index> counted_from(Index first, Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

class OwnHostRows final : public OwnRows {
 public:
  /// Equal parts are counted, then the lengths of all rows say which are whose.
  OwnHostRows(BuiltMatrix& built, Communicator& ranks) : built_(&built) {
    const RowPartition even = even_partition(built.rows(), ranks.size());
    const std::vector<Index> own =
        built.row_lengths(even.first(ranks.rank()), even.begin[ranks.rank() + 1]);
    const std::vector<Index> all = ranks.gather(std::span<const Index>(own));
    take_part(all, ranks);
    offsets_ = Array<Offset>(static_cast<std::size_t>(count_) + 1);
    offsets_[0] = 0;
    std::inclusive_scan(all.begin() + first_, all.begin() + first_ + count_, offsets_.begin() + 1,
                        std::plus<>(), Offset{0});
  }

  OwnHostRows(Elements& elements, Communicator& ranks, bool requires_symmetric) {
    even_partition(elements.rows(),
                   ranks.size());  // refuses more ranks than rows before it is read
    const auto whole = elements.take();
    if (requires_symmetric) {
      require_symmetric(*whole, elements.name());
    } else {
      symmetric_ = is_symmetric(*whole);
    }
    const Fingerprint mine = cisolve::fingerprint(*whole);
    require_on_all_ranks(difference(mine, ranks.of_first(mine)).empty(), ranks, elements.name(),
                         "matrix");
    std::vector<Index> lengths(static_cast<std::size_t>(whole->rows));
    for (Index i = 0; i < whole->rows; ++i) lengths[i] = whole->row_length(i);
    take_part(lengths, ranks);
    matrix_ =
        std::make_shared<const CsrMatrix>(selected_rows(*whole, counted_from(first_, count_)));
  }

  Index count() const override { return count_; }
  Offset nonzeros() const override { return matrix_ ? matrix_->nonzeros() : offsets_.back(); }
  MemoryNeed memory(const MemoryNeed& solver, Index rows, Offset nonzeros, const Format& format,
                    const Backend& backend, const FormatOptions& options, int) const override {
    MemoryNeed need =
        memory_as_csr(solver, format, backend, options, CsrMatrix::bytes(rows, nonzeros), 0);
    need.determinants = built_ != nullptr;
    need.halvable = false;
    return need;
  }
  void build() override { matrix(); }
  std::shared_ptr<const CsrMatrix> csr() override {
    matrix();
    return matrix_;
  }

  std::vector<double> diagonal() override { return cisolve::diagonal(matrix(), first_); }
  HostMatrix block(const std::vector<Index>& rows, const std::vector<Index>& columns) override {
    return dense_part(matrix(), rows, columns);
  }
  std::vector<Index> component_roots() override {
    const CsrMatrix& a = matrix();
    Forest forest(a.columns);
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
    for (Index i = 0; i < a.rows; ++i) {
      if (forest.whole()) continue;
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        forest.unite(first_ + i, a.column_indices[e]);
      }
    }
    return forest.roots();
  }
  bool symmetric() const override {
    return symmetric_;
  }
  Fingerprint fingerprint() override {
    return cisolve::fingerprint(matrix(), first_);
  }
  std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                       const FormatOptions& options) override {
    matrix();
    return make_operator(format.name, std::exchange(matrix_, nullptr), backend, options);
  }

 private:
  void take_part(const std::vector<Index>& lengths, const Communicator& ranks) {
    const RowPartition parts = balanced_partition(lengths, ranks.size());
    first_ = parts.first(ranks.rank());
    count_ = parts.count(ranks.rank());
  }

  const CsrMatrix& matrix() {
    if (!matrix_) {
      matrix_ = std::make_shared<const CsrMatrix>(built_->take_rows(first_, std::move(offsets_)));
    }
    return *matrix_;
  }

  BuiltMatrix* built_ = nullptr;  ///< null where the rows are there
  Index first_ = 0, count_ = 0;
  Array<Offset> offsets_;  ///< of determinants, until the rows are filled
  std::shared_ptr<const CsrMatrix> matrix_;
  bool symmetric_ = true;
};

class OwnDeviceRows final : public OwnRows {
 public:
  OwnDeviceRows(const Determinants& determinants, Backend& backend)
      : backend_(backend),
        rows_(make_rows_cuda(determinants.active_integrals(), determinants.space(), backend)),
        outline_(outline_of(*rows_)) {}

  Index count() const override { return rows_->rows(); }
  Offset nonzeros() const override { return rows_->nonzeros(); }
  MemoryNeed memory(const MemoryNeed& solver, Index rows, Offset nonzeros, const Format& format,
                    const Backend& backend, const FormatOptions& options,
                    int columns) const override {
    return memory_as_device_rows(solver, format, rows, nonzeros, rows_->device_bytes(),
                                 format.scratch(outline_, options, backend.kind(), columns));
  }
  std::size_t device_bytes_in_place() const override { return rows_->device_bytes(); }

  std::vector<double> diagonal() override { return rows_->diagonal(); }
  HostMatrix block(const std::vector<Index>& rows, const std::vector<Index>& columns) override {
    return block_over(rows_->some_rows(rows), columns);
  }
  std::vector<Index> component_roots() override {
    return cisolve::component_roots(*rows_, backend_);
  }
  Fingerprint fingerprint() override { return cisolve::fingerprint(*rows_, backend_); }
  std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                       const FormatOptions& options) override {
    auto made = make_operator(format, *rows_, backend, options);
    rows_.reset();  // the memory of its blocks of rows is the solver's now
    return made;
  }

 private:
  Backend& backend_;
  std::unique_ptr<RowSource> rows_;
  CsrMatrix outline_;
};

}  // namespace

std::unique_ptr<OwnRows> own_rows_on_host(BuiltMatrix& matrix, Communicator& ranks) {
  return std::make_unique<OwnHostRows>(matrix, ranks);
}

std::unique_ptr<OwnRows> own_rows_cut(Elements& elements, Communicator& ranks,
                                      bool requires_symmetric) {
  return std::make_unique<OwnHostRows>(elements, ranks, requires_symmetric);
}

std::unique_ptr<OwnRows> own_rows_on_device(const Determinants& determinants, Backend& backend) {
  return std::make_unique<OwnDeviceRows>(determinants, backend);
}

}  // namespace cisolve
