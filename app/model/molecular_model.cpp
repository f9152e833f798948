#include "app/model/molecular_model.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/input/determinants/smaller_spaces.hpp"
#include "app/model/stored_ways.hpp"
#include "app/ways/direct/direct_way.hpp"
#include "app/ways/stored/device_way.hpp"
#include "app/ways/stored/rank_way.hpp"

namespace cisolve {

MolecularModel::MolecularModel(Determinants determinants, std::string kind, Units units,
                               Storage storage, const Log& log)
    : kind_(std::move(kind)),
      units_(units),
      determinants_(std::move(determinants)),
      matrix_(determinants_, storage, log) {}

std::vector<Way> MolecularModel::ways() {
  std::vector<Way> ways{direct_way(determinants_), rank_way(matrix_)};
  std::ranges::move(device_ways(determinants_), std::back_inserter(ways));
  return with_stored_ways(std::move(ways), matrix_, &determinants_);
}

std::string MolecularModel::smaller(const RunConfig& config, const MemoryAvailable& available) {
  return smaller_spaces(determinants_, config, available);
}

std::unique_ptr<Model> MolecularModel::of(const SpaceChoice& choice, Storage storage,
                                          const Log& log) const {
  return std::make_unique<MolecularModel>(determinants_.of(choice, log), kind_, units_, storage,
                                          log);
}

std::unique_ptr<Model> MolecularModel::over(std::shared_ptr<const AnySpace> list, Storage storage,
                                            const Log& log) const {
  return std::make_unique<MolecularModel>(determinants_.over(std::move(list), log), kind_, units_,
                                          storage, log);
}

std::unique_ptr<Model> MolecularModel::over_orbitals(const HostMatrix& c, Storage storage,
                                                     const Log& log) const {
  return std::make_unique<MolecularModel>(determinants_.over_orbitals(c, log), kind_, units_,
                                          storage, log);
}

}  // namespace cisolve
