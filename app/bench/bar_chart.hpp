#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cisolve {

/// Bars under one heading, with an axis of their own.
struct BarPanel {
  struct Group {
    std::string label;
    std::vector<std::optional<double>> values;  ///< ≥ 0, by series; an absent one is drawn as "—"
  };
  std::string title;
  std::vector<Group> groups;
};

/// A chart of horizontal bars, one colour for each series.
struct BarChart {
  std::string title;
  std::string quantity;             ///< what the axes measure: "GFLOPS"
  std::vector<std::string> series;  ///< names for the legend
  std::vector<BarPanel> panels;     ///< one below the other
};

/// The chart as an SVG document. Every bar is a <rect class="bar"> with its value beside it; text
/// is escaped, and what is no text in XML replaced.
std::string to_svg(const BarChart& chart);

}  // namespace cisolve
