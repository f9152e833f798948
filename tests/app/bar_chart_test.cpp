// The chart as an XML document: tags that balance, bars as asked, text escaped.
#include "app/bench/bar_chart.hpp"

#include <gtest/gtest.h>

#include "tests/support/markup.hpp"

namespace cisolve {
namespace {

BarChart small_chart() {
  return {"A & B: 3 rows",
          "GFLOPS",
          {"k = 1", "k = 4"},
          {{"cpu: 2 threads", {{"csr", {1.25, 2.5}}, {"dia", {std::nullopt, std::nullopt}}}},
           {"cuda: <device>", {{"csr", {500.0, 1250.0}}}}}};
}

TEST(BarChart, IsWellFormedWithABarAndAValueForEveryNumber) {
  const std::string svg = to_svg(small_chart());
  EXPECT_EQ(markup_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"bar\""), 4u);
  for (const char* value : {">1.25<", ">2.5<", ">500<", ">1250<"}) {
    EXPECT_GE(occurrences(svg, value), 1u) << value;
  }
  EXPECT_EQ(occurrences(svg, ">—<"), 2u);
  EXPECT_EQ(occurrences(svg, ">GFLOPS<"), 2u) << "an axis for each panel";
  EXPECT_EQ(occurrences(svg, ">k = 4<"), 1u);
}

TEST(BarChart, BarsAreProportionalWithinAPanel) {
  const std::string svg = to_svg(small_chart());
  static const std::regex bar("class=\"bar\"[^>]* width=\"([0-9.]+)\"");
  std::vector<double> widths;
  for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at) {
    widths.push_back(std::stod((*at)[1]));
  }
  ASSERT_EQ(widths.size(), 4u);
  EXPECT_NEAR(widths[1], 2.0 * widths[0], 0.02);
  EXPECT_NEAR(widths[3], 2.5 * widths[2], 0.03);
  EXPECT_NEAR(widths[1], widths[3], 0.01) << "the longest of each panel fills its axis";
}

TEST(BarChart, EscapesText) {
  BarChart chart = small_chart();
  chart.title = "a<b>&\"c\"\x01\xff";
  chart.panels[0].groups[0].label = "</text>";
  const std::string svg = to_svg(chart);
  EXPECT_EQ(markup_problem(svg), "");
  EXPECT_GE(occurrences(svg, ">a&lt;b&gt;&amp;&quot;c&quot;?\xEF\xBF\xBD<"), 1u);
  EXPECT_EQ(occurrences(svg, ">&lt;/text&gt;<"), 1u);
}

TEST(BarChart, OfNothingMeasuredIsWellFormed) {
  BarChart chart = small_chart();
  chart.panels = {{"cpu", {{"dia", {std::nullopt, 0.0}}}}, {"empty", {}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(markup_problem(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
