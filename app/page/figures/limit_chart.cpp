#include "app/page/figures/limit_chart.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "app/page/figures/chart_parts.hpp"

namespace cisolve {
namespace {

constexpr double bar_foot = 4;  ///< half the length of the lines that end a bar

void draw(Picture& picture, const LimitChart::Series& series, std::size_t index, const Axis& x,
          const Axis& y) {
  std::string points;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    points += point_path(index, x.at(series.x[i]), y.at(series.y[i]));
  }
  if (series.line && !series.x.empty()) {
    const auto& [limit, slope, uncertainty] = *series.line;
    const double first = std::ranges::min(series.x), zero = x.at(0.0);
    picture.line(x.at(first), y.at(limit + slope * first), zero, y.at(limit),
                 series_class(index, "curve"));
    const double low = y.at(limit - uncertainty), high = y.at(limit + uncertainty);
    points +=
        fmt::format("M{0:.1f},{1:.1f}V{2:.1f}M{3:.1f},{1:.1f}H{4:.1f}M{3:.1f},{2:.1f}H{4:.1f}",
                    zero, low, high, zero - bar_foot, zero + bar_foot);
  }
  picture.path(points, series_class(index, "point"));
}

}  // namespace

std::string to_markup(const LimitChart& chart) {
  const std::size_t drawn = std::min(chart.series.size(), most_series);
  Range xs, ys;
  for (std::size_t s = 0; s < drawn; ++s) {
    const LimitChart::Series& series = chart.series[s];
    for (const double x : series.x) xs.add(x);
    for (const double y : series.y) ys.add(y);
    if (!series.line || series.x.empty()) continue;
    ys.add(series.line->limit - series.line->uncertainty);
    ys.add(series.line->limit + series.line->uncertainty);
    ys.add(series.line->limit + series.line->slope * std::ranges::min(series.x));
  }
  if (xs.empty() || !(xs.low < 0.0)) return "";
  const double room = ys.high > ys.low ? 0.05 * (ys.high - ys.low) : 1.0;
  const Axis x =
      Axis::linear(1.05 * xs.low, 0.0, chart_left, chart_width - chart_right - bar_foot - 2);
  const Axis y =
      Axis::linear(ys.low - room, ys.high + room, chart_height - chart_bottom, chart_top);
  Picture picture(chart_width, chart_height);
  draw_frame(picture, chart.x_name, chart.y_name, x, y);
  picture.line(x.at(0.0), chart_top, x.at(0.0), chart_height - chart_bottom, {{"class", "mark"}});
  std::vector<std::string> names;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (s < drawn) draw(picture, chart.series[s], s, x, y);
    names.push_back(chart.series[s].name);
  }
  const std::string description = fmt::format("{} against {}, from {:.3g} to zero, of {} series",
                                              chart.y_name, chart.x_name, xs.low, drawn);
  return picture.markup(chart.title, description) + legend(names);
}

}  // namespace cisolve
