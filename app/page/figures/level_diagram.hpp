#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Energies above the lowest as lines, one column for each kind of state.
struct LevelDiagram {
  struct Level {
    std::string label;       ///< which state it is: "3"
    double height = 0.0;     ///< in `unit`, finite
    std::size_t column = 0;  ///< an index into `columns`
    bool converged = true;   ///< otherwise the line is dashed
  };
  std::string title;
  std::string quantity;  ///< what the axis measures: "excitation / eV"
  std::vector<std::string> columns;
  std::vector<Level> levels;
  /// An index into `legend` for each column; empty: one colour for all, and no legend.
  std::vector<std::size_t> colours = {};
  std::vector<std::string> legend = {};
};

/// The diagram as one <svg> or, of more than four columns, several below each other with the same
/// axis; empty without levels. Levels of a column that cannot be told apart are drawn side by side
/// under one label; labels keep their distance, with a line to their level. After eight colours the
/// first ones come again.
std::string to_markup(const LevelDiagram& diagram);

}  // namespace cisolve
