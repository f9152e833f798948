#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/config/json.hpp"

// Parts of pages. Arguments named markup are markup; all others are text and are escaped.

namespace cisolve {

/// Mark near the beginning of every page, by which files are recognised as pages of this program.
inline constexpr char page_generator[] = "<meta name=\"generator\" content=\"cisolve\"/>";

/// A whole document.
std::string document(const std::string& title, const std::string& body_markup);

/// A heading and the markup below it; empty if there is none.
std::string section(const std::string& heading, const std::string& markup);

/// A list of terms and their descriptions.
std::string term_list(const std::vector<std::pair<std::string, std::string>>& terms);

/// A table: rows of cells under headings. Numbers are aligned right; the first cell of a row is its
/// heading.
struct Table {
  struct Column {
    std::string heading;
    bool number = true;
  };
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};
std::string to_markup(const Table& table);

/// A chart of bars with names and numbers; no markup if there are no bars.
struct Bars {
  struct Bar {
    std::string name;
    double value = 0.0;  ///< ≥ 0
    std::string text;    ///< the value for people
  };
  std::string caption;
  std::string name, quantity;  ///< of the columns
  std::vector<Bar> bars;
};
std::string to_markup(const Bars& bars);

// Values of reports, which may lack them.

/// The member at that key; null if there is none.
const Json& at(const Json& json, const std::string& key);
/// Its text; empty if it is no text.
std::string text_at(const Json& json, const std::string& key);
/// Its number; NaN if it is no number.
double number_at(const Json& json, const std::string& key);

}  // namespace cisolve
