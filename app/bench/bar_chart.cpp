#include "app/bench/bar_chart.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "app/page/figures/axis.hpp"
#include "app/page/markup.hpp"

namespace cisolve {
namespace {

// Okabe and Ito's colours, told apart by the colour-blind too.
constexpr std::array colours{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                             "#56B4E9", "#D55E00", "#000000", "#999999"};

// Pixels.
constexpr double bar_height = 13, bar_gap = 1, group_gap = 9;
constexpr double axis_length = 560, character = 7.2, margin = 16;
constexpr double value_room = 80;  // right of the longest bar
constexpr double line_height = 22, panel_title = 34, axis_height = 44;

const char* colour(std::size_t series) {
  return colours[series % colours.size()];
}

/// About as wide as it is drawn.
double width_of(const std::string& text) {
  const auto characters = std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(characters) * character;
}

double largest_value(const BarPanel& panel) {
  double largest = 0.0;
  for (const auto& group : panel.groups) {
    for (const auto& value : group.values) largest = std::max(largest, value.value_or(0.0));
  }
  return largest;
}

/// Draws from the top down, remembering how far it has come.
class Drawing {
 public:
  explicit Drawing(const BarChart& chart) : chart_(chart) {
    double label = 0.0;
    for (const BarPanel& panel : chart.panels) {
      for (const auto& group : panel.groups) label = std::max(label, width_of(group.label));
    }
    left_ = margin + label + 8;
    width_ = left_ + axis_length + value_room;
    heading(chart.title, 17);
    legend();
    for (const BarPanel& panel : chart.panels) draw(panel);
  }

  std::string document() const {
    const double width = std::max(width_, 2 * margin + 1.4 * width_of(chart_.title));
    const double height = y_ + margin;
    return fmt::format(
               "<svg role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
               "<title>{2}</title>\n"
               "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
               width, height, xml_escaped(chart_.title)) +
           body_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const std::string& words, const char* attributes = "") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, attributes,
                         xml_escaped(words));
  }

  void heading(const std::string& words, int size) {
    y_ += size + 6;
    text(margin, y_, words, fmt::format(" font-size=\"{}\" font-weight=\"bold\"", size).c_str());
    y_ += 6;
  }

  void legend() {
    double x = margin;
    y_ += line_height;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      body_ +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                      x, y_ - 11, colour(s));
      text(x + 17, y_, chart_.series[s]);
      x += 17 + width_of(chart_.series[s]) + 18;
    }
    width_ = std::max(width_, x);
  }

  void draw(const BarPanel& panel) {
    y_ += panel_title - line_height;
    heading(panel.title, 13);
    const double largest = largest_value(panel);
    const double scale = largest > 0.0 ? axis_length / largest : 0.0;
    const double top = y_;
    y_ += group_gap;
    for (const auto& group : panel.groups) draw(group, scale);
    axis(top, largest, scale);
  }

  void draw(const BarPanel::Group& group, double scale) {
    const double pitch = bar_height + bar_gap;
    const double middle = y_ + pitch * static_cast<double>(group.values.size()) / 2 + 4;
    text(left_ - 8, middle, group.label, " text-anchor=\"end\"");
    for (std::size_t s = 0; s < group.values.size(); ++s, y_ += pitch) {
      const auto& value = group.values[s];
      const double length = value.value_or(0.0) * scale;
      if (value) {
        body_ += fmt::format(
            "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
            "fill=\"{}\"/>\n",
            left_, y_, length, bar_height, colour(s));
      }
      text(left_ + length + 5, y_ + bar_height - 3, value ? short_number(*value) : "—",
           " font-size=\"10\"");
    }
    y_ += group_gap;
  }

  /// The baseline from `top` to here, ticks below it, and what is measured.
  void axis(double top, double largest, double scale) {
    line(left_, top, left_, y_);
    line(left_, y_, left_ + axis_length, y_);
    const double step = largest > 0.0 ? tick_step(largest) : 1.0;
    for (int tick = 0; tick * step <= largest * (1 + 1e-9); ++tick) {
      const double x = left_ + tick * step * scale;
      line(x, y_, x, y_ + 5);
      text(x, y_ + 18, short_number(tick * step), " text-anchor=\"middle\"");
    }
    text(left_ + axis_length / 2, y_ + 34, chart_.quantity, " text-anchor=\"middle\"");
    y_ += axis_height;
  }

  void line(double x1, double y1, double x2, double y2) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"black\"/>\n", x1,
        y1, x2, y2);
  }

  const BarChart& chart_;
  std::string body_;
  double left_ = 0.0;  ///< where the bars begin
  double width_ = 0.0;
  double y_ = 8.0;
};

}  // namespace

std::string to_svg(const BarChart& chart) {
  return Drawing(chart).document();
}

}  // namespace cisolve
