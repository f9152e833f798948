#include "app/model/matrix_model.hpp"

#include "app/model/stored_ways.hpp"
#include "app/ways/stored/rank_way.hpp"

namespace cisolve {

std::vector<Way> MatrixModel::ways() {
  if (elements_.components() > 1) return {host_way(elements_, nullptr)};
  return with_stored_ways({rank_way(elements_)}, elements_, nullptr);
}

}  // namespace cisolve
