#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "app/bench/bench.hpp"
#include "app/bench/bench_page.hpp"
#include "app/bench/bench_report.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/help_format.hpp"
#include "app/config/boundary.hpp"
#include "app/files/command_files.hpp"
#include "app/model/open_model.hpp"
#include "app/prepare/context.hpp"
#include "app/report/info/info_report.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "app/ways/direct/listed_held.hpp"
#include "app/ways/direct/why_not_direct.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/threads/thread_count.hpp"
#include "hamiltonian/direct/direct_cost.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

struct BenchFlags {
  std::vector<std::string> formats;
  std::vector<int> blocks{1, 4, 8};
  std::vector<int> threads;  ///< empty: as configured
  int repeats = 20;
  double most_memory = 0.0;  ///< of a format, over csr's; 0: any
  std::string csv, chart;
};

/// The matrix that is measured.
struct Measured {
  std::shared_ptr<const CsrMatrix> a;  ///< null where it is not stored
  std::string why_not_stored;
};

/// The matrix, which is not stored if none of the names needs it, or if only `direct` has room.
Measured measured_matrix(Model& model, const RunConfig& config, const Log& log,
                         const std::vector<std::string>& names) {
  const Determinants* const determinants = model.determinants();
  const bool some_direct = std::ranges::count(names, direct_name) > 0;
  const bool direct = some_direct && determinants != nullptr &&
                      direct_unavailable_reason(*determinants, BackendKind::cpu).empty();
  if (direct && std::ranges::all_of(names, [](const auto& n) { return n == direct_name; })) {
    return {nullptr, "nothing that is measured needs it"};
  }
  try {
    Measured made{require_elements(model).take_announced(log), ""};
    check_boundary_value(config.spmv.boundary, made.a->columns);
    return made;
  } catch (const ResourceError& error) {
    if (!direct) throw;
    return {nullptr, error.what()};
  }
}

/// Some rows of a Hamiltonian that has a direct product, evenly spread, to hold products against.
BenchReference some_rows(const Determinants& determinants) {
  constexpr Index most = 64;
  const CiSpace& space = *determinants.ranges();
  const std::int64_t n = space.size(), count = std::min<std::int64_t>(most, n);
  std::vector<Index> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back(static_cast<Index>((2 * i + 1) * n / (2 * count)));
  }
  const Integrals& integrals = determinants.active_integrals();
  const double nonzeros = are_listed_pairs(determinants)
                              ? listed_cost(ListedTables(integrals, space)).nonzeros
                              : direct_cost(DirectTables(integrals, space)).nonzeros;
  return {CiMatrixBuilder(integrals, space).some_rows(rows), rows, nonzeros};
}

std::string title_of(const RunConfig& config, const BenchReference& reference) {
  const std::string title = fmt::format("{}: {} rows, {} columns, ", config.input.file.string(),
                                        reference.size(), reference.a->columns);
  if (reference.rows.empty()) {
    return title + fmt::format("{} nonzeros{}", reference.a->nonzeros(),
                               reference.a->components == 2 ? ", complex" : "");
  }
  return title + fmt::format("{:.3g} nonzeros, not stored: errors are those of {} rows",
                             reference.nonzeros, reference.rows.size());
}

std::vector<std::string> in_small_letters(std::vector<std::string> names) {
  for (std::string& name : names) name = to_lower(name);
  return names;
}

/// The numbers asked for, each once, the smallest first; 0 is what OpenMP offers.
std::vector<int> thread_counts(std::vector<int> asked, int configured) {
  if (asked.empty()) asked = {configured};
  std::ranges::replace(asked, 0, omp_get_max_threads());
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  return asked;
}

/// Puts in the place of formats that take too much memory a refusal that says so.
void leave_out(double most_memory, const CsrMatrix& a, const FormatOptions& options,
               std::vector<Candidate>& candidates) {
  if (most_memory == 0.0) return;
  const auto csr = static_cast<double>(CsrMatrix::bytes(a.rows, a.nonzeros(), a.components));
  for (Candidate& candidate : candidates) {
    const auto format = std::ranges::find(formats(), candidate.name, &Format::name);
    if (format == formats().end()) continue;
    const double ratio = static_cast<double>(format->bytes(a, options)) / csr;
    if (ratio <= most_memory) continue;
    candidate.make = [ratio](Backend&) -> std::unique_ptr<Contender> {
      throw ResourceError(fmt::format("takes {:.1f} times as much memory as csr", ratio));
    };
  }
}

/// Leaves out the contenders that need the stored matrix.
void leave_stored_out(const std::string& reason, std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) {
    if (candidate.name == direct_name) continue;
    candidate.make = [reason](Backend&) -> std::unique_ptr<Contender> {
      throw ResourceError(reason);
    };
  }
}

/// Measurements by backend, in this order: the serial product first, alone on one thread unless
/// others run there too, then every number of threads, then the device.
class BenchRun {
 public:
  BenchRun(const RunConfig& config, const BenchFlags& flags, const Log& log)
      : config_(config),
        names_(flags.formats.empty() ? contender_names() : in_small_letters(flags.formats)),
        most_memory_(flags.most_memory),
        threads_(thread_counts(flags.threads, config.backend.threads)) {
    on_cpu_ = config.backend.name != Device::cuda;
    if (chosen_backend(config.backend, log) == BackendKind::cuda) {
      device_ = make_cuda_backend(config.backend.device);
    }
    require_some();
  }

  int most_threads() const { return threads_.back(); }

  const std::vector<std::string>& names() const { return names_; }

  void operator()(const Determinants* determinants, const Measured& matrix, Bench& bench,
                  const Bench::Watch& watch) {
    const auto measure = [&](Backend& backend, const std::vector<std::string>& names) {
      auto list = candidates(names, backend.kind(), matrix.a, config_.spmv, determinants);
      if (matrix.a) {
        leave_out(most_memory_, *matrix.a, config_.spmv, list);
      } else {
        leave_stored_out(matrix.why_not_stored, list);
      }
      if (!list.empty()) bench.run(backend, list, watch);
    };
    if (on_cpu_) {
      std::vector<std::string> others = names_;
      const bool serial = std::erase(others, serial_name) > 0;
      if (serial && threads_.front() > 1) {
        const ThreadCount one(1);
        measure(*make_cpu_backend(), {serial_name});
      }
      for (const int threads : threads_) {
        std::vector<std::string> names = others;
        if (serial && threads == 1) names.insert(names.begin(), serial_name);
        const ThreadCount count(threads);
        measure(*make_cpu_backend(), names);
      }
    }
    if (device_) measure(*device_, names_);
  }

 private:
  /// Throws InputError on unknown names, and where none of them belongs to these backends.
  void require_some() const {
    const auto none_on = [&](BackendKind kind) {
      return candidates(names_, kind, nullptr, config_.spmv).empty();
    };
    if ((on_cpu_ && !none_on(BackendKind::cpu)) || (device_ && !none_on(BackendKind::cuda))) return;
    throw InputError(
        "--format: nothing to measure: serial and eigen run on the CPU, cusparse_spmm_colmajor on "
        "a GPU");
  }

  const RunConfig& config_;
  std::vector<std::string> names_;
  double most_memory_;
  std::vector<int> threads_;
  bool on_cpu_ = true;
  std::unique_ptr<Backend> device_;
};

void check_files(const RunConfig& config, const BenchFlags& flags) {
  CommandFiles files;
  files.reads_hamiltonian("INPUT", config.input.file);
  files.reports("output.json", config.output.json);
  files.writes("output.html", config.output.html, FileKind::page);
  files.writes("--csv", flags.csv, FileKind::bench_table);
  files.writes("--chart", flags.chart, FileKind::svg);
  files.check(config.output.force);
}

ExitStatus bench(const RunConfig& config, const BenchFlags& flags) {
  check_files(config, flags);
  Output output(config.output.json);
  std::ostream& out = output.text();
  const auto csv = output_file(flags.csv), chart = output_file(flags.chart),
             page = output_file(config.output.html);
  check_boundary(config.spmv, find_format("hybrid"));
  require_deterministic(find_format("hybrid"), config.spmv);  // other formats give a reason
  if (config.spmv.off_diagonal == Precision::float32) {
    out << "off-diagonals in float32: such products may be off by 2^-20 (relative), others by "
           "1e-10\n";
  }
  BenchRun measure(config, flags, output.log());
  const ThreadCount most(measure.most_threads());
  refuse_matrix_over_pairs(config.input, "bench");
  const auto model = open_model(config.input, Storage::full, output.log());
  model->rows();
  const Measured matrix = measured_matrix(*model, config, output.log(), measure.names());
  const BenchReference reference =
      matrix.a ? BenchReference(matrix.a) : some_rows(*model->determinants());
  const std::string title = title_of(config, reference);
  out << title << '\n';

  Bench bench(reference, flags.blocks, flags.repeats);
  measure(model->determinants(), matrix, bench,
          {[&](const BenchPass& pass) { print(out, pass); },
           [&](const BenchRow& row) {
             if (row.reason.empty()) print(out, row);
           }});
  const std::vector<Refusal> refused = refusals(bench.rows());
  print(out, refused);
  print_best(out, best_formats(bench.rows()));
  Json report = bench_json(bench);
  if (matrix.a) report["features"] = features_json(*matrix.a);
  if (!reference.rows.empty()) report["compared_rows"] = reference.rows.size();
  output.write(report);
  if (csv) csv->write(bench_csv(bench.rows()));
  const BarChart drawn = bench_chart(title, bench);
  if (chart) chart->write(to_svg(drawn));
  if (page) page->write(bench_page(title, report, refused, drawn));
  return done;
}

constexpr const char* measured = "What is measured";
constexpr const char* output_files = "Output and files";

/// Flags that are no keys of the configuration.
void add_own_flags(CLI::App& command, BenchFlags& flags) {
  /// One argument, which may name several values.
  const auto add_list = [&command](const char* flag, auto& values, const char* doc) {
    return command.add_option(flag, values, doc)
        ->delimiter(',')
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add_list("--threads", flags.threads,
           "Numbers of OpenMP threads; 0: what OpenMP offers (0 to 1024; default 0)")
      ->check(CLI::Range(0, 1024))
      ->type_name("LIST")
      ->group(measured);
  add_list("--block", flags.blocks, "Numbers of vectors at once (1 to 1024; default 1,4,8)")
      ->check(CLI::Range(1, 1024))
      ->type_name("LIST")
      ->group(measured);
  add_list("--format", flags.formats,
           "What to measure: formats, serial, eigen, cusparse_spmm_colmajor (default all these), "
           "and direct: products of full CI, or over pairs of listed strings, made of the "
           "integrals")
      ->type_name("LIST")
      ->group(measured);
  command.add_option("--repeats", flags.repeats, "Timed runs of each product (default 20)")
      ->check(CLI::Range(1, 100000))
      ->type_name("NUMBER")
      ->group(measured);
  command
      .add_option("--most-memory", flags.most_memory,
                  "Leave out formats that take more than so many times csr's memory (default any)")
      ->check(CLI::Range(1.0, 1e9))
      ->type_name("NUMBER")
      ->group(measured);
  command.add_option("--csv", flags.csv, "File for the table as CSV")
      ->type_name("FILE")
      ->group(output_files);
  command.add_option("--chart", flags.chart, "File for a bar chart of GFLOPS as SVG")
      ->type_name("FILE")
      ->group(output_files);
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("bench", "Time products in every format, on every backend");
  const auto flags = std::make_shared<BenchFlags>();
  const auto config_flags = std::make_shared<ConfigFlags>(
      command,
      std::vector<ConfigFlags::Group>{
          input_flags(),
          determinant_flags(),
          {measured, {{"--backend", "backend.name"}, {"--deterministic", "spmv.deterministic"}}},
          {output_files,
           {{"--json", "output.json"}, {"--html", "output.html"}, {"--force", "output.force"}}}});
  add_own_flags(command, *flags);
  add_examples(command, {{"cisolve bench water.fcidump --space cisd --format csr,sell,packed",
                          "three formats on every backend there is"},
                         {"cisolve bench matrix.mtx --threads 1,4 --chart bench.svg",
                          "all formats with one thread and with four, as a picture"}});
  command.callback([=, &action] {
    action = [=] {
      RunConfig config;
      config_flags->apply_to(config);
      return bench(config, *flags);
    };
  });
}

}  // namespace cisolve
