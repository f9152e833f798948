#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/config/json.hpp"

// What pages are put together from. Arguments called markup are it already; all others are escaped.

namespace cisolve {

/// What is near the beginning of every page, by which files are known as pages of this program.
inline constexpr char page_generator[] = "<meta name=\"generator\" content=\"cisolve\"/>";

/// A whole document.
std::string document(const std::string& title, const std::string& body_markup);

/// A heading and what stands below it; empty where nothing does.
std::string section(const std::string& heading, const std::string& markup);

/// Terms and what they are.
std::string term_list(const std::vector<std::pair<std::string, std::string>>& terms);

/// Rows of cells under headings; numbers are aligned at their right. The first cell of a row heads
/// it.
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

/// Names, numbers and bars as long as they are; empty where there is none.
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

// Values of reports, where they are there.

/// The member at that key; null where there is none.
const Json& at(const Json& json, const std::string& key);
/// Its text; empty where it is none.
std::string text_at(const Json& json, const std::string& key);
/// Its number; NaN where it is none.
double number_at(const Json& json, const std::string& key);

}  // namespace cisolve
