#include "app/page/figures/chart_parts.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

namespace cisolve {

void Range::add(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void draw_frame(Picture& picture, const std::string& x_name, const std::string& y_name,
                const Axis& x, const Axis& y) {
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
  picture.text((chart_left + right) / 2, chart_height - 8, x_name, "middle");
  const double middle = (chart_top + bottom) / 2;
  picture.text(14, middle, y_name, "middle",
               {{"transform", fmt::format("rotate(-90 14 {:.1f})", middle)}});
}

std::string point_path(std::size_t series, double x, double y) {
  constexpr double r = 3.6;
  // Paths over the square around the point: 0 left, 1 top, 2 right, 3 bottom, 4 and 5 the middle.
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

std::string legend(const std::vector<std::string>& names) {
  const std::size_t drawn = std::min(names.size(), most_series);
  std::string items;
  for (std::size_t i = 0; i < drawn; ++i) {
    Picture sample(34, 12);
    sample.line(1, 6, 33, 6, series_class(i, "curve"));
    sample.path(point_path(i, 17, 6), series_class(i, "point"));
    const std::string picture = sample.markup(names[i], "line and points");
    items += element("li", picture + xml_escaped(names[i]));
  }
  if (drawn < names.size()) {
    items += element("li", fmt::format("not drawn: the other {}", names.size() - drawn));
  }
  return element("ul", {{"class", "legend"}}, items) + "\n";
}

}  // namespace cisolve
