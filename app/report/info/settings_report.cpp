#include "app/report/info/settings_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>

#include "app/config/config_value.hpp"
#include "app/solve/solver_options.hpp"

namespace cisolve {
namespace {

/// Rows as solvers count them; a space may have more determinants than those.
Index solver_rows(double rows) {
  return static_cast<Index>(std::min(rows, static_cast<double>(std::numeric_limits<Index>::max())));
}

std::string tolerance_text(const SolverConfig& solver, Units units) {
  if (solver.tolerance) return fmt::format("{:g}{}", *solver.tolerance, after_number(units));
  if (units == Units::none) return fmt::format("{:g} of the scale", default_tolerance);
  return fmt::format("{:g}{}", default_tolerance, after_number(unit_of_scale(units)));
}

std::string basis_text(const EigenOptions& options, Index rows, bool direct, OperatorKind kind) {
  const int stored = basis_size(options, rows);
  const int without = basis_size(without_matrix(options), rows);
  if (kind == OperatorKind::direct) return std::to_string(without);
  return direct && kind == OperatorKind::automatic && without != stored
             ? fmt::format("{}, without a matrix {}", stored, without)
             : std::to_string(stored);
}

/// The format in which `auto` begins.
std::string format_text(const std::string& format, const SettingsCase& of) {
  if (format != "auto") return format;
  const bool packed = of.backend == BackendKind::cuda && of.integrals;
  return packed ? "auto: packed" : "auto: csr first";
}

}  // namespace

Json settings_json(const RunConfig& config, const SettingsCase& of) {
  const SolverConfig& solver = config.solver;
  const Index rows = solver_rows(of.rows);
  EigenOptions options = eigen_options(config);
  if (of.kramers) options.states = (options.states + 1) / 2;
  if (options.states > rows) return nullptr;
  const int guard = block_size(options, rows) - options.states;

  Json list = Json::array();
  const auto add = [&](const char* key, const char* option, const std::string& value,
                       const char* change) {
    list.push_back({{"key", key}, {"option", option}, {"value", value}, {"change", change}});
  };
  add("solver.states", "--states", std::to_string(solver.states),
      "the states you want; see --irrep, --multiplicity");
  add("solver.tolerance", "--tolerance", tolerance_text(solver, of.units),
      "smaller for densities; energies err by about its square / gap");
  add("solver.verify", "--verify", name_of(solver.verify),
      "thorough: until verified; off: no search for lower states");
  add("solver.method", "--method", name_of(solver.method),
      "lobpcg, if the basis takes too much memory");
  add("solver.guard", "--set solver.guard", std::to_string(guard),
      "more, if close energies converge slowly");
  add("solver.max_basis", "--set solver.max_basis",
      basis_text(options, rows, of.direct, config.operator_kind),
      "more: fewer products; fewer: less memory");
  add("spmv.format", "--format", format_text(config.spmv.format, of),
      "rarely: auto measures formats while it solves");
  add("backend.name", "--backend", backend_name(of.backend),
      "rarely: auto takes the one expected to be faster");
  add("backend.threads", "--threads", std::to_string(of.threads), "fewer, to share the machine");
  return list;
}

void print_settings(std::ostream& out, const Json& settings) {
  out << fmt::format("{:22} {:>24}  {}\n", "cisolve eigen", "here", "when to change it");
  for (const Json& one : settings) {
    out << fmt::format("{:22} {:>24}  {}\n", one["option"].get<std::string>(),
                       one["value"].get<std::string>(), one["change"].get<std::string>());
  }
  out << '\n';
}

}  // namespace cisolve
