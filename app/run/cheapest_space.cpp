#include "app/run/cheapest_space.hpp"

#include <algorithm>
#include <numeric>

#include "app/input/determinants/parity_of_rows.hpp"
#include "app/input/determinants/restricted_active_space.hpp"
#include "app/ways/direct/why_not_direct.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {
namespace {

bool may_choose_ms(const Determinants& determinants) {
  const InputConfig& config = determinants.config();
  return !config.ms2 && config.spin_inversion == SpinInversion::all && config.space == Space::fci &&
         !asks_for_ras(config) && !determinants.listed() && !determinants.integrals().unrestricted;
}

/// Determinants of full CI with that M_s, of the irrep where there is one.
long double size_of(Integrals integrals, int ms2, std::optional<int> irrep) {
  integrals.ms2 = ms2;
  const auto of_irreps = count_determinants(integrals, {});
  if (irrep && *irrep < std::ssize(of_irreps)) return of_irreps[*irrep];
  return std::accumulate(of_irreps.begin(), of_irreps.end(), 0.0L);
}

}  // namespace

SpaceChoice cheapest_space(const Model& model, SpaceChoice choice, int multiplicity,
                           const RunConfig& config, const Backend& backend) {
  const Determinants& given = *model.determinants();
  if (!may_choose_ms(given)) return choice;
  const Integrals& integrals = given.active_integrals();
  const int electrons = integrals.electrons, twice_s = multiplicity - 1;
  const int most_open = std::min(electrons, 2 * integrals.orbitals - electrons);
  if (twice_s > most_open || (electrons - twice_s) % 2 != 0) {
    choice.ms2 = electrons % 2;  // has every multiplicity that there is
    return choice;
  }
  const auto irrep = choice.irrep ? choice.irrep : given.irrep();
  const auto fewest = size_of(integrals, twice_s, irrep);
  const bool rows_for_all = fewest >= backend.communicator().size();
  choice.ms2 = rows_for_all ? twice_s : electrons % 2;
  if (electrons % 2 == 1) return choice;
  if (rows_for_all && size_of(integrals, 0, irrep) / 2 >= fewest) return choice;
  SpaceChoice halved = choice;
  halved.ms2 = 0;
  halved.spin_inversion = parity_of_multiplicity(multiplicity);
  const auto functions = model.of(halved, Storage::full, {});
  const bool direct = config.operator_kind != OperatorKind::stored &&
                      why_not_direct(*functions->determinants(), config, backend).empty();
  return direct ? halved : choice;
}

}  // namespace cisolve
