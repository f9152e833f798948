#include "app/report/linear_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <optional>
#include <string>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/report/states/state_table.hpp"

namespace cisolve {
namespace {

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
