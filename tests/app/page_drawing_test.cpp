// Parts of a page's drawings: colours, diagrams, charts and their axes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "app/page/figures/axis.hpp"
#include "app/page/figures/level_diagram.hpp"
#include "app/page/figures/limit_chart.hpp"
#include "app/page/figures/line_chart.hpp"
#include "app/page/style.hpp"
#include "tests/support/markup.hpp"

namespace cisolve {
namespace {

/// Relative luminance of "#rgb" or "#rrggbb" (WCAG 2).
double luminance(std::string colour) {
  if (colour.size() == 4) {
    colour = {'#', colour[1], colour[1], colour[2], colour[2], colour[3], colour[3]};
  }
  const double weights[] = {0.2126, 0.7152, 0.0722};
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double c = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const std::string& one, const std::string& other) {
  const auto [low, high] = std::minmax(luminance(one), luminance(other));
  return (high + 0.05) / (low + 0.05);
}

TEST(PageStyle, TextAndLinesStandOutFromTheGroundInLightDarkAndPrint) {
  const std::string style = page_style;
  static const std::regex block(R"re(:root \{([^}]*)\})re");
  static const std::regex variable(R"re(--([a-z0-9]+): (#[0-9a-f]+))re");
  int blocks = 0;
  for (std::sregex_iterator root(style.begin(), style.end(), block), end; root != end; ++root) {
    ++blocks;
    const std::string body = (*root)[1];
    std::map<std::string, std::string> colours;
    for (std::sregex_iterator at(body.begin(), body.end(), variable); at != end; ++at) {
      colours[(*at)[1]] = (*at)[2];
    }
    for (const char* text : {"text", "quiet", "accent"}) {
      EXPECT_GE(contrast(colours.at("ground"), colours.at(text)), 4.5) << blocks << text;
      EXPECT_GE(contrast(colours.at("card"), colours.at(text)), 4.5) << blocks << text;
    }
    for (std::size_t s = 0; s < most_series; ++s) {
      const std::string name = "s" + std::to_string(s);
      EXPECT_GE(contrast(colours.at("ground"), colours.at(name)), 3.0) << blocks << name;
    }
  }
  EXPECT_EQ(blocks, 3);
}

TEST(LevelDiagramMarkup, LevelsThatAreOneOnPaperShareALabelAndOthersKeepTheirDistance) {
  const LevelDiagram diagram{
      "t",
      "q",
      {"a"},
      {{"1", 0.0, 0}, {"2", 5.0, 0}, {"3", 5.0, 0}, {"4", 5.1, 0}, {"5", 10.0, 0}}};
  const std::string svg = to_markup(diagram);
  EXPECT_EQ(occurrences(svg, "2, 3: 5.000"), 1u);
  EXPECT_EQ(occurrences(svg, "class=\"level\""), 5u);
  static const std::regex label(R"re(y="([0-9.]+)" text-anchor="start">[0-9])re");
  std::vector<double> heights;
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at) {
    heights.push_back(std::stod((*at)[1]));
  }
  ASSERT_EQ(heights.size(), 4u);
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i - 1] - heights[i], 13.9);
}

TEST(LevelDiagramMarkup, ALabelOfLevelsThatDifferHasBothEnds) {
  const LevelDiagram diagram{
      "t", "q", {"a"}, {{"1", 0.0, 0}, {"2", 8.087, 0}, {"3", 8.0877, 0}, {"4", 30.0, 0}}};
  EXPECT_EQ(occurrences(to_markup(diagram), ">2, …: 8.087–8.088<"), 1u);
}

TEST(LevelDiagramMarkup, ManyColumnsAreSeveralPicturesOfOneScale) {
  LevelDiagram diagram{"t", "q", {"a", "b", "c", "d", "e"}, {}};
  for (std::size_t c = 0; c < 5; ++c) {
    diagram.levels.push_back({std::to_string(c + 1), static_cast<double>(c), c});
  }
  const std::string svg = to_markup(diagram);
  static const std::regex frame(R"re(viewBox="([0-9 ]+)")re");
  std::vector<std::string> frames;
  for (std::sregex_iterator at(svg.begin(), svg.end(), frame), end; at != end; ++at) {
    frames.push_back((*at)[1]);
  }
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0], frames[1]);
  for (const char* column : {"a", "b", "c", "d", "e"}) {
    EXPECT_EQ(occurrences(svg, std::string(">") + column + "<"), 1u) << column;
  }
  EXPECT_EQ(occurrences(svg, ">4<"), 2u) << "the axis, of both";
}

TEST(LevelDiagramMarkup, LevelsHaveTheColourOfTheirColumnAndTheLegendNamesIt) {
  LevelDiagram diagram{"t", "q", {"a", "b", "c"}, {{"1", 0.0, 0}, {"2", 1.0, 1}, {"3", 2.0, 2}}};
  diagram.colours = {0, 1, 1};
  diagram.legend = {"singlet", "triplet"};
  const std::string svg = to_markup(diagram);
  EXPECT_EQ(occurrences(svg, "class=\"level c0\""), 2u);
  EXPECT_EQ(occurrences(svg, "class=\"level c1\""), 3u);
  EXPECT_EQ(occurrences(svg, "triplet</li>"), 1u);
}

TEST(LineChartMarkup, DrawsWhatHasALogarithmAndSaysWhatItLeavesOut) {
  LineChart chart{"t", "x", "y", {{"one", {0, 1, 2}, {1.0, 0.0, 1e-6}}}, {}};
  EXPECT_EQ(occurrences(to_markup(chart), "class=\"curve s0\""), 2u);
  chart.series[0].y = {0.0, -1.0, std::nan("")};
  EXPECT_EQ(to_markup(chart), "");
  chart.series.assign(11, {"many", {1}, {1.0}});
  EXPECT_EQ(occurrences(to_markup(chart), "not drawn: the other 3"), 1u);
}

TEST(LimitChartMarkup, LinesEndAtZeroInBarsAndLabelsKeepTheirDistance) {
  // y from 0 to 20 and the bar below zero; at x = −20 and at zero.
  LimitChart chart{"t", "x", "y", {{"one", {-20, -10}, {20, 10}, LimitChart::Line{0, -1, 5}}}};
  const std::string svg = to_markup(chart);
  static const std::regex line(
      R"re(x1="([0-9.]+)" y1="([0-9.]+)" x2="([0-9.]+)" y2="([0-9.]+)" class="curve s0")re");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(svg, found, line));
  const double x1 = std::stod(found[1]), y1 = std::stod(found[2]), x2 = std::stod(found[3]),
               y2 = std::stod(found[4]);
  EXPECT_LT(x1, x2);
  EXPECT_LT(y1, y2) << "it falls";
  static const std::regex bar(R"re(M([0-9.]+),([0-9.]+)V([0-9.]+)M)re");
  ASSERT_TRUE(std::regex_search(svg, found, bar));
  EXPECT_NEAR(std::stod(found[1]), x2, 0.11);
  EXPECT_NEAR(0.5 * (std::stod(found[2]) + std::stod(found[3])), y2, 0.11);
  EXPECT_NEAR(std::stod(found[2]) - std::stod(found[3]), (y2 - y1) * 10.0 / 20.0, 0.21);

  static const std::regex label(R"re(x="([0-9.]+)" y="292.0" text-anchor="middle">([-0-9.e]+)<)re");
  double end = 0.0;
  int labels = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), last; at != last; ++at, ++labels) {
    const double half = 3.5 * static_cast<double>((*at)[2].length());
    EXPECT_GT(std::stod((*at)[1]) - half, end);
    end = std::stod((*at)[1]) + half;
  }
  EXPECT_GE(labels, 3);
  EXPECT_LE(end, 520.0);
  chart.series[0].x = {0, 0};
  EXPECT_EQ(to_markup(chart), "");
}

TEST(Axis, TicksAreRoundNumbersWithinTheRange) {
  const auto labels = [](const Axis& axis) {
    std::string text;
    for (const Axis::Tick& tick : axis.ticks()) text += tick.label + " ";
    return text;
  };
  EXPECT_EQ(labels(Axis::linear(0.0, 12.1, 100, 0)), "0 5 10 ");
  EXPECT_EQ(labels(Axis::counting(0.0, 2.0, 0, 100)), "0 1 2 ");
  EXPECT_EQ(labels(Axis::logarithmic(2e-5, 0.5, 100, 0)), "1e-5 1e-4 1e-3 1e-2 1e-1 1e0 ");
  const Axis axis = Axis::linear(0.0, 10.0, 100, 0);
  EXPECT_DOUBLE_EQ(axis.at(2.5), 75.0);
  EXPECT_THROW(Axis::linear(0.0, std::nan(""), 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace cisolve
