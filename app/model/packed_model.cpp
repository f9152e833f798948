#include "app/model/packed_model.hpp"

#include "app/model/stored_ways.hpp"
#include "app/ways/stored/packed_way.hpp"
#include "app/ways/stored/rank_way.hpp"

namespace cisolve {

std::vector<Way> PackedModel::ways() {
  return with_stored_ways({rank_way(elements_), packed_way(elements_)}, elements_, nullptr);
}

}  // namespace cisolve
