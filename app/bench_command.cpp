#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <omp.h>

#include <fstream>
#include <memory>

#include "app/bench.hpp"
#include "app/boundary.hpp"
#include "app/command_line.hpp"
#include "app/config_flags.hpp"
#include "app/report.hpp"
#include "app/run.hpp"
#include "app/source.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

struct BenchFlags {
  std::vector<std::string> formats;
  std::vector<int> blocks{1, 4, 8};
  int repeats = 20;
  std::string csv;
};

std::shared_ptr<const CsrMatrix> host_matrix(const RunConfig& config, std::ostream& out) {
  HamiltonianSource source(config.input);
  auto a = std::make_shared<const CsrMatrix>(source.take_announced(out));
  check_boundary_value(config.spmv.boundary, a->columns);
  out << fmt::format("{}: {} rows, {} columns, {} nonzeros\n", config.input.file.string(), a->rows,
                     a->columns, a->nonzeros());
  return a;
}

/// The backends there are, or the one asked for.
std::vector<std::unique_ptr<Backend>> backends(const BackendConfig& config) {
  if (config.threads > 0) omp_set_num_threads(config.threads);
  std::vector<std::unique_ptr<Backend>> list;
  if (config.name != BackendName::cuda) list.push_back(make_cpu_backend(config.threads));
  if (config.name == BackendName::cuda ||
      (config.name == BackendName::automatic && cuda_unavailable_reason().empty())) {
    list.push_back(make_cuda_backend(config.device));
  }
  return list;
}

void print(std::ostream& out, const BenchRow& row) {
  out << fmt::format("{:18} {:4} {:3} ", row.format, backend_name(row.backend), row.block);
  if (!row.reason.empty()) {
    out << row.reason << std::endl;
    return;
  }
  out << fmt::format("{:10.4f} {:8.2f} {:>9} {:8.1f} {:7.2f} {:9.1e} {:8.2f}  {}",
                     row.seconds * 1e3, row.gflops, format_bytes(static_cast<double>(row.bytes)),
                     row.bandwidth * 1e-9, row.bandwidth / row.copy_bandwidth, row.relative_error,
                     row.conversion_seconds, row.layout)
      << std::endl;
}

Json to_json(const BenchRow& row) {
  Json json{{"format", row.format}, {"backend", backend_name(row.backend)}, {"block", row.block}};
  if (!row.reason.empty()) {
    json["reason"] = row.reason;
    return json;
  }
  json["seconds"] = row.seconds;
  json["gflops"] = row.gflops;
  json["bytes"] = row.bytes;
  json["bandwidth"] = row.bandwidth;
  json["relative_error"] = row.relative_error;
  return json;
}

std::string csv_field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void write_csv(const std::vector<BenchRow>& rows, AtomicFile& target) {
  std::ofstream file(target.temporary());
  file << "format,backend,block,seconds,gflops,bytes,bandwidth,copy_bandwidth,relative_error,"
          "conversion_seconds,layout,reason\n";
  for (const BenchRow& row : rows) {
    file << fmt::format("{},{},{},", row.format, backend_name(row.backend), row.block);
    if (row.reason.empty()) {
      file << fmt::format("{},{},{},{},{},{},{},{},\n", row.seconds, row.gflops, row.bytes,
                          row.bandwidth, row.copy_bandwidth, row.relative_error,
                          row.conversion_seconds, csv_field(row.layout));
    } else {
      file << fmt::format(",,,,,,,,{}\n", csv_field(row.reason));
    }
  }
  file.close();
  if (!file) throw ResourceError(target.temporary().string() + ": cannot be written");
  target.commit();
}

ExitStatus bench(const RunConfig& config, const BenchFlags& flags) {
  Output output(config.output.json);
  std::ostream& out = output.text();
  const auto csv = flags.csv.empty() ? nullptr : std::make_unique<AtomicFile>(flags.csv);
  check_boundary(config.spmv, "hybrid");
  const auto devices = backends(config.backend);
  BenchPlan plan{flags.formats, flags.blocks, flags.repeats, config.spmv};
  std::ranges::sort(plan.blocks);
  const Bench measured(host_matrix(config, out), std::move(plan));

  std::vector<BenchRow> rows;
  Json report;
  for (const auto& backend : devices) {
    measured.run(
        *backend,
        [&](double copy) {
          report["copy_bandwidth"] = copy;
          out << fmt::format("\n{}: {}, copy {:.1f} GB/s\n", backend_name(backend->kind()),
                             backend->description(), copy * 1e-9)
              << fmt::format("{:18} {:4} {:>3} {:>10} {:>8} {:>9} {:>8} {:>7} {:>9} {:>8}  {}\n",
                             "format", "", "k", "ms", "GFLOPS", "memory", "GB/s", "of copy",
                             "error", "convert", "layout");
        },
        [&](const BenchRow& row) {
          print(out, row);
          rows.push_back(row);
        });
  }
  report["rows"] = Json::array();
  for (const BenchRow& row : rows) report["rows"].push_back(to_json(row));
  output.write(report);
  if (csv) write_csv(rows, *csv);
  return done;
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("bench", "Times products in every format, on every backend there is");
  const auto flags = std::make_shared<BenchFlags>();
  const auto config_flags = std::make_shared<ConfigFlags>(
      command, std::vector<ConfigFlags::Flags>{input_flags(),
                                               {{"--backend", "backend.name"},
                                                {"--threads", "backend.threads"},
                                                {"--json", "output.json"}}});
  command.add_option("--block", flags->blocks, "Numbers of vectors at once (default 1,4,8)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  command.add_option("--format", flags->formats, "Formats to measure (default all, and eigen)")
      ->delimiter(',');
  command.add_option("--repeats", flags->repeats, "Timed runs of each product (default 20)")
      ->check(CLI::Range(1, 100000));
  command.add_option("--csv", flags->csv, "File for the table as CSV");
  command.callback([=, &action] {
    action = [=] {
      RunConfig config;
      config_flags->apply_to(config);
      return bench(config, *flags);
    };
  });
}

}  // namespace cisolve
