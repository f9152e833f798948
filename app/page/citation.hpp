#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Citation of the program, from CITATION.cff: the request, the program with its DOI once it has
/// one, and a line for each reference.
struct Citation {
  std::string message, program;
  std::vector<std::string> references;
};
const Citation& citation();

/// The citation of a text in that format, version 1.2. Throws YAML::Exception where a part is
/// missing.
Citation citation_of(const std::string& cff);

}  // namespace cisolve
