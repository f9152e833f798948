#include "app/input/direct_source.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/input/rank_source.hpp"
#include "backends/ranks/communicator.hpp"
#include "backends/ranks/row_partition.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/direct/direct_elements.hpp"
#include "hamiltonian/direct/direct_product.hpp"

namespace cisolve {
namespace {

/// What a GPU holds beside vectors and the tables of the host, at most: those of the beta strings,
/// and what the electrons of one spin among themselves are made of.
struct DirectScratch {
  std::size_t tables = 0, work = 0;
};
DirectScratch device_scratch(const DirectTables& tables, int ranks) {
  std::size_t pairs = 0;
  for (const HostMatrix& v : tables.v) pairs += static_cast<std::size_t>(v.cols());
  const auto betas = static_cast<std::size_t>(tables.layout.beta_strings.size());
  // Of each excitation 4 bytes in a table for S², and at most as many in the lists of TargetTiles,
  // which vectors of all irreps and those of each have for themselves.
  // Two electrons of one spin have lists of their own for the targets, of a rank's alpha strings
  // and of vectors of one parity once more.
  const int irreps = tables.layout.irreps();
  const std::size_t lists = irreps == 1 ? 1 : 1 + static_cast<std::size_t>(irreps);
  return {(1 + lists) * sizeof(Index) * pairs * betas + tables.same_spin[beta].bytes() +
              (ranks == 1 ? 1 : 3) * tables.same_spin[alpha].bytes(),
          sizeof(double) * static_cast<std::size_t>(work_on_device(tables))};
}

/// H over the determinants of the space, in its order: for what is to be the same for a stored
/// matrix. Over ranks each has its part of the determinants, and whole vectors on the host.
class OverDeterminants final : public LinearOperator {
 public:
  OverDeterminants(const LinearOperator& direct, const DirectTables& tables, Backend& backend)
      : direct_(direct),
        tables_(tables),
        backend_(backend),
        rows_(
            even_partition(static_cast<Index>(tables.layout.size()), backend.communicator().size())
                .count(backend.communicator().rank())) {}

  Index rows() const override { return rows_; }
  Index columns() const override { return rows(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    MultiVector in(backend_, direct_.rows(), 1), out(backend_, direct_.rows(), 1);
    for (int j = 0; j < x.columns; ++j) {
      upload_own(backend_, tables_.rows.from_space(download_whole(backend_, x.slice(j, 1))),
                 in.view());
      direct_.apply(alpha, in.view(), 0.0, out.view());
      MultiVector image(backend_, rows(), 1);
      upload_own(backend_, tables_.rows.to_space(download_whole(backend_, out.view())),
                 image.view());
      backend_.axpby(1.0, image.view(), beta, y.slice(j, 1));
    }
  }
  void diagonal(View) const override {
    throw std::logic_error("the diagonal over determinants is not asked for");
  }
  OperatorInfo info() const override { return direct_.info(); }

 private:
  const LinearOperator& direct_;
  const DirectTables& tables_;
  Backend& backend_;
  Index rows_;
};

Parity parity_of(SpinInversion wanted) {
  return wanted == SpinInversion::even  ? Parity::even
         : wanted == SpinInversion::odd ? Parity::odd
                                        : Parity::none;
}

class Source final : public MatrixSource {
 public:
  Source(HamiltonianSource& source, Backend& backend, SpinInversion only)
      : source_(source), backend_(backend), rows_(source.rows()), only_(parity_of(only)) {
    require_same_integrals(source, backend.communicator());
  }

  std::shared_ptr<const DirectTables> direct() override {
    tables();
    return tables_;
  }
  Index rows() const override { return rows_; }
  RowPartition parts() const override { return tables().rows.partition(); }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  std::string size_text() const override {
    return std::to_string(rows_) +
           (only_ == Parity::none   ? " determinants"
            : only_ == Parity::even ? " functions even under spin inversion"
                                    : " functions odd under spin inversion") +
           (ranks().alone() ? "" : " on " + std::to_string(ranks().size()) + " ranks") +
           ", products made of the integrals";
  }
  MemoryNeed memory(const MemoryNeed& solver, const Format&, const Backend&, const FormatOptions&,
                    int) override {
    MemoryNeed need = need_of_parts(solver, parts());
    need.determinants = true;
    need.parities = tables().rows.kinds().size() > 1;
    need.operator_matrix = tables().bytes();
    // c and σ of all determinants, on every rank, or for all ranks of the host together.
    const bool common = backend_.in_host_memory() && ranks().has_common_memory();
    need.scratch = 2 * sizeof(double) * static_cast<std::size_t>(tables().layout.size()) /
                   static_cast<std::size_t>(common ? ranks().size() : 1);
    if (backend_.kind() == BackendKind::cuda) {
      const DirectScratch device = device_scratch(tables(), ranks().size());
      need.operator_matrix += device.tables;
      need.scratch += device.work;
    }
    return need;
  }

  Array<double> diagonal() override {
    return direct_diagonal(integrals(), tables().layout, tables().rows);
  }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return cisolve::principal_submatrix(integrals(), tables().layout, tables().rows, rows);
  }
  /// S² leaves irrep and parity of a function as they are.
  Sectors sectors(const CsrMatrix*) override {
    const DirectRows& rows = tables().rows;
    if (rows.parts() == 1) return {{}, rows.sector_sizes()};
    return {{}, rows.sector_sizes(), {rows.pieces().begin(), rows.pieces().end()}};
  }
  /// Of all determinants that of the stored matrix.
  Fingerprint fingerprint() override {
    const auto a = make_direct(direct(), backend_);
    if (only_ != Parity::none) {
      const auto pieces = tables().rows.numbers_in_one_part(ranks().rank());
      return cisolve::fingerprint(*a, backend_, [&](std::int64_t row) {
        auto piece = pieces.begin();
        while (row >= piece->count) row -= piece++->count;
        return piece->first + row;
      });
    }
    return cisolve::fingerprint(OverDeterminants(*a, tables(), backend_), backend_);
  }
  std::unique_ptr<LinearOperator> make(const Format&, Backend& backend,
                                       const FormatOptions&) override {
    return make_direct(direct(), backend);
  }

 private:
  Communicator& ranks() const { return backend_.communicator(); }
  const DirectTables& tables() const {
    if (!tables_) {
      tables_ = std::make_shared<const DirectTables>(integrals(), space(), only_, ranks().size());
    }
    return *tables_;
  }
  const Integrals& integrals() const { return *source_.active_integrals(); }
  const CiSpace& space() const { return *source_.space(); }

  HamiltonianSource& source_;
  Backend& backend_;
  Index rows_;
  Parity only_;
  mutable std::shared_ptr<const DirectTables> tables_;
};

}  // namespace

std::string direct_unavailable_reason(HamiltonianSource& source, BackendKind backend) {
  if (!source.of_determinants()) return "the input is no list of integrals";
  source.rows();
  if (!source.space()->alpha.full) return "the space is not that of full CI";
  if (!has_direct_layout(*source.space())) return "there are more than 64 orbitals";
  if (backend == BackendKind::cuda) {
    const Integrals& integrals = *source.active_integrals();
    for (const int n :
         {(integrals.electrons + integrals.ms2) / 2, (integrals.electrons - integrals.ms2) / 2}) {
      const std::int64_t empty = integrals.orbitals - n + 2;
      if (n >= 2 && empty * (empty - 1) / 2 > most_additions_on_device) {
        return "on a GPU there may be at most 47 orbitals that electrons of one spin leave empty";
      }
    }
  }
  return "";
}

std::unique_ptr<MatrixSource> direct_source(HamiltonianSource& source, Backend& backend,
                                            SpinInversion only) {
  return std::make_unique<Source>(source, backend, only);
}

}  // namespace cisolve
