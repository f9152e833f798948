#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Three significant digits, without an exponent where people read it more easily so.
std::string short_number(double value);

/// Distance of about five ticks over `range` > 0: 1, 2 or 5 times a power of ten.
double tick_step(double range);

/// Values laid along pixels, linearly or by their logarithm.
class Axis {
 public:
  /// `low` < `high` are at the pixels `from` and `to`. Throws std::invalid_argument on others, and
  /// on values that are not finite.
  static Axis linear(double low, double high, double from, double to);
  /// The same with ticks at whole numbers alone.
  static Axis counting(double low, double high, double from, double to);
  /// The same of 0 < `low`, widened to whole powers of ten.
  static Axis logarithmic(double low, double high, double from, double to);

  double at(double value) const;
  struct Tick {
    double at;
    std::string label;
  };
  /// Those within the range.
  std::vector<Tick> ticks() const;

 private:
  enum class Kind { linear, counting, logarithmic };
  Axis(Kind kind, double low, double high, double from, double to);

  Kind kind_;
  double low_, high_;  ///< of a logarithmic one, exponents
  double from_, to_;
};

}  // namespace cisolve
