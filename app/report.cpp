#include "app/report.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "app/config_value.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

constexpr double electronvolts_per_hartree = 27.211386245988;  // CODATA 2018

/// The value with 12 decimals, so far as a double has them.
double with_12_decimals(double x) {
  const double scaled = x * 1e12;
  return std::abs(scaled) < 0x1p53 ? std::round(scaled) / 1e12 : x;
}

Json seconds_json(const StageSeconds& s) {
  return {{"read", s.read},
          {"build", s.build},
          {"convert", s.convert},
          {"solve", s.solve},
          {"total", s.total}};
}

void add_facts(Json& json, const RunConfig& config, const RunFacts& facts) {
  json["matrix"] = {{"rows", facts.rows},
                    {"nonzeros", facts.matrix.nonzeros},
                    {"format", facts.matrix.format},
                    {"bytes", facts.matrix.bytes},
                    {"padding", facts.matrix.padding},
                    {"layout", facts.matrix.layout}};
  json["seconds"] = seconds_json(facts.seconds);
  json["backend"] = backend_name(facts.backend);
  json["device"] = facts.device;
  json["notes"] = facts.notes;
  json["config"] = to_json(config);
  json["version"] = CISOLVE_VERSION;
}

void print_facts(std::ostream& out, const RunFacts& facts) {
  const OperatorInfo& m = facts.matrix;
  out << fmt::format("matrix      {} rows, {} nonzeros, {} in {}{}\n", facts.rows, m.nonzeros,
                     format_bytes(static_cast<double>(m.bytes)), m.format,
                     m.layout.empty() ? "" : " (" + m.layout + ")");
  out << fmt::format("backend     {}, {}\n", backend_name(facts.backend), facts.device);
  const StageSeconds& s = facts.seconds;
  out << fmt::format(
      "seconds     read {:.2f}, build {:.2f}, convert {:.2f}, solve {:.2f}, total {:.2f}\n", s.read,
      s.build, s.convert, s.solve, s.total);
}

}  // namespace

Output::Output(const std::string& json) : json_to_stdout_(json == "-") {
  if (!json.empty() && !json_to_stdout_) file_ = std::make_unique<AtomicFile>(json);
}

void require_written_stdout() {
  if (!std::cout.flush()) throw ResourceError("stdout cannot be written");
}

std::ostream& Output::text() const {
  return json_to_stdout_ ? std::cerr : std::cout;
}

int Output::descriptor() const {
  return json_to_stdout_ ? STDERR_FILENO : STDOUT_FILENO;
}

void Output::write(const Json& report) {
  // Names and messages may quote bytes of the input that are no UTF-8: replaced, not thrown at.
  const std::string text = report.dump(2, ' ', false, Json::error_handler_t::replace);
  if (json_to_stdout_) {
    std::cout << text << std::endl;
    require_written_stdout();
  }
  if (file_) file_->write(text + '\n');
}

std::string backend_name(BackendKind kind) {
  return kind == BackendKind::cpu ? "cpu" : "cuda";
}

Json eigen_json(const RunConfig& config, const RunFacts& facts, const EigenResult& result) {
  Json json;
  json["status"] = to_string(result.status);
  json["states"] = Json::array();
  for (std::size_t i = 0; i < result.energies.size(); ++i) {
    json["states"].push_back({{"energy", with_12_decimals(result.energies[i])},
                              {"residual_norm", result.residual_norms[i]},
                              {"converged", static_cast<bool>(result.converged[i])}});
  }
  json["operator_applications"] = result.operator_applications;
  json["iterations"] = result.iterations;
  add_facts(json, config, facts);
  return json;
}

Json linear_json(const RunConfig& config, const RunFacts& facts, const LinearResult& result) {
  Json json;
  json["status"] = to_string(result.status);
  json["iterations"] = result.iterations;
  json["residual_norm"] = result.residual_norm;
  json["relative_residual"] = result.relative_residual;
  json["method"] = name_of(config.linear.method);
  add_facts(json, config, facts);
  return json;
}

void print_eigen(std::ostream& out, const RunFacts& facts, const EigenResult& result) {
  out << "\nstate  total energy / Hartree  excitation / eV  residual  converged\n";
  for (std::size_t i = 0; i < result.energies.size(); ++i) {
    const double excitation = (result.energies[i] - result.energies[0]) * electronvolts_per_hartree;
    out << fmt::format("{:5}  {:22.10f}  {:15.6f}  {:8.1e}  {}\n", i + 1, result.energies[i],
                       excitation, result.residual_norms[i], result.converged[i] ? "yes" : "NO");
  }
  out << fmt::format("\nstatus      {}\n", to_string(result.status));
  out << fmt::format("iterations  {}, {} products ({:.2f} s)\n", result.iterations,
                     result.operator_applications, result.product_seconds);
  print_facts(out, facts);
}

void print_linear(std::ostream& out, const RunFacts& facts, const LinearResult& result) {
  out << fmt::format("\nstatus      {}\n", to_string(result.status));
  out << fmt::format("iterations  {}\n", result.iterations);
  out << fmt::format("residual    {:.3e}, relative {:.3e}\n", result.residual_norm,
                     result.relative_residual);
  print_facts(out, facts);
}

}  // namespace cisolve
