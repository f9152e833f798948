#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "app/config/config.hpp"
#include "app/config/yaml_text.hpp"
#include "app/page/document.hpp"
#include "app/page/figures/line_chart.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// The number as it is in JSON; empty if there is none.
std::string count_at(const Json& json, const char* key) {
  return at(json, key).is_number_integer() ? at(json, key).dump() : "";
}

std::string bytes_at(const Json& json, const char* key) {
  const double bytes = number_at(json, key);
  return std::isfinite(bytes) ? format_bytes(bytes) : "";
}

std::string nonzeros_words(const Json& matrix) {
  const std::string stored = text_at(matrix, "stored_elements");
  const std::string elements = stored.empty() ? text_at(matrix, "elements") : stored;
  return elements.empty() || elements == "real" ? " nonzeros" : " " + elements + " nonzeros";
}

std::string matrix_words(const Json& matrix) {
  if (matrix.is_null()) return "";  // several parts, no matrix in common
  const std::string nonzeros = count_at(matrix, "nonzeros");
  return fmt::format("{} rows, {}, {} in {}", count_at(matrix, "rows"),
                     nonzeros.empty() ? "not stored" : nonzeros + nonzeros_words(matrix),
                     bytes_at(matrix, "bytes"), text_at(matrix, "format"));
}

std::string work_words(const Json& report) {
  const std::string probe = count_at(report, "probe_applications");
  const std::string iterations = count_at(report, "iterations");
  return fmt::format(
      "{}{} products{}", iterations.empty() ? "" : iterations + ", with ",
      count_at(report, "operator_applications"),
      probe.empty() || probe == "0" ? "" : ", and " + probe + " in the search for lower states");
}

std::string reference_words(const Json& report) {
  const Json& reference = at(report, "reference");
  if (reference.is_null()) return "";
  std::string words = text_at(reference, "occupation");
  const double energy = number_at(reference, "energy");
  if (std::isfinite(energy)) words += fmt::format(", {:.10f} {}", energy, unit_of(report));
  const double correlation = number_at(report, "correlation_energy");
  if (!std::isfinite(correlation)) {
    return words + "; no correlation energy: " + text_at(report, "correlation_reason");
  }
  return words + fmt::format("; correlation energy {:.10f} of state {}", correlation,
                             count_at(report, "correlation_state"));
}

std::string residual_words(const Json& report) {
  const double residual = number_at(report, "residual_norm");
  if (!std::isfinite(residual)) return "";
  return fmt::format("{:.3e}, relative {:.3e}", residual, number_at(report, "relative_residual"));
}

/// A chart of the history, a series for each state i: value(previous entry, entry, i).
template <class Value>
LineChart history_chart(const Json& report, const char* title, const std::string& y_name,
                        const Value& value) {
  LineChart chart{title, "iteration", y_name, {}, {}};
  const std::size_t states = at(report, "states").size();
  for (std::size_t i = 0; i < states; ++i) {
    LineChart::Series series{fmt::format("state {}", i + 1), {}, {}};
    const Json* before = &at(report, "");  // null
    for (const Json& entry : at(report, "history")) {
      series.x.push_back(number_at(entry, "iteration"));
      series.y.push_back(value(*before, entry, i));
      before = &entry;
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

double number_in(const Json& list, std::size_t i) {
  return i < list.size() && list[i].is_number() ? list[i].get<double>() : std::nan("");
}

std::string figure_of(const LineChart& chart, const std::string& caption) {
  const std::string drawn = to_markup(chart);
  if (drawn.empty()) return "";
  return element("figure", element("h3", xml_escaped(chart.title)) + "\n" + drawn +
                               element("figcaption", xml_escaped(caption))) +
         "\n";
}

std::string eigen_convergence(const Json& report) {
  const std::string unit = unit_of(report);
  const Json& solver = at(at(report, "config"), "solver");
  const std::string stop_by = text_at(solver, "stop_by");
  LineChart energies = history_chart(
      report, "Energies", in_unit("change of energy", unit),
      [](const Json& before, const Json& entry, std::size_t i) {
        return std::abs(number_in(at(entry, "energies"), i) - number_in(at(before, "energies"), i));
      });
  if (stop_by != "residual") {
    energies.marks.push_back({"solver.energy_tolerance", number_at(report, "energy_tolerance")});
  }
  LineChart residuals = history_chart(report, "Residuals", in_unit("residual norm", unit),
                                      [](const Json&, const Json& entry, std::size_t i) {
                                        return number_in(at(entry, "residual_norms"), i);
                                      });
  if (stop_by != "energy") {
    residuals.marks.push_back({"solver.tolerance", number_at(report, "tolerance")});
  }
  return figure_of(energies, "Change of each energy since the previous plotted iteration.") +
         figure_of(residuals,
                   "Residual norms as the iterations had them; those of the table are "
                   "recomputed.");
}

std::string linear_convergence(const Json& report) {
  LineChart chart{
      "Residual",
      "iteration",
      "relative residual",
      {{"largest of all columns", {}, {}}},
      {{"linear.tolerance", number_at(at(at(report, "config"), "linear"), "tolerance")}}};
  const double every = number_at(report, "residual_history_every");
  for (const Json& residual : at(report, "residual_history")) {
    auto& [name, x, y] = chart.series.front();
    x.push_back(every * static_cast<double>(x.size()));
    y.push_back(residual.is_number() ? residual.get<double>() : std::nan(""));
  }
  return figure_of(chart, "");
}

Bars seconds_bars(const Json& seconds) {
  Bars bars{"", "stage", "seconds", {}};
  double parts = 0.0;
  for (const auto& [stage, value] : seconds.items()) {
    if (stage == "total" || !value.is_number()) continue;
    const double s = value.get<double>();
    parts += s;
    bars.bars.push_back({stage, s, fmt::format("{:.3f}", s)});
  }
  const double total = number_at(seconds, "total");
  if (std::isfinite(total)) {
    bars.bars.push_back({"all else", std::max(total - parts, 0.0),
                         fmt::format("{:.3f}", std::max(total - parts, 0.0))});
    bars.caption = fmt::format("Seconds by stage, {:.3f} in all", total);
  }
  return bars;
}

Bars memory_bars(const Json& memory) {
  constexpr std::pair<const char*, const char*> kinds[] = {{"host_matrix", "matrix on the host"},
                                                           {"operator", "operator"},
                                                           {"scratch", "scratch"},
                                                           {"p_space", "p-space"},
                                                           {"blocks", "blocks"},
                                                           {"basis_bytes", "basis"},
                                                           {"other_vectors", "other vectors"}};
  Bars bars{"", "of", "bytes", {}};
  for (const auto& [key, name] : kinds) {
    const double bytes = number_at(memory, key);
    if (bytes > 0.0) bars.bars.push_back({name, bytes, format_bytes(bytes)});
  }
  bars.caption = fmt::format("Memory as planned: host {} of {} available",
                             bytes_at(memory, "host_needed"), bytes_at(memory, "host_available"));
  if (!at(memory, "device_needed").is_null()) {
    bars.caption += fmt::format(", device {} of {}", bytes_at(memory, "device_needed"),
                                bytes_at(memory, "device_available"));
  }
  return bars;
}

/// Values of the configuration that differ from the defaults.
Json without_defaults(const Json& config, const Json& defaults) {
  Json kept = Json::object();
  for (const auto& [key, value] : config.items()) {
    const Json& usual = at(defaults, key);
    if (value == usual) continue;
    kept[key] = value.is_object() ? without_defaults(value, usual) : value;
  }
  return kept;
}

}  // namespace

std::string unit_of(const Json& report) {
  const std::string name = text_at(report, "units");
  if (name == "hartree") return "Hartree";
  if (name == "ev") return "eV";
  return name == "cm-1" ? "cm⁻¹" : "";
}

std::string in_unit(const std::string& quantity, const std::string& unit) {
  return unit.empty() ? quantity : quantity + " / " + unit;
}

std::string overview(const Json& report) {
  const std::string reason = text_at(at(report, "operator"), "reason");
  const std::string format = text_at(at(report, "format_choice"), "reason");
  return term_list({{"input", text_at(at(at(report, "config"), "input"), "file")},
                    {"lower states", text_at(at(report, "verification"), "summary")},
                    {"method", text_at(report, "method")},
                    {"residual", residual_words(report)},
                    {"matrix", matrix_words(at(report, "matrix"))},
                    {"operator", reason},
                    {"format", format == reason ? "" : format},
                    {"iterations", work_words(report)},
                    {"reference", reference_words(report)}});
}

std::string convergence_section(const Json& report) {
  const std::string figures =
      at(report, "states").is_null() ? linear_convergence(report) : eigen_convergence(report);
  return figures.empty() ? "" : element("div", {{"class", "pair"}}, "\n" + figures) + "\n";
}

std::string resources_section(const Json& report) {
  return element("div", {{"class", "pair"}},
                 to_markup(seconds_bars(at(report, "seconds"))) +
                     to_markup(memory_bars(at(report, "memory")))) +
         "\n";
}

std::string notes_section(const Json& report) {
  std::string items;
  const auto add = [&](const Json& notes) {
    for (const Json& note : notes) {
      if (note.is_string()) items += element("li", xml_escaped(note.get<std::string>())) + "\n";
    }
  };
  add(at(report, "notes"));
  add(at(at(report, "selection"), "notes"));
  add(at(at(report, "memory"), "notes"));
  return items.empty() ? "" : element("ul", "\n" + items) + "\n";
}

std::string again_section(const Json& report) {
  const Json& config = at(report, "config");
  const std::string changed = to_yaml(without_defaults(config, to_json(RunConfig())));
  const std::string how =
      "Save this as run.yaml in the folder where the run was started, then: cisolve run run.yaml. "
      "Settings that are not listed have the defaults of version " +
      text_at(report, "version") + ".";
  return element("p", xml_escaped(how)) + "\n" + element("pre", xml_escaped(changed)) + "\n" +
         element("details", element("summary", "With the defaults written out") +
                                element("pre", xml_escaped(to_yaml(config)))) +
         "\n";
}

}  // namespace cisolve
