#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "app/page/figures/axis.hpp"
#include "app/page/figures/picture.hpp"
#include "app/page/markup.hpp"

namespace cisolve {

// Size and margins of charts with an axis on each side, in pixels.
inline constexpr double chart_width = 520, chart_height = 320;
inline constexpr double chart_left = 74, chart_right = 12, chart_top = 14, chart_bottom = 46;

/// Series that can be told apart, by hue, dashes and the shape of their points.
inline constexpr std::size_t most_series = 8;

/// Least and largest of some values.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value);
  bool empty() const { return low > high; }
};

/// Axes with their ticks, lines across at the vertical one's, and names.
void draw_frame(Picture& picture, const std::string& x_name, const std::string& y_name,
                const Axis& x, const Axis& y);
/// The outline of a point of a series about (x, y): each series has a shape of its own.
std::string point_path(std::size_t series, double x, double y);
/// `kind`: curve or point.
Attributes series_class(std::size_t series, const char* kind);
/// Line, point and name of the first `most_series`, and how many others there are.
std::string legend(const std::vector<std::string>& names);

}  // namespace cisolve
