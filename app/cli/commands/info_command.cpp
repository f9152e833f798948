#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

#include "app/cli/command_line.hpp"
#include "app/cli/commands/matrix_files.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/help_format.hpp"
#include "app/config/boundary.hpp"
#include "app/files/command_files.hpp"
#include "app/input/determinants/restricted_active_space.hpp"
#include "app/memory/memory.hpp"
#include "app/model/open_model.hpp"
#include "app/model/stored_ways.hpp"
#include "app/prepare/context.hpp"
#include "app/report/info/info_report.hpp"
#include "app/report/info/reference_report.hpp"
#include "app/report/info/settings_report.hpp"
#include "app/report/info/spinor_report.hpp"
#include "app/report/origin.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/text/text.hpp"
#include "core/threads/thread_count.hpp"
#include "formats/format.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

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

/// True if the whole matrix can be had; else `report` says why not.
bool fits(Elements& elements, const CsrMatrix& outline, Json& report) {
  const std::size_t needed =
      CsrMatrix::bytes(outline.rows, outline.nonzeros(), elements.components());
  const std::size_t available = available_host_memory();
  if (!elements.of_determinants() || needed <= available) return true;
  report["formats"] = Json::array({{{"format", "csr"}, {"bytes", needed}}});
  report["reason"] = "the other formats are left out: the matrix needs " + format_bytes(needed) +
                     ", and " + format_bytes(available) + " are available";
  return false;
}

constexpr double soon_made = 3e6;  ///< nonzeros, in some ten milliseconds

std::string not_built(double nonzeros) {
  return fmt::format(
      "the matrix, of about {:.2g} nonzeros, is not built for this; --matrix builds it", nonzeros);
}

/// Facts of the input's rows, by which settings are chosen.
struct RowFacts {
  double rows = 0.0;
  bool direct = false;   ///< products may be made without a matrix
  bool kramers = false;  ///< eigenstates are sought as Kramers pairs
  std::string reason;    ///< why the matrix is not built; empty: it is
};

/// True if all determinants are taken.
bool is_full_ci(const DeterminantSettings& settings) {
  return settings.space == Space::fci && settings.determinants.empty() &&
         settings.strings.empty() && !asks_for_ras(settings);
}

/// Adds `spinors`. The matrix of full CI is not built if it has more nonzeros than are soon made.
RowFacts add_spinors(const SpinorIntegrals& active, int spinors, const InputConfig& input,
                     Json& report) {
  const Json& made = report["spinors"] = spinors_json(active, spinors);
  const double nonzeros = made["full_ci"]["nonzeros"].get<double>();
  RowFacts facts;
  facts.rows = made["full_ci"]["determinants"].get<double>();
  facts.direct = is_full_ci(input);
  facts.kramers = facts.direct && input.kramers != Kramers::off && made.contains("kramers_pairs");
  if (nonzeros > soon_made) facts.reason = not_built(nonzeros);
  return facts;
}

/// Adds `reference` and `spaces`, the sizes of those there are over the active orbitals. The matrix
/// is not built if it may have more nonzeros than are soon made, or there are too many orbitals.
RowFacts add_sizes(const Determinants& determinants, Units units, Json& report) {
  constexpr int most_orbitals = OrbitalString::most_orbitals;
  const Integrals& active = determinants.active_integrals();
  RowFacts facts;
  if (active.orbitals > most_orbitals) {
    facts.reason = fmt::format(
        "no space and no matrix: {} orbitals are active, expected at most {} "
        "(--frozen, --active)",
        active.orbitals, most_orbitals);
    return facts;
  }
  report["reference"] = reference_json(determinants, units);
  if (determinants.listed()) return facts;
  const std::optional<RestrictedActiveSpace> ras = determinants.ras();
  const auto& wanted = determinants.config().space;
  report["spaces"] = spaces_json(active, wanted, ras);
  const std::string space = ras ? "ras" : space_name(wanted);
  const Json irrep = or_null(determinants.irrep());
  for (const Json& size : report["spaces"]) {
    if (size["space"] != space || size["irrep"] != irrep) continue;
    facts.rows = size["determinants"].get<double>();
    facts.direct = is_full_ci(determinants.config());
    const double nonzeros = size["nonzeros"].get<double>();
    if (nonzeros > soon_made) facts.reason = not_built(nonzeros);
  }
  return facts;
}

/// Adds the contents of a file of integrals; nothing of a matrix file.
RowFacts add_integrals(const Model& model, const InputConfig& input, Json& report) {
  if (const Determinants* const determinants = model.determinants()) {
    report["fcidump"] = fcidump_json(determinants->integrals());
    return add_sizes(*determinants, model.units(), report);
  }
  const auto [active, spinors] = model.spinors();
  return active != nullptr ? add_spinors(*active, spinors, input, report) : RowFacts{};
}

/// Adds the sizes of a space that is built for its matrix.
void add_space(Model& model, const Elements& elements, Json& report, const Log& log) {
  const Determinants* const determinants = model.determinants();
  if (determinants == nullptr) return;
  const auto rows = static_cast<std::size_t>(model.rows());
  report["fcidump"]["alpha_strings"] = determinants->space().alpha().size();
  report["fcidump"]["beta_strings"] = determinants->space().beta().size();
  report["fcidump"]["determinants"] = determinants->space().size();
  // Row offsets of the matrix and of both regions.
  announce_host(3 * (rows + 1) * sizeof(Offset), elements.size_text(), log);
}

/// Adds what needs the columns as well: symmetry, the formats' sizes and a boundary by column.
void add_elements(const RunConfig& config, Elements& elements, BackendKind backend,
                  MatrixFiles& files, Json& report) {
  const std::shared_ptr<const CsrMatrix> taken = elements.take();
  const CsrMatrix& a = *taken;
  const std::string difference = asymmetry(a, config.input.file.string());
  report["matrix"]["symmetric"] = difference.empty();
  if (!difference.empty()) report["matrix"]["asymmetry"] = difference;
  add_regions(a, config.spmv.boundary, report);
  report["features"] = features_json(a);
  const Json ranking = format_ranking(config, a, difference.empty(), backend);
  if (!ranking.is_null()) report["format_ranking"] = ranking;
  report["formats"] = formats_json(a, difference.empty(), config.spmv);
  files.write(a, report);
}

/// Adds the statistics of the matrix and writes its files.
void add_matrix(const RunConfig& config, Elements& elements, BackendKind backend,
                MatrixFiles& files, Json& report) {
  const CsrMatrix& outline = elements.outline();
  const Boundary& boundary = config.spmv.boundary;
  const bool by_column = boundary.by == Boundary::By::column;
  check_boundary_value(boundary, outline.columns);
  report["matrix"] = rows_json(outline);
  if (elements.components() == 2) report["matrix"]["elements"] = "complex";

  // A packed file says what it can without being decoded, which a picture or arrays ask for.
  if (elements.packed() && !files.any()) {
    add_packed(*elements.packed(), report);
    if (!by_column) add_regions(outline, boundary, report);
  } else if (fits(elements, outline, report)) {
    add_elements(config, elements, backend, files, report);
  } else if (files.any()) {
    throw ResourceError("no picture and no arrays: " + report["reason"].get<std::string>());
  } else if (!by_column) {
    add_regions(outline, boundary, report);
  }
}

/// Adds `settings`, of an eigenproblem; none of a matrix that has no eigenstates here.
void add_settings(const RunConfig& config, const Model& model, const RowFacts& facts,
                  BackendKind backend, Json& report) {
  SettingsCase of{model.units(),
                  facts.rows,
                  facts.direct,
                  facts.kramers,
                  backend,
                  omp_get_max_threads(),
                  model.determinants() != nullptr};
  if (report.contains("matrix")) {
    const Json& matrix = report["matrix"];
    if (matrix["rows"] != matrix["columns"] || !matrix.value("symmetric", true)) return;
    of.rows = matrix["rows"].get<double>();
  }
  const Json settings = settings_json(config, of);
  if (!settings.is_null()) report["settings"] = settings;
}

void check_files(const RunConfig& config, const InfoFlags& flags) {
  CommandFiles files;
  files.reads_hamiltonian("INPUT", config.input.file);
  files.reads("spmv.network", config.spmv.network);
  files.reports("output.json", config.output.json);
  files.writes("--picture", flags.picture, kind_of_picture(flags.picture));
  files.writes_carefully("--dump", flags.dump);
  files.check(config.output.force);
}

ExitStatus info(const RunConfig& config, const InfoFlags& flags) {
  check_files(config, flags);
  const ThreadCount threads(config.backend.threads);
  Output output(config.output.json);
  const Log log = output.log();
  check_boundary(config.spmv, find_format("hybrid"));
  MatrixFiles files(config, flags);
  const BackendKind backend = chosen_backend(config.backend, log);
  check_choice(config, backend);
  const auto model = open_model(config.input, Storage::full, log);
  Elements& elements = require_elements(*model);
  Json report;
  report["file"] = config.input.file.string();
  report["kind"] = model->kind();
  const RowFacts facts = add_integrals(*model, config.input, report);
  if (facts.reason.empty() || flags.matrix || files.any()) {
    add_space(*model, elements, report, log);
    add_matrix(config, elements, backend, files, report);
  } else {
    report["reason"] = facts.reason;
  }
  add_settings(config, *model, facts, backend, report);
  report["notes"] = model->notes();
  print_info(output.text(), report);
  add_origin(report);
  output.write(report);
  return done;
}

}  // namespace

void add_info_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "info", "Show what is in a file: sizes of CI spaces, or statistics of a matrix");
  const auto flags = std::make_shared<InfoFlags>();
  constexpr const char* output = "Output and files";
  const auto config_flags = std::make_shared<ConfigFlags>(
      command, std::vector<ConfigFlags::Group>{
                   input_flags(),
                   determinant_flags(),
                   machine_flags(),
                   {output, {{"--json", "output.json"}, {"--force", "output.force"}}}});
  CLI::Option* picture =
      command
          .add_option("--picture", flags->picture,
                      "File for a picture of the nonzeros: .svg with the numbers of rows and "
                      "columns, otherwise PNG")
          ->type_name("FILE")
          ->group(output);
  command
      .add_option("--pixels", flags->pixels,
                  "Longest side of the picture (1 to 16384; default 1024)")
      ->check(CLI::Range(1, 16384))
      ->type_name("NUMBER")
      ->group(output)
      ->needs(picture);
  command
      .add_flag("--matrix", flags->matrix,
                "Build the matrix of an FCIDUMP file whatever its size, for its statistics")
      ->group(output);
  command
      .add_option("--dump", flags->dump,
                  "Folder, new or empty, for the arrays of --format as .npy files")
      ->type_name("FOLDER")
      ->group(output);
  add_examples(command,
               {{"cisolve info water.fcidump --space cisd",
                 "what is in the file, and what the matrix takes in every format"},
                {"cisolve info matrix.mtx --picture matrix.png", "where its nonzeros are"}});
  command.callback([=, &action] {
    action = [=]() -> int {
      RunConfig config;
      config_flags->apply_to(config);
      return info(config, *flags);
    };
  });
}

}  // namespace cisolve
