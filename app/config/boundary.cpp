#include "app/config/boundary.hpp"

#include "core/error.hpp"

namespace cisolve {

std::string check_boundary(const SpmvConfig& config, const Format& chosen_format) {
  if (config.boundary.by == Boundary::By::automatic) {
    if (config.boundary.value == 0) return "";
    throw InputError("spmv.boundary.value: found " + std::to_string(config.boundary.value) +
                     " without spmv.boundary.by, expected count or column there");
  }
  if (chosen_format.parts_rows) return "";
  const std::string words = "spmv.boundary belongs to the format hybrid, and spmv.format is ";
  if (config.format != "auto") throw InputError(words + chosen_format.name);
  return words + "auto: it is used only where that comes to hybrid";
}

void check_boundary_value(const Boundary& boundary, Index columns) {
  if (boundary.by == Boundary::By::automatic || boundary.value <= columns) return;
  throw InputError("spmv.boundary.value: found " + std::to_string(boundary.value) +
                   ", expected at most " + std::to_string(columns) + ", the columns of the matrix");
}

}  // namespace cisolve
