#include "app/report/report.hpp"

#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <iostream>

#include "app/config/config_value.hpp"
#include "app/memory/memory.hpp"
#include "app/report/dipole_report.hpp"
#include "app/report/followed_report.hpp"
#include "app/report/origin.hpp"
#include "app/report/state_table.hpp"
#include "app/report/verification_report.hpp"
#include "core/error.hpp"
#include "core/field.hpp"
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

void add_checkpoint(Json& json, const RunConfig& config, const CheckpointFacts& facts) {
  if (!config.checkpoint.file.empty()) {
    json["checkpoint"] = {{"written", facts.written}, {"seconds", facts.seconds}};
  }
  if (!config.solver.restart.empty()) {
    json["restart"] = {{"iterations", facts.iterations},
                       {"operator_applications", facts.operator_applications},
                       {"probe_applications", facts.probe_applications},
                       {"seconds", facts.seconds_before}};
  }
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

void add_reference(Json& json, const EigenAnalysis& analysis) {
  json["reference"] = {{"occupation", analysis.reference_occupation},
                       {"energy", or_null(analysis.reference_energy)},
                       {"irrep", or_null(analysis.reference_irrep)},
                       {"multiplicity", or_null(analysis.reference_multiplicity)}};
  const Correlation& correlation = analysis.correlation;
  json["correlation_energy"] = or_null(correlation.energy);
  json["correlation_state"] = correlation.energy ? Json(correlation.state + 1) : Json(nullptr);
  if (!correlation.energy) json["correlation_reason"] = correlation.reason;
}

void print_reference(std::ostream& out, const EigenAnalysis& analysis, Units units) {
  const Correlation& correlation = analysis.correlation;
  out << fmt::format("\nreference   {}", analysis.reference_occupation);
  if (analysis.reference_energy) {
    out << ", " << decimals(*analysis.reference_energy, 0, 10) << after_number(units);
  }
  if (!correlation.energy) {
    out << "; no correlation energy: " << correlation.reason << '\n';
    return;
  }
  out << fmt::format(
      "; correlation energy {}{}\n", decimals(*correlation.energy, 0, 10),
      correlation.state == 0 ? "" : fmt::format(" of state {}", correlation.state + 1));
}

void print_state(std::ostream& out, const EigenAnalysis& analysis, std::size_t i) {
  const StateAnalysis& state = analysis.states[i];
  if (state.leading.empty() && state.rank_weights.empty()) return;
  out << fmt::format("\nstate {}{}\n", i + 1, state.irrep ? ", irrep " + state.irrep_name : "");
  for (const LeadingRow& row : state.leading) {
    const std::string name =
        row.occupation.empty() ? fmt::format("row {}", row.row + 1) : row.occupation;
    std::string components;
    for (const double one : row.components) components += fmt::format(" {:9.6f}", one);
    out << fmt::format("  {:9.6f}  {}{}{}\n", row.coefficient, name,
                       analysis.determinants ? "  " + row.excitation : "",
                       components.empty() ? "" : "  (" + components.substr(1) + ")");
  }
  const auto print_list = [&](const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    out << "  " << name << " ";
    for (const double value : values) out << " " << decimals(value, 0, 4);
    out << "\n";
  };
  print_list("weights of ranks 0, 1, ...", state.rank_weights);
  print_list("natural occupations       ", state.natural_occupations);
}

void print_states(std::ostream& out, const EigenOutcome& outcome, bool lowest_known) {
  const EigenAnalysis& analysis = outcome.analysis;
  print_state_table(out, outcome, lowest_known);
  if (analysis.determinants) print_reference(out, analysis, outcome.facts.units);
  for (std::size_t i = 0; i < analysis.states.size(); ++i) print_state(out, analysis, i);
  if (outcome.dipole) print_dipoles(out, outcome);
  if (!outcome.followed.empty()) print_followed(out, outcome.followed);
  for (const std::string& note : analysis.notes) out << "\n" << note << "\n";
}

Json history_json(const EigenHistory& history) {
  Json list = Json::array();
  for (const EigenHistory::Entry& entry : history.entries()) {
    list.push_back({{"iteration", entry.iteration},
                    {"operator_applications", entry.operator_applications},
                    {"seconds", entry.seconds},
                    {"energies", entry.energies},
                    {"residual_norms", entry.residual_norms}});
  }
  return list;
}

Json columns_json(const LinearResult& result) {
  Json columns = Json::array();
  for (std::size_t j = 0; j < result.residual_norms.size(); ++j) {
    columns.push_back({{"residual_norm", result.residual_norms[j]},
                       {"relative_residual", result.relative_residuals[j]}});
  }
  return columns;
}

Json spectrum_json(const std::optional<JacobiSpectrum>& spectrum) {
  if (!spectrum) return nullptr;
  return {{"steps", spectrum->steps},
          {"lowest", spectrum->interval.lowest},
          {"highest", spectrum->interval.highest},
          {"definite", spectrum->definite}};
}

Json forecast_json(const std::vector<LinearForecast>& forecasts) {
  Json list = Json::array();
  for (const LinearForecast& one : forecasts) {
    list.push_back({{"method", to_string(one.method)},
                    {"iterations", or_null(one.iterations)},
                    {"products", one.iterations ? Json(one.products) : Json(nullptr)}});
  }
  return list;
}

void print_forecast(std::ostream& out, const LinearResult& result) {
  if (result.forecasts.empty()) return;
  const JacobiSpectrum& spectrum = *result.spectrum;
  out << fmt::format("\nspectrum    of {}: {:.4g} to {:.4g}, by {} Lanczos steps\n",
                     preconditioned_name(result.method), spectrum.interval.lowest,
                     spectrum.interval.highest, spectrum.steps);
  out << "forecast          iterations  products\n";
  for (const LinearForecast& one : result.forecasts) {
    out << fmt::format("{:16}  {:>10}  {:>8}\n", to_string(one.method),
                       one.iterations ? std::to_string(*one.iterations) : "none",
                       one.iterations ? std::to_string(one.products) : "");
  }
}

}  // namespace

Output::Output(const std::string& json) : json_to_stdout_(json == "-") {
  if (!json.empty() && !json_to_stdout_) file_ = std::make_unique<AtomicFile>(json);
}

void require_written_stdout() {
  if (std::cout.flush()) return;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0) throw ReaderGone();
  throw ResourceError("stdout cannot be written");
}

std::ostream& Output::text() const {
  return json_to_stdout_ ? std::cerr : std::cout;
}

Log Output::log() const {
  Log log;
  log.warning = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
  log.info = [](const std::string& sentence) { spdlog::info("{}", sentence); };
  log.progress = [&out = text()](const std::string& lines) { out << lines << std::endl; };
  return log;
}

int Output::descriptor() const {
  return json_to_stdout_ ? STDERR_FILENO : STDOUT_FILENO;
}

std::string report_text(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

void Output::write(const Json& report) {
  const std::string text = report_text(report);
  if (json_to_stdout_) {
    std::cout << text << std::endl;
    require_written_stdout();
  }
  if (file_) file_->write(text + '\n');
}

void Output::write_so_far(const Json& report) {
  if (file_) file_->write(report_text(report) + '\n');
}

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

Json eigen_json(const RunConfig& config, const EigenOutcome& outcome) {
  const RunFacts& facts = outcome.facts;
  const EigenResult& result = outcome.result;
  const EigenAnalysis& analysis = outcome.analysis;
  Json json;
  json["status"] = to_string(result.status);
  json["summary"] = status_text(result);
  json["states"] = states_json(outcome);
  if (outcome.dipole) json["transitions"] = transitions_json(outcome);
  if (!outcome.followed.empty()) json["followed"] = followed_json(outcome.followed);
  if (analysis.determinants) add_reference(json, analysis);
  json["operator_applications"] = result.operator_applications;
  json["probe_applications"] = result.probe_applications;
  json["inner_applications"] = result.inner_applications;
  json["verified"] = result.verified;
  json["verification"] = verification_json(config, outcome);
  json["sectors"] = result.sector_sizes;
  json["attainable_residual"] = result.attainable_residual;
  json["tolerance"] = result.tolerance;
  json["energy_tolerance"] = result.energy_tolerance;
  json["scale"] = result.scale;
  if (facts.multiplicity) json["multiplicity_requested"] = *facts.multiplicity;
  json["iterations"] = result.iterations;
  json["history"] = history_json(outcome.history);
  if (result.single_precision_iterations > 0) {
    json["single_precision_iterations"] = result.single_precision_iterations;
  }
  if (const EngineFacts& engine = facts.engine; !engine.name.empty()) {
    json["engine"] = {{"name", engine.name},
                      {"iterations", engine.iterations},
                      {"operator_applications", engine.operator_applications},
                      {"seconds", engine.seconds},
                      {"product_seconds", engine.product_seconds}};
  }
  add_checkpoint(json, config, facts.checkpoint);
  add_facts(json, config, facts);
  return json;
}

Json linear_json(const RunConfig& config, const LinearOutcome& outcome) {
  const auto& [facts, options, ground, result, x, basis] = outcome;
  Json json;
  json["status"] = json["summary"] = to_string(result.status);
  json["iterations"] = result.iterations;
  json["residual_norm"] = result.residual_norm;
  json["relative_residual"] = result.relative_residual;
  json["method"] = to_string(result.method);
  json["columns"] = columns_json(result);
  json["system"] = result.system;
  json["shift"] = options.shift;
  if (ground) {
    json["ground"] = {{"energy", with_12_decimals(ground->energy)},
                      {"residual_norm", ground->residual_norm},
                      {"operator_applications", ground->operator_applications},
                      {"seconds", ground->seconds}};
  }
  if (result.omega > 0.0) json["omega"] = result.omega;
  json["operator_applications"] = result.operator_applications;
  json["setup_applications"] = result.setup_applications;
  json["residual_history"] = result.history;
  json["residual_history_every"] = result.history_every;
  json["spectrum"] = spectrum_json(result.spectrum);
  json["forecast"] = forecast_json(result.forecasts);
  add_facts(json, config, facts);
  return json;
}

void print_eigen(std::ostream& out, const RunConfig& config, const EigenOutcome& outcome) {
  const RunFacts& facts = outcome.facts;
  const EigenResult& result = outcome.result;
  print_states(out, outcome, config.solves == 1);
  out << fmt::format("\nstatus      {}\n", status_text(result));
  out << fmt::format("lower       {}\n", exclusion_text(config, outcome));
  if (facts.units == Units::none) {
    out << fmt::format("scale       {:g}, the typical size of a row; tolerance {:g}\n",
                       result.scale, result.tolerance);
  }
  const auto also = [](const char* of, std::int64_t n, const char* where) {
    return n > 0 ? of + std::to_string(n) + where : "";
  };
  out << fmt::format(
      "iterations  {}, with {} products{}; products took {:.2f} s{}\n", result.iterations,
      result.operator_applications,
      also(", and ", result.probe_applications, " in the search for lower states"),
      result.product_seconds,
      also(", corrections ", result.inner_applications, " over the selected determinants"));
  if (const EngineFacts& engine = facts.engine; !engine.name.empty()) {
    out << fmt::format("engine      {}: {} iterations and {} products of these; it took {:.2f} s\n",
                       engine.name, engine.iterations, engine.operator_applications,
                       engine.seconds);
  }
  const CheckpointFacts& before = facts.checkpoint;
  if (before.iterations > 0) {
    out << fmt::format("restarted   after {} iterations, {} products; they took {:.2f} s\n",
                       before.iterations, before.operator_applications + before.probe_applications,
                       before.seconds_before);
  }
  if (before.written > 0) {
    out << fmt::format("checkpoint  written {} times; writing took {:.2f} s\n", before.written,
                       before.seconds);
  }
  print_facts(out, facts);
}

void print_linear(std::ostream& out, const LinearOutcome& outcome) {
  const auto& [facts, options, ground, result, x, basis] = outcome;
  print_forecast(out, result);
  out << fmt::format("\nstatus      {}\n", to_string(result.status));
  out << fmt::format("system      {}\n", result.system);
  out << fmt::format("method      {}{}, shift {:.12g}\n", to_string(result.method),
                     result.omega > 0.0 ? fmt::format(", omega {:.4f}", result.omega) : "",
                     options.shift);
  if (ground) {
    out << fmt::format("ground      {}{}, {} products; finding it took {:.2f} s\n",
                       decimals(ground->energy, 0, 10), after_number(facts.units),
                       ground->operator_applications, ground->seconds);
  }
  out << fmt::format("iterations  {}, with {} products, {} of them before the first\n",
                     result.iterations, result.operator_applications, result.setup_applications);
  out << fmt::format("residual    {:.3e}, relative {:.3e}\n", result.residual_norm,
                     result.relative_residual);
  print_facts(out, facts);
}

}  // namespace cisolve
