#pragma once

#include <string>

#include "app/config/json.hpp"

namespace cisolve {

/// The format that `spmv.format: auto` came to, and how.
struct FormatReport {
  std::string format, reason;
  /// For the report: the two above, and of a search among formats what it measured.
  Json json;
};

/// A format that was settled on without a search, which is expected to have made so many products.
FormatReport settled_on(const std::string& format, const std::string& reason,
                        int expected_products);

}  // namespace cisolve
