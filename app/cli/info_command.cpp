#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/help_format.hpp"
#include "app/config/boundary.hpp"
#include "app/files/command_files.hpp"
#include "app/memory/memory.hpp"
#include "app/model/open_model.hpp"
#include "app/model/stored_ways.hpp"
#include "app/page/matrix_picture.hpp"
#include "app/prepare/context.hpp"
#include "app/report/format_dump.hpp"
#include "app/report/info_report.hpp"
#include "app/report/origin.hpp"
#include "app/report/reference_report.hpp"
#include "app/report/report.hpp"
#include "app/report/spinor_report.hpp"
#include "app/run/run.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/text.hpp"
#include "core/thread_count.hpp"
#include "formats/format.hpp"
#include "hamiltonian/space/spaces.hpp"
#include "io/density_image.hpp"

namespace cisolve {
namespace {

struct InfoFlags {
  std::string picture, dump;
  int pixels = 1024;
  bool matrix = false;  ///< built whatever its size
};

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

FileKind kind_of_picture(const std::string& name) {
  return to_lower(name).ends_with(".svg") ? FileKind::svg : FileKind::png;
}

/// What of the matrix goes to files of its own.
class MatrixFiles {
 public:
  /// Throws InputError where they cannot be written or the format is unknown, before any work.
  MatrixFiles(const RunConfig& config, const InfoFlags& flags)
      : format_(find_format(first_format(config.spmv.format))),
        options_(config.spmv),
        picture_name_(flags.picture),
        title_(config.input.file.filename().string()),
        pixels_(flags.pixels) {
    if (!flags.picture.empty()) picture_ = std::make_unique<AtomicFile>(flags.picture);
    if (flags.dump.empty()) return;
    if (format_.dump == nullptr) {
      throw InputError("format " + format_.name +
                       " has no arrays of its own on the host: the vendor library takes those of "
                       "csr");
    }
    folder_ = std::make_unique<FormatFolder>(flags.dump);
  }

  bool any() const { return picture_ || folder_; }

  void write(const CsrMatrix& a, Json& report) {
    if (picture_) {
      const GrayImage image = density_image(a, pixels_);
      if (kind_of_picture(picture_name_) == FileKind::svg) {
        picture_->write(matrix_picture(image, a.rows, a.columns, title_));
      } else {
        write_png(image, picture_->temporary(), picture_name_);
        picture_->commit();
      }
      report["picture"] = {
          {"file", picture_name_}, {"width", image.width}, {"height", image.height}};
    }
    if (folder_) {
      dump_arrays(format_, a, options_, *folder_);
      folder_->commit({{"format", format_.name},
                       {"storage", format_.symmetric ? "upper" : "full"},
                       {"rows", a.rows},
                       {"columns", a.columns},
                       {"nonzeros", a.nonzeros()}});
      report["dump"] = {{"folder", folder_->folder().string()}, {"format", format_.name}};
    }
  }

 private:
  const Format& format_;
  FormatOptions options_;
  std::string picture_name_, title_;
  int pixels_;
  std::unique_ptr<AtomicFile> picture_;
  std::unique_ptr<FormatFolder> folder_;
};

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

/// Adds `spinors`. Says why the matrix is not built: that of full CI has more nonzeros than are
/// soon made.
std::string add_spinors(const SpinorIntegrals& active, int spinors, Json& report) {
  report["spinors"] = spinors_json(active, spinors);
  const double nonzeros = report["spinors"]["full_ci"]["nonzeros"].get<double>();
  return nonzeros <= soon_made ? "" : not_built(nonzeros);
}

/// Adds `reference` and `spaces`, the sizes of those there are over the active orbitals. Says why
/// the matrix is not built: it may have more nonzeros than are soon made, or there are too many
/// orbitals.
std::string add_sizes(const Determinants& determinants, Units units, Json& report) {
  constexpr int most_orbitals = OrbitalString::most_orbitals;
  const Integrals& active = determinants.active_integrals();
  if (active.orbitals > most_orbitals) {
    return fmt::format(
        "no space and no matrix: {} orbitals are active, expected at most {} "
        "(--frozen, --active)",
        active.orbitals, most_orbitals);
  }
  report["reference"] = reference_json(determinants, units);
  if (determinants.listed()) return "";
  const std::optional<RestrictedActiveSpace> ras = determinants.ras();
  const auto& wanted = determinants.config().space;
  report["spaces"] = spaces_json(active, wanted, ras);
  const std::string space = ras ? "ras" : space_name(wanted);
  const Json irrep = or_null(determinants.irrep());
  for (const Json& size : report["spaces"]) {
    if (size["space"] != space || size["irrep"] != irrep) continue;
    if (size["nonzeros"].get<double>() <= soon_made) return "";
    return not_built(size["nonzeros"].get<double>());
  }
  return "";
}

ExitStatus finish(const Model& model, Json& report, Output& output) {
  report["notes"] = model.notes();
  print_info(output.text(), report);
  add_origin(report);
  output.write(report);
  return done;
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
  if (const Determinants* const determinants = model->determinants()) {
    report["fcidump"] = fcidump_json(determinants->integrals());
    const std::string left_out = add_sizes(*determinants, model->units(), report);
    if (!left_out.empty() && !flags.matrix && !files.any()) {
      report["reason"] = left_out;
      return finish(*model, report, output);
    }
    const auto rows = static_cast<std::size_t>(model->rows());
    report["fcidump"]["alpha_strings"] = determinants->space().alpha().size();
    report["fcidump"]["beta_strings"] = determinants->space().beta().size();
    report["fcidump"]["determinants"] = determinants->space().size();
    // Row offsets of the matrix and of both regions.
    announce_host(3 * (rows + 1) * sizeof(Offset), elements.size_text(), log);
  }
  if (const auto [active, spinors] = model->spinors(); active != nullptr) {
    const std::string left_out = add_spinors(*active, spinors, report);
    if (!left_out.empty() && !flags.matrix && !files.any()) {
      report["reason"] = left_out;
      return finish(*model, report, output);
    }
  }
  const CsrMatrix& outline = elements.outline();
  const Boundary& boundary = config.spmv.boundary;
  check_boundary_value(boundary, outline.columns);
  report["matrix"] = rows_json(outline);
  if (elements.components() == 2) report["matrix"]["elements"] = "complex";

  // A packed file says what it can without being decoded, which a picture or arrays ask for.
  if (elements.packed() && !files.any()) {
    add_packed(*elements.packed(), report);
    if (boundary.by != Boundary::By::column) add_regions(outline, boundary, report);
    return finish(*model, report, output);
  }
  // Symmetry, the formats' sizes and a boundary by column need the columns as well.
  if (fits(elements, outline, report)) {
    const std::shared_ptr<const CsrMatrix> taken = elements.take();
    const CsrMatrix& a = *taken;
    const std::string difference = asymmetry(a, config.input.file.string());
    report["matrix"]["symmetric"] = difference.empty();
    if (!difference.empty()) report["matrix"]["asymmetry"] = difference;
    add_regions(a, boundary, report);
    report["features"] = features_json(a);
    const Json ranking = format_ranking(config, a, difference.empty(), backend);
    if (!ranking.is_null()) report["format_ranking"] = ranking;
    report["formats"] = formats_json(a, difference.empty(), config.spmv);
    files.write(a, report);
  } else if (files.any()) {
    throw ResourceError("no picture and no arrays: " + report["reason"].get<std::string>());
  } else if (boundary.by != Boundary::By::column) {
    add_regions(outline, boundary, report);
  }
  return finish(*model, report, output);
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
