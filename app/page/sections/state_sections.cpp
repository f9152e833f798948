#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "app/config/multiplicities.hpp"
#include "app/page/document.hpp"
#include "app/page/figures/level_diagram.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"

namespace cisolve {
namespace {

// A page shows so many states; the JSON has all.
constexpr std::size_t most_in_diagram = 60, most_cards = 24;

struct StateCells {
  Table::Column column;
  std::function<std::string(const Json& state)> text;
};

std::vector<StateCells> cells_of_states(const std::string& unit) {
  const auto number = [](const char* key, const char* format) {
    return [=](const Json& state) { return formatted(format, number_at(state, key)); };
  };
  return {{{in_unit("total energy", unit)}, number("energy", "{:.10f}")},
          {{in_unit("excitation", unit)},
           [](const Json& state) {
             if (!at(state, "excitation_ev").is_null()) return std::string();  // that says it
             return formatted("{:.10f}", number_at(state, "excitation"));
           }},
          {{"excitation / eV"}, number("excitation_ev", "{:.6f}")},
          {{"excitation / cm⁻¹"}, number("excitation_cm1", "{:.2f}")},
          {{"irrep", false}, [](const Json& state) { return text_at(state, "irrep_name"); }},
          {{"state of irrep"}, number("state_of_irrep", "{:.0f}")},
          {{"J"},
           [](const Json& state) {
             const Json& twice_j = at(state, "twice_j");
             if (!twice_j.is_number()) return std::string();
             return spin_text(twice_j.get<int>() + 1) + (at(state, "parity") == 1 ? "⁺" : "⁻");
           }},
          {{"2S+1"},
           [](const Json& state) {
             if (at(state, "s_squared").is_null()) return std::string();
             return at(state, "multiplicity").is_null() ? "mixed"
                                                        : at(state, "multiplicity").dump();
           }},
          {{"state of multiplicity"}, number("state_of_multiplicity", "{:.0f}")},
          {{"state of both"}, number("state_of_part", "{:.0f}")},
          {{"⟨S²⟩"},
           [](const Json& state) {
             const double s = number_at(state, "s_squared");
             return formatted("{:.5f}", std::abs(s) < 5e-6 ? 0.0 : s);
           }},
          {{"residual"}, number("residual_norm", "{:.1e}")},
          {{"converged", false},
           [](const Json& state) { return at(state, "converged") == true ? "yes" : "NO"; }}};
}

std::string table_of_states(const Json& report) {
  const Json& states = at(report, "states");
  Table table{"", {{"state"}}, std::vector<std::vector<std::string>>(states.size())};
  for (std::size_t i = 0; i < states.size(); ++i) table.rows[i] = {std::to_string(i + 1)};
  for (const StateCells& cells : cells_of_states(unit_of(report))) {
    std::vector<std::string> texts;
    for (const Json& state : states) texts.push_back(cells.text(state));
    if (std::ranges::all_of(texts, &std::string::empty)) continue;
    table.columns.push_back(cells.column);
    for (std::size_t i = 0; i < texts.size(); ++i) table.rows[i].push_back(texts[i]);
  }
  return to_markup(table);
}

std::string table_of_columns(const Json& report) {
  Table table{"", {{"column"}, {"residual"}, {"relative residual"}}, {}};
  for (const Json& column : at(report, "columns")) {
    table.rows.push_back({std::to_string(table.rows.size() + 1),
                          formatted("{:.3e}", number_at(column, "residual_norm")),
                          formatted("{:.3e}", number_at(column, "relative_residual"))});
  }
  return to_markup(table);
}

std::string raised(const std::string& digits) {
  const char* const superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : digits) text += superscripts[digit - '0'];
  return text;
}

/// "³B2", or "irrep 5, 2S+1 = 3" of an irrep without a name: as far as they are known.
std::string term_of(const Json& state) {
  const std::string irrep = text_at(state, "irrep_name");
  const bool named = irrep.find_first_not_of("0123456789") != irrep.npos;
  const Json& multiplicity = at(state, "multiplicity");
  const bool pure = multiplicity.is_number_integer();
  if (named && pure) return raised(multiplicity.dump()) + irrep;
  std::string term = irrep.empty() || named ? irrep : "irrep " + irrep;
  const auto add = [&](const std::string& words) { term += (term.empty() ? "" : ", ") + words; };
  if (pure) {
    add("2S+1 = " + multiplicity.dump());
  } else if (!at(state, "s_squared").is_null()) {
    add("mixed spin");
  }
  return term;
}

constexpr double unknown = 1e9;  ///< behind every multiplicity and irrep

/// Columns go by multiplicity, then irrep; what is not known comes last.
std::tuple<double, double, std::string> place_of(const Json& state) {
  const auto or_last = [](double x) { return std::isfinite(x) ? x : unknown; };
  return {or_last(number_at(state, "multiplicity")), or_last(number_at(state, "irrep")),
          term_of(state)};
}

/// Colours of the columns by their multiplicity, where there are several.
void colour_by_multiplicity(const std::vector<double>& multiplicities, LevelDiagram& diagram) {
  std::vector<double> sorted = multiplicities;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  if (sorted.size() < 2) return;
  for (const double m : sorted) {
    diagram.legend.push_back(m < unknown ? fmt::format("2S+1 = {:.0f}", m) : "mixed spin");
  }
  for (const double m : multiplicities) {
    diagram.colours.push_back(std::ranges::lower_bound(sorted, m) - sorted.begin());
  }
}

std::string card_of(const Json& report, std::size_t index) {
  const Json& state = at(report, "states")[index];
  const Json& rows = at(state, "leading");
  const bool determinants = !rows.empty() && !at(rows[0], "occupation").is_null();
  const std::string term = term_of(state);
  Table leading{"", {{"coefficient"}, {determinants ? "determinant" : "row", !determinants}}, {}};
  if (determinants) leading.columns.push_back({"excitation", false});
  for (const Json& row : rows) {
    leading.rows.push_back({formatted("{:.6f}", number_at(row, "coefficient"))});
    auto& cells = leading.rows.back();
    cells.push_back(determinants ? text_at(row, "occupation") : at(row, "row").dump());
    if (determinants) cells.push_back(text_at(row, "excitation"));
  }
  const auto list = [&](const char* heading, const char* key) {
    std::string items;
    for (const Json& value : at(state, key)) {
      if (value.is_number()) {
        items += element("li", formatted("{:.4f}", std::abs(value.get<double>())));
      }
    }
    if (items.empty()) return items;
    return element("p", {{"class", "quiet"}}, heading) +
           element("ul", {{"class", "occupations"}}, items) + "\n";
  };
  const std::string body = to_markup(leading) + list("Weights of ranks 0, 1, …", "rank_weights") +
                           list("Natural occupations", "natural_occupations");
  if (body.empty()) return "";
  return element("article", {{"class", "card"}},
                 "\n" +
                     element("h3", xml_escaped(fmt::format("State {}{}", index + 1,
                                                           term.empty() ? "" : ", " + term))) +
                     "\n" + body) +
         "\n";
}

}  // namespace

std::string formatted(const char* format, double value) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value + 0.0) : "";
}

std::string rest_of(std::size_t all, std::size_t shown, const char* what, const char* where) {
  if (all <= shown) return "";
  return element(
      "p", {{"class", "quiet"}},
      xml_escaped(fmt::format("The first {} of {} {}; {} has all.", shown, all, what, where)));
}

std::string states_section(const Json& report) {
  return at(report, "states").is_null() ? table_of_columns(report) : table_of_states(report);
}

std::string levels_section(const Json& report) {
  const Json& states = at(report, "states");
  if (states.size() < 2) return "";
  const std::string unit = unit_of(report);
  const bool in_ev = !at(states[0], "excitation_ev").is_null();
  LevelDiagram diagram{"Levels", in_ev ? "excitation / eV" : in_unit("excitation", unit), {}, {}};
  const std::size_t shown = std::min(states.size(), most_in_diagram);
  std::map<std::tuple<double, double, std::string>, std::size_t> columns;
  for (std::size_t i = 0; i < shown; ++i) columns[place_of(states[i])] = 0;
  std::vector<double> multiplicities;
  for (auto& [place, column] : columns) {
    column = diagram.columns.size();
    multiplicities.push_back(std::get<0>(place));
    const std::string& term = std::get<2>(place);
    diagram.columns.push_back(term.empty() ? "all states" : term);
  }
  colour_by_multiplicity(multiplicities, diagram);
  for (std::size_t i = 0; i < shown; ++i) {
    const double height = in_ev ? number_at(states[i], "excitation_ev")
                                : number_at(states[i], "energy") - number_at(states[0], "energy");
    if (!std::isfinite(height)) continue;
    diagram.levels.push_back({std::to_string(i + 1), height, columns.at(place_of(states[i])),
                              at(states[i], "converged") == true});
  }
  const std::string drawn = to_markup(diagram);
  if (drawn.empty()) return "";
  const bool all = std::ranges::all_of(diagram.levels, &LevelDiagram::Level::converged);
  const std::string words = fmt::format(
      "State and energy above state 1{}, by multiplicity and irrep where they are "
      "known.{}",
      in_ev ? " in eV" : "", all ? "" : " Dashed, with a question mark: not converged.");
  return element("figure", element("div", {{"class", "wide"}}, drawn) +
                               element("figcaption", xml_escaped(words))) +
         "\n" + rest_of(states.size(), shown, "states", "the table");
}

std::string composition_section(const Json& report) {
  const Json& states = at(report, "states");
  const std::size_t shown = std::min(states.size(), most_cards);
  std::string cards;
  for (std::size_t i = 0; i < shown; ++i) cards += card_of(report, i);
  if (cards.empty()) return "";
  return element("div", {{"class", "cards"}}, "\n" + cards) + "\n" +
         rest_of(states.size(), shown, "states", "the report as JSON");
}

}  // namespace cisolve
