#include "app/input/determinants/restricted_active_space.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

/// A list with the number that limits it.
struct Limit {
  std::string name;  ///< of the list's key, and of the number's
  std::string number_name;
  const std::vector<int>& orbitals;  ///< from 1
  std::optional<int> number;
};

void require_both(const Limit& limit) {
  if (limit.orbitals.empty() != !limit.number) {
    const bool has_list = !limit.orbitals.empty();
    throw InputError((has_list ? limit.name : limit.number_name) + ": expected " +
                     (has_list ? limit.number_name : limit.name) + " with it");
  }
}

/// The orbitals among the active ones.
OrbitalString active_string(const Limit& limit, const std::vector<int>& active) {
  OrbitalString string;
  for (const int orbital : limit.orbitals) {
    const auto found = std::ranges::find(active, orbital - 1);
    const std::string said = limit.name + ": orbital " + std::to_string(orbital);
    if (found == active.end()) {
      throw InputError(said +
                       " is not active; expected orbitals of the file, numbered from 1, "
                       "that are not frozen and, where input.active is given, among these");
    }
    const int p = static_cast<int>(found - active.begin());
    if (string.has(p)) throw InputError(said + " is listed twice");
    string = string.with(p);
  }
  return string;
}

std::string orbital_text(const std::vector<int>& orbitals) {
  std::string text;
  for (const int p : orbitals) text += (text.empty() ? " " : ", ") + std::to_string(p);
  return text.empty() ? " none" : text;
}

std::string limit_text(int number, const char* what) {
  return " with at most " + std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace

bool asks_for_ras(const DeterminantSettings& config) {
  return !config.ras1.empty() || !config.ras3.empty() || config.ras_holes || config.ras_particles;
}

std::optional<RestrictedActiveSpace> restricted_active_space(const DeterminantSettings& config,
                                                             const std::vector<int>& active) {
  if (!asks_for_ras(config)) return std::nullopt;
  const Limit one{"input.ras1", "input.ras_holes", config.ras1, config.ras_holes};
  const Limit three{"input.ras3", "input.ras_particles", config.ras3, config.ras_particles};
  require_both(one);
  require_both(three);
  if (config.space != Space::fci) {
    throw InputError("input.space: found " + space_name(config.space) +
                     ", expected fci: a restricted active space is limited by its holes and "
                     "particles alone");
  }
  RestrictedActiveSpace ras;
  ras.ras1 = active_string(one, active);
  ras.ras3 = active_string(three, active);
  ras.holes = one.number.value_or(0);
  ras.particles = three.number.value_or(0);
  for (const int orbital : config.ras3) {
    if (std::ranges::find(config.ras1, orbital) != config.ras1.end()) {
      throw InputError("input.ras3: orbital " + std::to_string(orbital) +
                       " is in input.ras1 too; expected it in one of them");
    }
  }
  return ras;
}

std::string ras_text(const DeterminantSettings& config, const std::vector<int>& active) {
  std::vector<int> others;
  for (const int p : active) {
    const auto among = [p](const std::vector<int>& list) {
      return std::ranges::find(list, p + 1) != list.end();
    };
    if (!among(config.ras1) && !among(config.ras3)) others.push_back(p + 1);
  }
  std::string text = "restricted active space:";
  if (config.ras_holes) {
    text += " RAS1" + orbital_text(config.ras1) + limit_text(*config.ras_holes, "hole") + ";";
  }
  text += " RAS2" + orbital_text(others);
  if (config.ras_particles) {
    text += "; RAS3" + orbital_text(config.ras3) + limit_text(*config.ras_particles, "electron");
  }
  return text;
}

}  // namespace cisolve
