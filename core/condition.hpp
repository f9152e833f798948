#pragma once

#include <functional>
#include <optional>
#include <string>

namespace cisolve {

/// Condition on a setting, and its words for people; empty words: any value.
template <class T>
struct Condition {
  std::string words = {};
  std::function<bool(const T&)> holds = [](const T&) { return true; };
};
template <class T>
Condition<T> at_least(T bound) {
  return {"at least " + std::to_string(bound), [bound](const T& x) { return x >= bound; }};
}
template <class T>
Condition<T> between(T low, T high) {
  return {std::to_string(low) + " to " + std::to_string(high),
          [=](const T& x) { return low <= x && x <= high; }};
}
inline Condition<double> above_zero() {
  return {"above 0", [](const double& x) { return x > 0.0; }};
}
inline Condition<std::optional<double>> above_zero_if_given() {
  return {"above 0", [](const std::optional<double>& x) { return !x || *x > 0.0; }};
}
inline Condition<double> zero_or_more() {
  return {"0 or more", [](const double& x) { return x >= 0.0; }};
}
inline Condition<std::optional<int>> positive_if_given() {
  return {"at least 1", [](const std::optional<int>& x) { return !x || *x >= 1; }};
}
inline Condition<std::optional<int>> zero_or_more_if_given() {
  return {"at least 0", [](const std::optional<int>& x) { return !x || *x >= 0; }};
}

}  // namespace cisolve
