#pragma once

#include <optional>
#include <string>

#include "app/config/json.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// Label of a part of a run: the property that its states have in common.
struct PartLabel {
  std::optional<int> irrep;
  std::string irrep_name;
  std::optional<int> multiplicity;
  int ms2 = 0;  ///< 2 M_s of the space in which the multiplicity is sought

  /// "irrep A1", "triplets", "irrep A1, triplets".
  std::string name() const;
  /// A name for files: "A1", "triplet", "A1.triplet".
  std::string in_file_name() const;
};

/// Result of a part.
struct PartReport {
  PartLabel part;
  EigenOutcome outcome;
  Json report;  ///< eigen_json
};

}  // namespace cisolve
