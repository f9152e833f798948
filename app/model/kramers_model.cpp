#include "app/model/kramers_model.hpp"

#include <utility>

#include "app/ways/direct/spinor_way.hpp"
#include "app/ways/stored/kramers_way.hpp"
#include "hamiltonian/spinor/kramers/kramers_matrix.hpp"
#include "hamiltonian/spinor/spinor_nonzeros.hpp"

namespace cisolve {

KramersModel::KramersModel(const Model& whole, const Determinants& determinants,
                           const SpinorIntegrals& integrals, KramersPairs pairs, const Log& log)
    : whole_(whole),
      determinants_(determinants),
      integrals_(integrals),
      pairs_(std::move(pairs)),
      matrix_(determinants, Storage::full, log,
              [this, &integrals](const AnySpace& space, Storage) {
                return std::make_unique<const KramersMatrixBuilder>(integrals, space.alpha(),
                                                                    pairs_);
              },
              {.components = 2, .determinants = 2, .fewest = [&] {
                 return 0.5 * fewest_nonzeros(integrals, determinants.space().alpha());
               }}) {}

std::vector<std::string> KramersModel::notes() const {
  std::vector<std::string> notes = whole_.notes();
  notes.emplace_back(
      "The matrix is one of quaternions over Kramers pairs of determinants (input.kramers): it was "
      "solved for half the states, each of which stands for two.");
  return notes;
}

std::vector<Way> KramersModel::ways() {
  return {spinor_way(integrals_, determinants_, &pairs_), kramers_way(matrix_)};
}

}  // namespace cisolve
