#include "app/page/document.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>

#include "app/page/figures/picture.hpp"
#include "app/page/markup.hpp"
#include "app/page/style.hpp"

namespace cisolve {
namespace {

std::string cell_of(const Table& table, const std::vector<std::string>& row, std::size_t column) {
  const std::string words = xml_escaped(row[column]);
  const Attributes look = {{"class", table.columns[column].number ? "number" : "words"}};
  if (column > 0) return element("td", look, words);
  return element("th", {{"scope", "row"}, look.front()}, words);
}

std::string table_markup(const std::string& caption, const std::vector<Table::Column>& columns,
                         const std::string& rows) {
  std::string headings;
  for (const Table::Column& column : columns) {
    headings += element("th", {{"scope", "col"}, {"class", column.number ? "number" : "words"}},
                        xml_escaped(column.heading));
  }
  const std::string words = caption.empty() ? "" : element("caption", xml_escaped(caption)) + "\n";
  return element("div", {{"class", "wide"}},
                 element("table", words + element("thead", element("tr", headings)) + "\n" +
                                      element("tbody", "\n" + rows))) +
         "\n";
}

}  // namespace

std::string document(const std::string& title, const std::string& body_markup) {
  const std::string head =
      "\n" + element("meta", {{"charset", "utf-8"}}, "") + "\n" + page_generator + "\n" +
      element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}},
              "") +
      "\n" + element("title", xml_escaped(title)) + "\n" + element("style", page_style) + "\n";
  return "<!DOCTYPE html>\n" +
         element("html", {{"lang", "en"}},
                 "\n" + element("head", head) + "\n" + element("body", "\n" + body_markup) + "\n") +
         "\n";
}

std::string section(const std::string& heading, const std::string& markup) {
  if (markup.empty()) return "";
  return element("section", "\n" + element("h2", xml_escaped(heading)) + "\n" + markup) + "\n";
}

std::string term_list(const std::vector<std::pair<std::string, std::string>>& terms) {
  std::string items;
  for (const auto& [term, words] : terms) {
    if (!words.empty())
      items += element("dt", xml_escaped(term)) + element("dd", xml_escaped(words)) + "\n";
  }
  return items.empty() ? "" : element("dl", "\n" + items) + "\n";
}

std::string to_markup(const Table& table) {
  std::string rows;
  for (const auto& row : table.rows) {
    std::string cells;
    for (std::size_t c = 0; c < row.size(); ++c) cells += cell_of(table, row, c);
    rows += element("tr", cells) + "\n";
  }
  return rows.empty() ? "" : table_markup(table.caption, table.columns, rows);
}

std::string to_markup(const Bars& bars) {
  double longest = 0.0;
  for (const Bars::Bar& bar : bars.bars) longest = std::max(longest, bar.value);
  std::string rows;
  for (const Bars::Bar& bar : bars.bars) {
    Picture picture(224, 12);
    picture.rect(0, 0, longest > 0.0 ? 224 * bar.value / longest : 0.0, 12, {{"class", "share"}});
    const std::string drawn = picture.markup(bar.name, bar.text);
    rows += element("tr", element("th", {{"scope", "row"}}, xml_escaped(bar.name)) +
                              element("td", {{"class", "number"}}, xml_escaped(bar.text)) +
                              element("td", {{"class", "bars"}}, drawn)) +
            "\n";
  }
  if (rows.empty()) return "";
  return table_markup(bars.caption, {{bars.name, false}, {bars.quantity}, {"compared", false}},
                      rows);
}

const Json& at(const Json& json, const std::string& key) {
  static const Json none;
  const auto found = json.find(key);
  return json.is_object() && found != json.end() ? *found : none;
}

std::string text_at(const Json& json, const std::string& key) {
  const Json& value = at(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

double number_at(const Json& json, const std::string& key) {
  const Json& value = at(json, key);
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace cisolve
