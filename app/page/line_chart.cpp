#include "app/page/line_chart.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/page/axis.hpp"
#include "app/page/picture.hpp"

namespace cisolve {
namespace {

constexpr double chart_width = 520, chart_height = 320;
constexpr double chart_left = 62, chart_right = 12, chart_top = 14, chart_bottom = 46;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

bool is_drawn(double y) {
  return std::isfinite(y) && y > 0.0;
}

/// The outline of a point of a series about (x, y): each series has a shape of its own.
std::string point_path(std::size_t series, double x, double y) {
  constexpr double r = 3.6;
  // Of 0 left, 1 top, 2 right, 3 bottom, 4 and 5 the middle.
  constexpr std::array<const char*, most_series> shapes{
      "M{0},{1}H{2}V{3}H{0}Z",              // square
      "M{4},{1}L{2},{3}H{0}Z",              // triangle
      "M{4},{1}L{2},{5}L{4},{3}L{0},{5}Z",  // diamond
      "M{0},{1}L{2},{3}M{0},{3}L{2},{1}",   // cross
      "M{0},{1}H{2}L{4},{3}Z",              // triangle, point down
      "M{4},{1}V{3}M{0},{5}H{2}",           // plus
      "M{0},{1}V{3}H{2}Z",                  // corner
      "M{0},{5}H{2}",                       // bar
  };
  const auto pixel = [](double p) { return fmt::format("{:.1f}", p); };
  return fmt::format(fmt::runtime(shapes[series]), pixel(x - r), pixel(y - r), pixel(x + r),
                     pixel(y + r), pixel(x), pixel(y));
}

Attributes series_class(std::size_t series, const char* kind) {
  return {{"class", fmt::format("{} s{}", kind, series)}};
}

/// Axes with their ticks, lines across at the vertical one's, and names.
void draw_frame(Picture& picture, const LineChart& chart, const Axis& x, const Axis& y) {
  const double bottom = chart_height - chart_bottom, right = chart_width - chart_right;
  for (const Axis::Tick& tick : y.ticks()) {
    picture.line(chart_left, tick.at, right, tick.at, {{"class", "grid"}});
    picture.text(chart_left - 8, tick.at + 4, tick.label, "end");
  }
  for (const Axis::Tick& tick : x.ticks()) {
    picture.line(tick.at, bottom, tick.at, bottom + 4, {{"class", "axis"}});
    picture.text(tick.at, bottom + 18, tick.label, "middle");
  }
  picture.line(chart_left, bottom, right, bottom, {{"class", "axis"}});
  picture.text((chart_left + right) / 2, chart_height - 8, chart.x_name, "middle");
  const double middle = (chart_top + bottom) / 2;
  picture.text(14, middle, chart.y_name, "middle",
               {{"transform", fmt::format("rotate(-90 14 {:.1f})", middle)}});
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

std::string legend_of(const LineChart& chart, std::size_t drawn) {
  std::string items;
  for (std::size_t i = 0; i < drawn; ++i) {
    Picture sample(34, 12);
    sample.line(1, 6, 33, 6, series_class(i, "curve"));
    sample.path(point_path(i, 17, 6), series_class(i, "point"));
    const std::string picture = sample.markup(chart.series[i].name, "line and points");
    items += element("li", picture + xml_escaped(chart.series[i].name));
  }
  if (drawn < chart.series.size()) {
    items += element("li", fmt::format("not drawn: the other {}", chart.series.size() - drawn));
  }
  return element("ul", {{"class", "legend"}}, items) + "\n";
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
  draw_frame(picture, chart, x, y);
  for (const LineChart::Mark& mark : chart.marks) {
    picture.line(chart_left, y.at(mark.y), chart_width - chart_right, y.at(mark.y),
                 {{"class", "mark"}});
    picture.text(chart_left + 4, y.at(mark.y) - 5, mark.name, "start", {{"class", "marked"}});
  }
  for (std::size_t s = 0; s < drawn; ++s) draw_series(picture, chart.series[s], s, x, y);
  const std::string description =
      fmt::format("{} against {}, from {:.1e} down to {:.1e}, of {} series", chart.y_name,
                  chart.x_name, ys.high, ys.low, drawn);
  return picture.markup(chart.title, description) + legend_of(chart, drawn);
}

}  // namespace cisolve
