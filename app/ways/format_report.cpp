#include "app/ways/format_report.hpp"

namespace cisolve {

FormatReport settled_on(const std::string& format, const std::string& reason,
                        int expected_products) {
  return {format,
          reason,
          {{"format", format},
           {"reason", reason},
           {"from_cache", false},
           {"block", 0},
           {"expected_products", expected_products},
           {"products", 0},
           {"csr_seconds", 0.0},
           {"csr_conversion_seconds", 0.0},
           {"features_seconds", 0.0},
           {"cost_seconds", 0.0},
           {"candidates", Json::array()}}};
}

}  // namespace cisolve
