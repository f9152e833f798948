// The chart as an XML document: tags that balance, bars as asked, text escaped.
#include "app/bench/bar_chart.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace cisolve {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What is wrong with the document as XML; empty when its tags balance, attributes are quoted, and
/// text holds no markup but entities.
std::string xml_problem(const std::string& text) {
  static const std::regex tag(R"(<(/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<&]*")*)(/?)>)");
  static const std::regex words(R"((?:[^<>&]|&(?:amp|lt|gt|quot);)*)");
  std::vector<std::string> open;
  auto at = text.cbegin();
  while (at != text.cend()) {
    const auto next = std::find(at, text.cend(), '<');
    if (!std::regex_match(at, next, words)) return "text: " + std::string(at, next);
    if (next == text.cend()) break;
    std::smatch match;
    if (!std::regex_search(next, text.cend(), match, tag, std::regex_constants::match_continuous)) {
      return "no tag: " + std::string(next, std::min(next + 60, text.cend()));
    }
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) return "closed unopened: " + match[0].str();
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
    at = match[0].second;
  }
  return open.empty() ? "" : "left open: " + open.back();
}

BarChart small_chart() {
  return {"A & B: 3 rows",
          "GFLOPS",
          {"k = 1", "k = 4"},
          {{"cpu: 2 threads", {{"csr", {1.25, 2.5}}, {"dia", {std::nullopt, std::nullopt}}}},
           {"cuda: <device>", {{"csr", {500.0, 1250.0}}}}}};
}

TEST(BarChart, IsWellFormedWithABarAndAValueForEveryNumber) {
  const std::string svg = to_svg(small_chart());
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(count(svg, "class=\"bar\""), 4u);
  for (const char* value : {">1.25<", ">2.5<", ">500<", ">1250<"}) {
    EXPECT_GE(count(svg, value), 1u) << value;
  }
  EXPECT_EQ(count(svg, ">—<"), 2u);
  EXPECT_EQ(count(svg, ">GFLOPS<"), 2u) << "an axis for each panel";
  EXPECT_EQ(count(svg, ">k = 4<"), 1u);
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
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_GE(count(svg, ">a&lt;b&gt;&amp;&quot;c&quot;?\xEF\xBF\xBD<"), 1u);
  EXPECT_EQ(count(svg, ">&lt;/text&gt;<"), 1u);
}

TEST(BarChart, OfNothingMeasuredIsWellFormed) {
  BarChart chart = small_chart();
  chart.panels = {{"cpu", {{"dia", {std::nullopt, 0.0}}}}, {"empty", {}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
