#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cisolve {

/// Quantities against another one that goes to zero, and lines to where they are then.
struct LimitChart {
  struct Line {
    double limit = 0.0, slope = 0.0;
    double uncertainty = 0.0;  ///< of the limit
  };
  struct Series {
    std::string name;
    std::vector<double> x, y;  ///< x ≤ 0
    std::optional<Line> line;
  };
  std::string title;
  std::string x_name, y_name;
  std::vector<Series> series;
};

/// The chart as an <svg>, x up to zero at its right side, where every line ends in a bar of its
/// uncertainty, and the legend below it; empty where all x are zero. At most `most_series` series
/// are drawn, the first ones.
std::string to_markup(const LimitChart& chart);

}  // namespace cisolve
