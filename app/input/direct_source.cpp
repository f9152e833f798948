#include "app/input/direct_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/parallel.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/space/matrix_element.hpp"

namespace cisolve {
namespace {

/// Irreps of the strings of one spin as the space numbers them.
std::vector<std::int8_t> irreps_in_space(const DirectStrings& strings) {
  std::vector<std::int8_t> irreps(strings.size());
  for (Index i = 0; i < strings.size(); ++i) irreps[strings.number[i]] = strings.irrep_of[i];
  return irreps;
}

/// Determinants by irrep. Parallel.
Sectors sectors_by_irrep(const DirectLayout& layout, const CiSpace& space) {
  const auto alphas = irreps_in_space(layout.alpha_strings);
  const auto betas = irreps_in_space(layout.beta_strings);
  // In the order of their first rows, as sectors are numbered.
  std::array<Index, most_irreps> sector;
  sector.fill(-1);
  Index sectors = 0;
  const Index all = layout.irreps();
  for (Index a = 0; a < space.alpha.size() && sectors < all; ++a) {
    for (const Index b : space.betas(a)) {
      Index& number = sector[alphas[a] ^ betas[b]];
      if (number < 0) number = sectors++;
    }
  }
  Sectors result;
  if (sectors == 1) return result;
  result.labels.resize(space.size());
  std::array<Index, most_irreps> sizes{};
  Index* const size = sizes.data();
#pragma omp parallel for if (worth_threads(space.size())) schedule(dynamic, 1) \
    reduction(+ : size[:most_irreps])
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const BetaStrings range = space.betas(a);
    for (const Index b : range) {
      const Index number = sector[alphas[a] ^ betas[b]];
      result.labels[range.row(b)] = number;
      ++size[number];
    }
  }
  result.sizes.assign(sizes.begin(), sizes.begin() + sectors);
  return result;
}

/// What a GPU holds beside vectors and the tables of the host, at most: those of the beta strings
/// as a matrix, and G of as many alpha strings as are taken together.
struct DirectScratch {
  std::size_t tables = 0, work = 0;
};
DirectScratch device_scratch(const DirectTables& tables) {
  std::size_t pairs = 0;
  for (const HostMatrix& v : tables.v) pairs += static_cast<std::size_t>(v.cols());
  const auto betas = static_cast<std::size_t>(tables.layout.beta_strings.size());
  const auto all = sizeof(double) * pairs * static_cast<std::size_t>(tables.layout.size());
  return {sizeof(Index) * pairs * betas,
          std::min(all, sizeof(double) * std::size_t{most_work_on_device})};
}

class Source final : public DirectSource {
 public:
  Source(HamiltonianSource& source, Backend& backend)
      : source_(source), backend_(backend), rows_(source.rows()) {}

  const DirectTables& tables() override { return *shared_tables(); }
  Index rows() const override { return rows_; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  std::string size_text() const override {
    return std::to_string(rows_) + " determinants, products made of the integrals";
  }
  MemoryNeed memory(const MemoryNeed& solver, const Format&, const Backend&, const FormatOptions&,
                    int) override {
    MemoryNeed need = solver;
    need.determinants = true;
    need.operator_matrix = tables().bytes();
    need.scratch = 2 * sizeof(double) * static_cast<std::size_t>(rows_);
    if (backend_.kind() == BackendKind::cuda) {
      const DirectScratch device = device_scratch(tables());
      need.operator_matrix += device.tables;
      need.scratch += device.work;
    }
    return need;
  }

  std::vector<double> diagonal() override { return ci_diagonal(integrals(), space()); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return cisolve::principal_submatrix(integrals(), space(), rows);
  }
  /// S² leaves the irrep of a determinant as it is.
  Sectors sectors(const CsrMatrix*) override { return sectors_by_irrep(tables().layout, space()); }
  Fingerprint fingerprint() override {
    return cisolve::fingerprint(*make_direct(shared_tables(), backend_), backend_);
  }
  std::unique_ptr<LinearOperator> make(const Format&, Backend& backend,
                                       const FormatOptions&) override {
    return make_direct(shared_tables(), backend);
  }

 private:
  const Integrals& integrals() const { return *source_.active_integrals(); }
  const CiSpace& space() const { return *source_.space(); }
  const std::shared_ptr<const DirectTables>& shared_tables() {
    if (!tables_) tables_ = std::make_shared<const DirectTables>(integrals(), space());
    return tables_;
  }

  HamiltonianSource& source_;
  Backend& backend_;
  Index rows_;
  std::shared_ptr<const DirectTables> tables_;
};

}  // namespace

std::string direct_unavailable_reason(HamiltonianSource& source) {
  if (!source.of_determinants()) return "the input is no list of integrals";
  source.rows();
  if (!source.space()->alpha.full) return "the space is not that of full CI";
  return "";
}

std::unique_ptr<DirectSource> direct_source(HamiltonianSource& source, Backend& backend) {
  return std::make_unique<Source>(source, backend);
}

}  // namespace cisolve
