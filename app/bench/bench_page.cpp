#include "app/bench/bench_page.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/page/document.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"
#include "core/memory.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// The number, times a factor, by a format of fmt; empty of none.
std::string scaled(const Json& row, const char* key, double factor, const char* format) {
  const double value = number_at(row, key) * factor;
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "";
}

std::string memory_of(const Json& row) {
  const double bytes = number_at(row, "bytes");
  return std::isfinite(bytes) ? format_bytes(bytes) : "";
}

std::string share_of_copy(const Json& row) {
  const double share = number_at(row, "bandwidth") / number_at(row, "copy_bandwidth");
  return std::isfinite(share) ? fmt::format("{:.2f}", share) : "";
}

/// Who and where, as rows and the best begin.
std::vector<std::string> key_cells(const Json& row) {
  return {text_at(row, "format"), text_at(row, "backend"), scaled(row, "threads", 1.0, "{:.0f}"),
          scaled(row, "block", 1.0, "{:.0f}")};
}

std::vector<Table::Column> with_key(std::vector<Table::Column> columns) {
  const std::vector<Table::Column> key{{"format", false}, {"backend", false}, {"threads"}, {"k"}};
  columns.insert(columns.begin(), key.begin(), key.end());
  return columns;
}

std::string best_markup(const Json& best) {
  Table table{"Of each backend, number of threads and vectors at once (k)",
              with_key({{"ms"}, {"GFLOPS"}, {"speedup"}, {"times"}, {"as fast as", false}}),
              {}};
  for (const Json& row : best) {
    std::vector<std::string> cells = key_cells(row);
    cells.insert(cells.end(),
                 {scaled(row, "seconds", 1e3, "{:.4f}"), scaled(row, "gflops", 1.0, "{:.2f}"),
                  scaled(row, "speedup", 1.0, "{:.2f}"), scaled(row, "over_rival", 1.0, "{:.2f}"),
                  text_at(row, "rival")});
    table.rows.push_back(std::move(cells));
  }
  return to_markup(table);
}

/// "cpu, 2 threads", "cuda".
std::string pass_of(const Json& row) {
  const std::string threads = scaled(row, "threads", 1.0, "{:.0f}");
  return text_at(row, "backend") +
         (threads.empty() ? "" : ", " + threads + (threads == "1" ? " thread" : " threads"));
}

std::vector<std::string> figures_of(const Json& row) {
  const std::string quartiles = scaled(row, "lower_quartile", 1e3, "{:.4f}") + "–" +
                                scaled(row, "upper_quartile", 1e3, "{:.4f}");
  return {text_at(row, "format"),
          scaled(row, "block", 1.0, "{:.0f}"),
          scaled(row, "seconds", 1e3, "{:.4f}"),
          quartiles,
          scaled(row, "gflops", 1.0, "{:.2f}"),
          scaled(row, "speedup", 1.0, "{:.2f}"),
          memory_of(row),
          scaled(row, "bandwidth", 1e-9, "{:.1f}"),
          share_of_copy(row),
          scaled(row, "relative_error", 1.0, "{:.1e}"),
          scaled(row, "conversion_seconds", 1.0, "{:.2f}")};
}

/// A table for each backend and number of threads.
std::string rows_markup(const Json& rows) {
  const std::vector<Table::Column> columns{
      {"format", false}, {"k"},    {"ms"},      {"quartiles"}, {"GFLOPS"},     {"speedup"},
      {"memory"},        {"GB/s"}, {"of copy"}, {"error"},     {"convert / s"}};
  std::vector<Table> tables;
  for (const Json& row : rows) {
    if (!text_at(row, "reason").empty()) continue;
    const std::string pass = pass_of(row);
    if (tables.empty() || tables.back().caption != pass) tables.push_back({pass, columns, {}});
    tables.back().rows.push_back(figures_of(row));
  }
  std::string markup;
  for (const Table& table : tables) markup += to_markup(table);
  return markup;
}

/// Each that a format told of itself, once.
std::string layouts_markup(const Json& rows) {
  Table table{"", {{"format", false}, {"layout", false}}, {}};
  for (const Json& row : rows) {
    const std::string layout = text_at(row, "layout");
    const std::vector<std::string> cells{text_at(row, "format"), layout};
    if (layout.empty() || std::ranges::find(table.rows, cells) != table.rows.end()) continue;
    table.rows.push_back(cells);
  }
  return to_markup(table);
}

std::string refusals_markup(const std::vector<Refusal>& refusals) {
  std::vector<std::pair<std::string, std::string>> terms;
  for (const Refusal& one : refusals) {
    terms.emplace_back(backend_name(one.backend), joined(one.formats) + ": " + one.reason);
  }
  return term_list(terms);
}

}  // namespace

std::string bench_page(const std::string& title, const Json& report,
                       const std::vector<Refusal>& refusals, const BarChart& chart) {
  const std::string caption =
      element("figcaption",
              xml_escaped("2 · nonzeros · k / seconds, k being the vectors at once. The bars of a "
                          "format are in the order of the legend, from the top."));
  const std::string main =
      section("Best formats", best_markup(at(report, "best"))) +
      section("Speed",
              element("figure", element("div", {{"class", "wide"}}, to_svg(chart)) + caption)) +
      section("All that was measured", rows_markup(at(report, "rows"))) +
      section("Layouts", layouts_markup(at(report, "rows"))) +
      section("Not measured", refusals_markup(refusals)) +
      section("This run", origin_section(report)) + section("How to cite", citation_section());
  return document(title, element("header", element("h1", "Products in every format") + "\n" +
                                               element("p", xml_escaped(title))) +
                             "\n" + element("main", "\n" + main) + "\n");
}

}  // namespace cisolve
