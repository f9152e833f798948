#include "app/page/figures/level_diagram.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "app/page/figures/axis.hpp"
#include "app/page/figures/picture.hpp"
#include "app/page/markup.hpp"

namespace cisolve {
namespace {

// Pixels.
constexpr double diagram_left = 62, diagram_top = 16, diagram_bottom = 44;
constexpr double column_width = 230;
constexpr std::size_t most_columns = 4;  // beside each other; on a printed page they can be read
constexpr double line_length = 56, label_distance = 14;
constexpr double same_height = 1.0;  // levels nearer than this are one on paper

/// Levels of a column that are one on paper, with their label.
struct Rung {
  double y = 0.0;                   ///< of the line
  double label_y = 0.0;             ///< of the middle of the label
  std::vector<std::string> labels;  ///< of each level
  double height = 0.0, highest = 0.0;
  std::vector<bool> converged;  ///< of each level

  /// "2: 8.087", "2, 3: 8.087", "2, …: 8.087–8.088".
  std::string label() const {
    const auto decimals = [](double x) { return fmt::format("{:.3f}", x); };
    const std::string first = decimals(height), last = decimals(highest);
    std::string which = labels.front();
    if (labels.size() > 1 && first == last) which += ", " + labels[1];
    if (labels.size() > 2 || first != last) which += ", …";
    const bool all = std::ranges::find(converged, false) == converged.end();
    return which + ": " + first + (first == last ? "" : "–" + last) + (all ? "" : " ?");
  }
};

/// Rungs from the lowest up.
std::vector<Rung> rungs_of(std::vector<LevelDiagram::Level> levels, const Axis& axis) {
  std::ranges::stable_sort(levels, {}, &LevelDiagram::Level::height);
  std::vector<Rung> rungs;
  for (const auto& level : levels) {
    const double y = axis.at(level.height);
    if (rungs.empty() || rungs.back().y - y > same_height) {
      rungs.push_back({y, y, {level.label}, level.height, level.height, {level.converged}});
    } else {
      rungs.back().labels.push_back(level.label);
      rungs.back().highest = level.height;
      rungs.back().converged.push_back(level.converged);
    }
  }
  return rungs;
}

/// Moves labels up where they are too near to the one below, and all down again where the highest
/// left the picture. The picture has room for all.
void part_labels(std::vector<Rung>& rungs, double top) {
  for (std::size_t i = 1; i < rungs.size(); ++i) {
    rungs[i].label_y = std::min(rungs[i].y, rungs[i - 1].label_y - label_distance);
  }
  double highest = top;
  for (auto rung = rungs.rbegin(); rung != rungs.rend(); ++rung) {
    rung->label_y = std::max(rung->label_y, highest);
    highest = rung->label_y + label_distance;
  }
}

/// The class by which style.css draws levels of a colour; one more than there are begins anew.
std::string colour_class(std::size_t colour) {
  constexpr std::size_t colours = 8;
  return fmt::format("level c{}", colour % colours);
}

/// A line in each colour, and its name.
std::string colour_legend(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string items;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Picture sample(34, 12);
    sample.line(1, 6, 33, 6, {{"class", colour_class(i)}});
    items += element("li", sample.markup(names[i], "line") + xml_escaped(names[i]));
  }
  return element("ul", {{"class", "legend"}}, items) + "\n";
}

/// `kind`: the class of its lines.
void draw_rung(Picture& picture, const Rung& rung, double x, const std::string& kind) {
  const auto count = static_cast<double>(rung.converged.size());
  const double gap = count > 1 ? std::min(4.0, line_length / count / 3) : 0.0;
  const double length = (line_length - gap * (count - 1)) / count;
  for (std::size_t i = 0; i < rung.converged.size(); ++i) {
    const double begin = x + static_cast<double>(i) * (length + gap);
    picture.line(begin, rung.y, begin + length, rung.y,
                 {{"class", rung.converged[i] ? kind : kind + " open"}});
  }
  const double end = x + line_length;
  picture.line(end + 3, rung.y, end + 14, rung.label_y, {{"class", "leader"}});
  picture.text(end + 18, rung.label_y + 4, rung.label());
}

std::size_t most_in_a_column(const LevelDiagram& diagram) {
  std::vector<std::size_t> counts(diagram.columns.size());
  for (const auto& level : diagram.levels) ++counts[level.column];
  return *std::ranges::max_element(counts);
}

void draw_column(Picture& picture, const LevelDiagram& diagram, std::size_t column, double x,
                 double bottom, const Axis& axis) {
  std::vector<LevelDiagram::Level> levels;
  std::ranges::copy_if(diagram.levels, std::back_inserter(levels),
                       [&](const auto& level) { return level.column == column; });
  std::vector<Rung> rungs = rungs_of(std::move(levels), axis);
  part_labels(rungs, diagram_top);
  const std::string kind =
      diagram.colours.empty() ? "level" : colour_class(diagram.colours[column]);
  for (const Rung& rung : rungs) draw_rung(picture, rung, x, kind);
  picture.text(x + line_length / 2, bottom + 28, diagram.columns[column], "middle",
               {{"class", "column"}});
}

/// The columns from `first` to before `last`.
std::string panel(const LevelDiagram& diagram, std::size_t first, std::size_t last, double width,
                  double bottom, const Axis& axis) {
  Picture picture(width, bottom + diagram_bottom);
  for (const Axis::Tick& tick : axis.ticks()) {
    picture.line(diagram_left, tick.at, width, tick.at, {{"class", "grid"}});
    picture.text(diagram_left - 8, tick.at + 4, tick.label, "end");
  }
  const double middle = (diagram_top + bottom) / 2;
  picture.text(14, middle, diagram.quantity, "middle",
               {{"transform", fmt::format("rotate(-90 14 {:.1f})", middle)}});
  std::string names;
  for (std::size_t c = first; c < last; ++c) {
    const double x = diagram_left + 14 + column_width * static_cast<double>(c - first);
    draw_column(picture, diagram, c, x, bottom, axis);
    names += (c > first ? "; " : "") + diagram.columns[c];
  }
  return picture.markup(diagram.title, diagram.quantity + " above the lowest, of " + names);
}

}  // namespace

std::string to_markup(const LevelDiagram& diagram) {
  if (diagram.levels.empty()) return "";
  const double room = label_distance * static_cast<double>(most_in_a_column(diagram));
  const std::size_t columns = diagram.columns.size();
  const std::size_t panels = (columns + most_columns - 1) / most_columns;
  const double bottom = diagram_top + std::max(panels > 1 ? 220.0 : 330.0, room);
  double highest = 0.0;
  for (const auto& level : diagram.levels) highest = std::max(highest, level.height);
  const Axis axis = Axis::linear(0.0, highest > 0.0 ? highest : 1.0, bottom - 6, diagram_top + 6);
  const double width =
      diagram_left + column_width * static_cast<double>((columns + panels - 1) / panels);
  std::string drawn;
  for (std::size_t p = 0; p < panels; ++p) {
    drawn += panel(diagram, p * columns / panels, (p + 1) * columns / panels, width, bottom, axis);
  }
  return drawn + colour_legend(diagram.legend);
}

}  // namespace cisolve
