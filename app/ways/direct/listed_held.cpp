#include "app/ways/direct/listed_held.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "hamiltonian/basis/space_basis.hpp"
#include "hamiltonian/listed/listed_product.hpp"
#include "hamiltonian/space/matrix_element.hpp"

namespace cisolve {
namespace {

class ListedHeld final : public HeldMatrix {
 public:
  ListedHeld(const WayRequest& request, const Determinants& determinants,
             std::shared_ptr<const ListedTables> tables)
      : backend_(request.backend),
        determinants_(determinants),
        tables_(std::move(tables)),
        basis_(listed_basis(determinants)) {}

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  std::string size_text() override {
    return std::to_string(basis_->rows()) + " determinants, products made of the integrals";
  }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    MemoryNeed need = solver;
    need.determinants = true;
    need.operator_matrix = tables_->bytes();
    need.scratch = listed_scratch(*tables_, backend_.kind(), columns);
    return need;
  }

  Array<double> diagonal() override { return listed_diagonal(*tables_); }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    return cisolve::principal_submatrix(tables_->integrals(), tables_->space(), rows);
  }
  Sectors sectors(const CsrMatrix*) override { return sectors_of(*tables_); }
  Fingerprint fingerprint() override {
    return cisolve::fingerprint(*make_listed(tables_, backend_), backend_);
  }
  MadeOperator make(int, bool) override {
    std::shared_ptr<LinearOperator> a = make_listed(tables_, backend_);
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    return make_row_reader(&determinants_, backend_);
  }

 private:
  Backend& backend_;
  const Determinants& determinants_;
  std::shared_ptr<const ListedTables> tables_;
  std::shared_ptr<const Basis> basis_;
};

}  // namespace

bool are_listed_pairs(const Determinants& determinants) {
  return determinants.listed() && determinants.ranges() != nullptr;
}

std::shared_ptr<const Basis> listed_basis(const Determinants& determinants) {
  return std::make_shared<const SpaceBasis>(determinants.space(),
                                            RowPartition{{0, determinants.rows()}});
}

std::unique_ptr<HeldMatrix> make_listed_held(const WayRequest& request,
                                             const Determinants& determinants,
                                             std::shared_ptr<const ListedTables> tables) {
  return std::make_unique<ListedHeld>(request, determinants, std::move(tables));
}

Sectors sectors_of(const ListedTables& tables) {
  const CiSpace& space = tables.space();
  std::array<Index, most_irreps> numbers;
  numbers.fill(-1);
  Sectors sectors;
  sectors.labels.resize(static_cast<std::size_t>(space.size()));
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const auto& [b, row] : space.determinants_of(a)) {
      Index& number = numbers[tables.label_of(a, b)];
      if (number < 0) {
        number = static_cast<Index>(sectors.sizes.size());
        sectors.sizes.push_back(0);
      }
      sectors.labels[row] = number;
      ++sectors.sizes[number];
    }
  }
  return sectors;
}

}  // namespace cisolve
