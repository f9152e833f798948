#pragma once

#include <string>
#include <vector>

#include "app/page/figures/chart_parts.hpp"

namespace cisolve {

/// Quantities that fall by orders of magnitude, against a number that counts.
struct LineChart {
  struct Series {
    std::string name;
    std::vector<double> x, y;  ///< of a y ≤ 0 or not finite there is no point
  };
  struct Mark {
    std::string name;
    double y = 0.0;  ///< > 0
  };
  std::string title;
  std::string x_name, y_name;
  std::vector<Series> series;  ///< told apart by hue, dashes and the shape of their points
  std::vector<Mark> marks;     ///< levels drawn across
};

/// The chart with a logarithmic axis as an <svg> and the legend below it; empty where there is no
/// point. At most `most_series` series are drawn, the first ones.
std::string to_markup(const LineChart& chart);

}  // namespace cisolve
