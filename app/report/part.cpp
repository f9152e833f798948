#include "app/report/part.hpp"

#include <algorithm>

#include "app/config/multiplicities.hpp"

namespace cisolve {

std::string PartLabel::name() const {
  std::string states = multiplicity ? multiplicity_name(*multiplicity) : "";
  if (!irrep) return states;
  return "irrep " + irrep_name + (multiplicity ? ", " + states : "");
}

std::string PartLabel::in_file_name() const {
  std::string states = multiplicity ? multiplicity_in_file_name(*multiplicity) : "";
  if (!irrep) return states;
  std::string name = irrep_name;
  std::ranges::replace(name, '\'', 'p');  // A' and A'' without what a shell takes for a quote
  return name + (multiplicity ? "." + states : "");
}

}  // namespace cisolve
