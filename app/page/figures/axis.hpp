#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Three significant digits, without an exponent if that is easier to read.
std::string short_number(double value);

/// Distance of about five ticks over `range` > 0: 1, 2 or 5 times a power of ten.
double tick_step(double range);

/// A map from values to pixels, linear or logarithmic.
class Axis {
 public:
  /// A linear axis with `low` < `high` at the pixels `from` and `to`. Throws std::invalid_argument
  /// if the values are not finite or not ascending.
  static Axis linear(double low, double high, double from, double to);
  /// A linear axis with ticks only at whole numbers.
  static Axis counting(double low, double high, double from, double to);
  /// A logarithmic axis, 0 < `low`, widened to whole powers of ten.
  static Axis logarithmic(double low, double high, double from, double to);

  double at(double value) const;
  struct Tick {
    double at;
    std::string label;
  };
  /// Ticks within the range.
  std::vector<Tick> ticks() const;

 private:
  enum class Kind { linear, counting, logarithmic };
  Axis(Kind kind, double low, double high, double from, double to);

  Kind kind_;
  double low_, high_;  ///< exponents if logarithmic
  double from_, to_;
};

}  // namespace cisolve
