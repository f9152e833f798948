#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// The name that is likely to have been meant, capitals and the dashes in front being the same;
/// empty where none is near. Near are names within so many letters left out, added, exchanged or in
/// the wrong order as a third of what was typed, and names that it begins.
std::string nearest(const std::string& typed, const std::vector<std::string>& names);
/// "; did you mean --states?"; empty of no name.
std::string did_you_mean(const std::string& name);

}  // namespace cisolve
