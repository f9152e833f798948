#include "app/page/figures/axis.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cisolve {

std::string short_number(double value) {
  return value >= 1000.0 && value < 1e6 ? fmt::format("{:.0f}", value)
                                        : fmt::format("{:.3g}", value);
}

double tick_step(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range / 5.0)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (5.0 * factor * power >= range) return factor * power;
  }
  return 10.0 * power;
}

Axis Axis::linear(double low, double high, double from, double to) {
  return {Kind::linear, low, high, from, to};
}

Axis Axis::counting(double low, double high, double from, double to) {
  return {Kind::counting, low, high, from, to};
}

Axis Axis::logarithmic(double low, double high, double from, double to) {
  const double first = std::floor(std::log10(low));
  return {Kind::logarithmic, first, std::max(std::ceil(std::log10(high)), first + 1.0), from, to};
}

Axis::Axis(Kind kind, double low, double high, double from, double to)
    : kind_(kind), low_(low), high_(high), from_(from), to_(to) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
    throw std::invalid_argument("an axis needs a range of finite numbers");
  }
}

double Axis::at(double value) const {
  const double x = kind_ == Kind::logarithmic ? std::log10(value) : value;
  return from_ + (std::clamp(x, low_, high_) - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<Axis::Tick> Axis::ticks() const {
  std::vector<Tick> list;
  const double room = 1e-9 * (high_ - low_);
  const double step = std::max(tick_step(high_ - low_), kind_ == Kind::linear ? 0.0 : 1.0);
  for (double n = std::ceil((low_ - room) / step); n * step <= high_ + room; ++n) {
    const double value = n * step + 0.0;  // no −0
    list.push_back(kind_ == Kind::logarithmic
                       ? Tick{at(std::pow(10.0, value)), fmt::format("1e{:.0f}", value)}
                       : Tick{at(value), short_number(value)});
  }
  return list;
}

}  // namespace cisolve
