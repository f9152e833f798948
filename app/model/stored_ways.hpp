#pragma once

#include <vector>

#include "app/ways/stored/host_way.hpp"

// The choice of a format is a folder that can be left out.
#if __has_include("app/choice/chosen_way.hpp")
#include "app/choice/chosen_way.hpp"
#else
#include "core/error.hpp"
namespace cisolve {
inline void check_choice(const RunConfig& config, BackendKind) {
  if (config.spmv.network.empty()) return;
  throw InputError("spmv.network: this build was made without the choice of a format");
}
inline Json format_ranking(const RunConfig&, const CsrMatrix&, bool, BackendKind) {
  return nullptr;
}
}  // namespace cisolve
#endif

namespace cisolve {

/// The ways by CSR on the host, which come last of all: chosen while solving, or as configured.
inline std::vector<Way> with_stored_ways(std::vector<Way> ways, Elements& elements,
                                         const Determinants* determinants) {
#if __has_include("app/choice/chosen_way.hpp")
  ways.push_back(chosen_way(elements, determinants));
#endif
  ways.push_back(host_way(elements, determinants));
  return ways;
}

}  // namespace cisolve
