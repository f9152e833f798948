#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// A calculation whose energies references.yaml has.
struct ReferenceCase {
  std::string file;
  std::string name;
  CiSpaceOptions space;
  std::vector<double> energies;
  /// The energies are among the lowest `states` ones, not all of them.
  int states = 0;
};

inline const std::map<std::string, int> rank_of_space{
    {"cis", 1}, {"cisd", 2}, {"cisdt", 3}, {"cisdtq", 4}};
inline const std::map<std::string, int> c2v_irrep{{"a1", 0}, {"b1", 1}, {"b2", 2}, {"a2", 3}};

/// The cases of one file's entry.
inline std::vector<ReferenceCase> cases_of(const std::string& file, const YAML::Node& entry) {
  std::vector<ReferenceCase> cases;
  for (const auto& item : entry) {
    const auto key = item.first.as<std::string>();
    const YAML::Node& value = item.second;
    if (key == "exact_ms0") {
      const auto energies = value.as<std::vector<double>>();
      cases.push_back({file, "fci", {}, energies, static_cast<int>(energies.size())});
    } else if (key.size() == 6 && key.ends_with("_ms0")) {
      const auto energies = value.as<std::vector<double>>();
      CiSpaceOptions space;
      space.irrep = c2v_irrep.at(key.substr(0, 2));
      cases.push_back(
          {file, "fci " + key.substr(0, 2), space, energies, static_cast<int>(energies.size())});
    } else if (key == "triplet_ground_state" || key == "b1_singlet") {
      CiSpaceOptions space;
      space.irrep = c2v_irrep.at("b1");
      cases.push_back({file, "fci b1 " + key, space, {value.as<double>()}, 3});
    } else if (key == "fci_triplet") {
      cases.push_back({file, "fci", {}, value.as<std::vector<double>>(), 1});
    } else if (key == "detci") {
      for (const auto& method : value) {
        const auto name = method.first.as<std::string>();
        CiSpaceOptions space;
        if (name != "fci") space.max_excitation = rank_of_space.at(name);
        if (file.starts_with("n2_631g")) space.irrep = 0;
        cases.push_back({file, name, space, {method.second.as<double>()}, 1});
      }
    } else if (key == "ag") {
      CiSpaceOptions space;
      space.irrep = 0;
      cases.push_back({file, "fci ag", space, value.as<std::vector<double>>(), 1});
    }
  }
  return cases;
}

/// The largest distance of a reference energy from the nearest computed one; position by position
/// where all states are references.
inline double largest_error(const ReferenceCase& c, const std::vector<double>& computed) {
  double largest = 0.0;
  for (std::size_t i = 0; i < c.energies.size(); ++i) {
    double error = INFINITY;
    if (computed.size() == c.energies.size() || c.name.ends_with("ground_state")) {
      error = std::abs(computed[i] - c.energies[i]);
    } else {
      for (const double e : computed) error = std::min(error, std::abs(e - c.energies[i]));
    }
    largest = std::max(largest, error);
  }
  return largest;
}

}  // namespace cisolve
