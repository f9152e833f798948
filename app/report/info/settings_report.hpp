#pragma once

#include <ostream>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "backends/backend.hpp"

namespace cisolve {

/// Problem for which settings are shown.
struct SettingsCase {
  Units units = Units::none;
  double rows = 0.0;     ///< of its vectors
  bool direct = false;   ///< products may be made without a matrix
  bool kramers = false;  ///< states are sought as Kramers pairs, two in a row of quaternions
  BackendKind backend = BackendKind::cpu;
  int threads = 1;         ///< of OpenMP
  bool integrals = false;  ///< rows are determinants of alpha and beta electrons
};

/// `settings` of the report of `cisolve info`: a list of {key, option, value, change}, the settings
/// of `cisolve eigen` that matter, as a run with this configuration would have them. `value` is
/// text; `change` is the reason to change it. Null if the states are more than the rows.
Json settings_json(const RunConfig& config, const SettingsCase& of);

/// Prints the table of settings.
void print_settings(std::ostream& out, const Json& settings);

}  // namespace cisolve
