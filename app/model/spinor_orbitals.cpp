#include "app/model/spinor_orbitals.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"

namespace cisolve {
namespace {

/// f(key, list) of every list of orbitals.
template <class F>
void for_each_list(InputConfig& config, F&& f) {
  f("input.frozen", config.frozen);
  f("input.active", config.active);
  f("input.ras1", config.ras1);
  f("input.ras3", config.ras3);
}

}  // namespace

std::vector<int> from_zero(std::vector<int> numbers) {
  for (int& number : numbers) --number;
  return numbers;
}

InputConfig over_spinors(InputConfig config, const SpinorIntegrals& integrals) {
  const int each = integrals.spinors_of_orbital, orbitals = integrals.spinors / each;
  if (each == 1) return config;
  for_each_list(config, [&](const std::string& key, std::vector<int>& list) {
    std::vector<int> made;
    for (const int orbital : list) {
      if (orbital < 1 || orbital > orbitals) {
        throw InputError(key + ": found orbital " + std::to_string(orbital) + ", expected 1 to " +
                         std::to_string(orbitals));
      }
      for (int s = 1; s <= each; ++s) made.push_back(each * (orbital - 1) + s);
    }
    list = std::move(made);
  });
  return config;
}

InputConfig over_active_spinors(InputConfig config, int spinors) {
  const std::vector<int> kept =
      active_orbitals(spinors, from_zero(config.frozen), from_zero(config.active));
  config.frozen.clear();
  config.active.clear();
  for_each_list(config, [&](const std::string& key, std::vector<int>& list) {
    for (int& spinor : list) {
      const auto found = std::ranges::find(kept, spinor - 1);
      if (found == kept.end()) {
        throw InputError(key + ": spinor " + std::to_string(spinor) + " is not active");
      }
      spinor = static_cast<int>(found - kept.begin()) + 1;
    }
  });
  config.electrons.reset();  // the reader has taken them
  return config;
}

}  // namespace cisolve
