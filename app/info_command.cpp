#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "app/boundary.hpp"
#include "app/command_line.hpp"
#include "app/config_flags.hpp"
#include "app/memory.hpp"
#include "app/report.hpp"
#include "app/run.hpp"
#include "app/source.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "spmv/format.hpp"

namespace cisolve {
namespace {

Json fcidump_json(const Integrals& integrals, const CiSpace& space) {
  Json header = Json::object();
  for (const auto& [key, value] : integrals.other_keys) header[key] = value;
  const auto& irreps = integrals.orbital_irreps;
  return {{"orbitals", integrals.orbitals},
          {"electrons", integrals.electrons},
          {"ms2", integrals.ms2},
          {"core_energy", integrals.core_energy},
          {"unrestricted", integrals.unrestricted},
          {"orbital_irreps", irreps[alpha]},
          {"header", header},
          {"alpha_strings", space.alpha.size()},
          {"beta_strings", space.beta.size()},
          {"determinants", space.size()}};
}

Json rows_json(const CsrMatrix& outline) {
  const RowStatistics rows = row_statistics(outline);
  return {{"rows", outline.rows},
          {"columns", outline.columns},
          {"nonzeros", outline.nonzeros()},
          {"row_minimum", rows.minimum},
          {"row_mean", rows.mean},
          {"row_maximum", rows.maximum},
          {"longest_row", rows.longest_row + 1},
          {"density", static_cast<double>(outline.nonzeros()) / outline.rows / outline.columns}};
}

/// Why the matrix differs from its transpose; empty when it does not.
std::string asymmetry(const CsrMatrix& a, const std::string& name) {
  if (a.rows != a.columns) return name + ": the matrix is not square";
  try {
    require_symmetric(a, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Formats for symmetric matrices are left out where `a` is not.
Json formats_json(const CsrMatrix& a, bool symmetric, const SpmvConfig& spmv) {
  Json list = Json::array();
  for (const Format& format : formats()) {
    if (format.symmetric && !symmetric) continue;
    list.push_back({{"format", format.name}, {"bytes", format.bytes(a, spmv)}});
  }
  return list;
}

void print_value(std::ostream& out, const std::string& key, const Json& value) {
  if (value.is_object() || value.is_array()) return;
  out << fmt::format("{:15} {}\n", key,
                     value.is_string() ? value.get<std::string>() : value.dump());
}

void print(std::ostream& out, const Json& report) {
  for (const auto& [key, value] : report.items()) print_value(out, key, value);
  if (report.contains("fcidump")) {
    for (const auto& [key, value] : report["fcidump"].items()) print_value(out, key, value);
    for (const auto& [key, value] : report["fcidump"]["header"].items()) {
      print_value(out, "header " + key, value);
    }
  }
  for (const auto& [key, value] : report["matrix"].items()) print_value(out, key, value);
  for (const Json& format : report["formats"]) {
    out << fmt::format("in {:12} {}\n", format["format"].get<std::string>(),
                       format_bytes(format["bytes"].get<double>()));
  }
}

ExitStatus info(const RunConfig& config) {
  Output output(config.output.json);
  HamiltonianSource source(config.input);
  check_boundary(config.spmv, "hybrid");
  const auto rows = static_cast<std::size_t>(source.rows());
  if (source.is_fcidump()) {
    announce_and_check({source.size_text(), (rows + 1) * sizeof(Offset)}, *make_cpu_backend(),
                       output.text());
  }
  const CsrMatrix& outline = source.outline();
  check_boundary_value(config.spmv.boundary, outline.columns);
  Json report;
  report["file"] = config.input.file.string();
  report["kind"] = source.is_fcidump() ? "FCIDUMP" : "matrix";
  if (source.is_fcidump()) report["fcidump"] = fcidump_json(*source.integrals(), *source.space());
  Json& matrix = report["matrix"] = rows_json(outline);

  // Symmetry and the formats' sizes need the columns as well.
  const std::size_t needed = CsrMatrix::bytes(outline.rows, outline.nonzeros());
  const std::size_t available = available_host_memory();
  if (source.is_fcidump() && needed > available) {
    report["formats"] = {{{"format", "csr"}, {"bytes", needed}}};
    report["reason"] = "the other formats are left out: the matrix needs " +
                       format_bytes(static_cast<double>(needed)) + ", and " +
                       format_bytes(static_cast<double>(available)) + " are available";
  } else {
    const CsrMatrix a = source.take();
    const std::string difference = asymmetry(a, config.input.file.string());
    matrix["symmetric"] = difference.empty();
    if (!difference.empty()) matrix["asymmetry"] = difference;
    report["formats"] = formats_json(a, difference.empty(), config.spmv);
  }
  report["notes"] = source.notes();
  report["version"] = CISOLVE_VERSION;
  print(output.text(), report);
  output.write(report);
  return done;
}

}  // namespace

void add_info_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("info", "Statistics of the matrix, and its memory in every format");
  const auto flags = std::make_shared<ConfigFlags>(
      command, std::vector<ConfigFlags::Flags>{input_flags(), {{"--json", "output.json"}}});
  command.callback([flags, &action] {
    action = [flags]() -> int {
      RunConfig config;
      flags->apply_to(config);
      return info(config);
    };
  });
}

}  // namespace cisolve
