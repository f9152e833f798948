#include "app/report/run_report.hpp"

#include <spdlog/fmt/fmt.h>

#include "app/config/config_value.hpp"
#include "app/memory/memory.hpp"
#include "app/report/origin.hpp"
#include "core/dense/field.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// The stages of a run, as they are named everywhere.
struct Stage {
  const char* name;
  double StageSeconds::*seconds;
  bool always;  ///< said in the text even where it took no time
};
constexpr Stage stages[] = {
    {"read", &StageSeconds::read, true},          {"build", &StageSeconds::build, true},
    {"convert", &StageSeconds::convert, true},    {"solve", &StageSeconds::solve, true},
    {"analysis", &StageSeconds::analysis, false}, {"total", &StageSeconds::total, true}};

Json seconds_json(const StageSeconds& s) {
  Json json;
  for (const Stage& stage : stages) json[stage.name] = s.*stage.seconds;
  return json;
}

}  // namespace

void add_run(Json& json, const RunConfig& config, const RunFacts& facts) {
  json["units"] = facts.units == Units::none ? Json() : Json(name_of(facts.units));
  json["seconds"] = seconds_json(facts.seconds);
  json["backend"] = backend_name(facts.backend);
  json["device"] = facts.device;
  if (facts.ranks > 1) {
    json["ranks"] = {{"count", facts.ranks},
                     {"library", facts.ranks_text},
                     {"exchanges", facts.traffic.exchanges},
                     {"bytes_received", facts.traffic.bytes},
                     {"communication_seconds", facts.traffic.seconds},
                     {"solve_exchanges", facts.solve_traffic.exchanges},
                     {"solve_communication_seconds", facts.solve_traffic.seconds}};
  }
  json["notes"] = facts.notes;
  json["config"] = to_json(config);
  add_origin(json);
}

std::string seconds_text(const StageSeconds& s) {
  std::string text;
  for (const Stage& stage : stages) {
    const double seconds = s.*stage.seconds;
    if (!stage.always && seconds == 0.0) continue;
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", stage.name, seconds);
  }
  return text;
}

void add_facts(Json& json, const RunConfig& config, const RunFacts& facts) {
  const OperatorInfo& m = facts.matrix;
  json["matrix"] = {{"rows", facts.rows},
                    {"nonzeros", m.stored ? Json(m.nonzeros) : Json()},
                    {"elements", elements_name(facts.components)},
                    {"format", facts.matrix.format},
                    {"bytes", facts.matrix.bytes},
                    {"padding", facts.matrix.padding},
                    {"layout", facts.matrix.layout},
                    {"built_on_device", facts.built_on_device}};
  if (m.components > 0) json["matrix"]["stored_elements"] = elements_name(m.components);
  if (!facts.operator_reason.empty()) {
    json["operator"] = {{"kind", m.stored ? "stored" : "direct"},
                        {"reason", facts.operator_reason}};
  }
  if (facts.format_choice) {
    json["format_choice"] = facts.format_choice->json;
  }
  json["memory"] = memory_json(facts.memory);
  add_run(json, config, facts);
}

void print_facts(std::ostream& out, const RunFacts& facts) {
  const OperatorInfo& m = facts.matrix;
  const std::string stored =
      m.stored ? fmt::format("{} {}", m.nonzeros,
                             nonzeros_name(m.components > 0 ? m.components : facts.components))
               : "not stored";
  out << fmt::format("matrix      {} rows, {}, {} in {}{}\n", facts.rows, stored,
                     format_bytes(m.bytes), m.format,
                     m.layout.empty() ? "" : " (" + m.layout + ")");
  if (!facts.operator_reason.empty()) {
    out << fmt::format("operator    {}: {}\n", m.stored ? "stored" : "direct",
                       facts.operator_reason);
  }
  if (facts.format_choice && m.stored) {
    out << fmt::format("format      {}: {}\n", facts.format_choice->format,
                       facts.format_choice->reason);
  }
  out << fmt::format("backend     {}, {}\n", backend_name(facts.backend), facts.device);
  if (facts.ranks > 1) {
    out << fmt::format("ranks       {}; {} exchanges, {} received, {:.2f} s\n", facts.ranks_text,
                       facts.traffic.exchanges, format_bytes(facts.traffic.bytes),
                       facts.traffic.seconds);
  }
  out << "seconds     " << seconds_text(facts.seconds) << '\n';
}

}  // namespace cisolve
