#include "app/page/figures/line_chart.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace cisolve {
namespace {

bool is_drawn(double y) {
  return std::isfinite(y) && y > 0.0;
}

/// Lines between neighbouring points, and of at most some thirty of these the shapes.
void draw_series(Picture& picture, const LineChart::Series& series, std::size_t index,
                 const Axis& x, const Axis& y) {
  std::string line, points;
  bool joined_on = false;
  const std::size_t every = series.x.size() / 30 + 1;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!is_drawn(series.y[i])) {
      joined_on = false;
      continue;
    }
    const double px = x.at(series.x[i]), py = y.at(series.y[i]);
    line += fmt::format("{}{:.1f},{:.1f}", joined_on ? "L" : "M", px, py);
    if (i % every == 0 || i + 1 == series.x.size()) points += point_path(index, px, py);
    joined_on = true;
  }
  if (line.empty()) return;
  picture.path(line, series_class(index, "curve"));
  picture.path(points, series_class(index, "point"));
}

}  // namespace

std::string to_markup(const LineChart& chart) {
  const std::size_t drawn = std::min(chart.series.size(), most_series);
  Range xs, ys;
  for (std::size_t s = 0; s < drawn; ++s) {
    for (std::size_t i = 0; i < chart.series[s].x.size(); ++i) {
      if (!is_drawn(chart.series[s].y[i])) continue;
      xs.add(chart.series[s].x[i]);
      ys.add(chart.series[s].y[i]);
    }
  }
  if (ys.empty()) return "";
  for (const LineChart::Mark& mark : chart.marks) ys.add(mark.y);
  const double first = std::min(xs.low, 0.0);
  const Axis x = Axis::counting(first, std::max(xs.high, first + 1.0), chart_left,
                                chart_width - chart_right - 6);
  const Axis y = Axis::logarithmic(ys.low, ys.high, chart_height - chart_bottom, chart_top);

  Picture picture(chart_width, chart_height);
  draw_frame(picture, chart.x_name, chart.y_name, x, y);
  for (const LineChart::Mark& mark : chart.marks) {
    picture.line(chart_left, y.at(mark.y), chart_width - chart_right, y.at(mark.y),
                 {{"class", "mark"}});
    constexpr double letters = 14;  // high; a mark at the top has its name below
    const double above = y.at(mark.y) - 5;
    picture.text(chart_left + 4, above > letters ? above : y.at(mark.y) + letters, mark.name,
                 "start", {{"class", "marked"}});
  }
  for (std::size_t s = 0; s < drawn; ++s) draw_series(picture, chart.series[s], s, x, y);
  const std::string description =
      fmt::format("{} against {}, from {:.1e} down to {:.1e}, of {} series", chart.y_name,
                  chart.x_name, ys.high, ys.low, drawn);
  std::vector<std::string> names;
  for (const LineChart::Series& series : chart.series) names.push_back(series.name);
  return picture.markup(chart.title, description) + legend(names);
}

}  // namespace cisolve
