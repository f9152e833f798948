#include "app/input/direct_source.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "core/mixed.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/space/matrix_element.hpp"

namespace cisolve {
namespace {

class DirectSource final : public MatrixSource {
 public:
  DirectSource(HamiltonianSource& source, Backend& backend)
      : source_(source), backend_(backend), rows_(source.rows()) {}

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
    return need;
  }

  std::vector<double> diagonal() override { return ci_diagonal(integrals(), space()); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return cisolve::principal_submatrix(integrals(), space(), rows);
  }
  /// S² leaves the irrep of a determinant as it is.
  Sectors sectors(const CsrMatrix*) override {
    std::array<Index, most_irreps> first;
    first.fill(-1);
    std::vector<Index> roots(rows_);
    const std::vector<int> of_alpha = irreps_of_orbitals(integrals(), alpha);
    const std::vector<int> of_beta = irreps_of_orbitals(integrals(), beta);
    const DirectStrings alphas(space().alpha, of_alpha), betas(space().beta, of_beta);
    for (Index a = 0; a < space().alpha.size(); ++a) {
      const int own = alphas.irrep(space().alpha.strings[a]);
      const BetaStrings range = space().betas(a);
      for (const Index b : range) {
        const int irrep = own ^ betas.irrep(space().beta.strings[b]);
        const auto row = static_cast<Index>(range.row(b));
        if (first[irrep] < 0) first[irrep] = row;
        roots[row] = first[irrep];
      }
    }
    return sectors_of_roots(roots);
  }
  /// By one product.
  Fingerprint fingerprint() override {
    const auto a = make_direct(shared_tables(), backend_);
    HostMatrix w(rows_, 1);
    for (Index i = 0; i < rows_; ++i) w(i, 0) = mixed_uniform(i);
    MultiVector x(backend_, rows_, 1), y(backend_, rows_, 1);
    backend_.upload(w, x.view());
    a->apply(1.0, x.view(), 0.0, y.view());
    const HostMatrix image = backend_.download(y.view());
    Fingerprint made{rows_, 0, 0, 0.0, 0.0};
    for (Index i = 0; i < rows_; ++i) {
      made.elements += w(i, 0) * image(i, 0);
      made.magnitude += std::abs(w(i, 0) * image(i, 0));
    }
    return made;
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
  const DirectTables& tables() { return *shared_tables(); }

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

std::unique_ptr<MatrixSource> direct_source(HamiltonianSource& source, Backend& backend) {
  return std::make_unique<DirectSource>(source, backend);
}

}  // namespace cisolve
