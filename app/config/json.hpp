#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace cisolve {

/// Keys in the order in which they are set.
using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(const std::vector<double>& values) {
  return values.empty() ? Json(nullptr) : Json(values);
}

}  // namespace cisolve
