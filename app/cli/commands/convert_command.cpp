#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/help_format.hpp"
#include "app/files/command_files.hpp"
#include "app/memory/memory.hpp"
#include "app/model/open_model.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "core/dense/field.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/text/text.hpp"
#include "io/hdf5/packed_file.hpp"
#include "io/matrix_file.hpp"

namespace cisolve {
namespace {

void check_files(const RunConfig& config, const std::filesystem::path& target) {
  if (to_lower(target.filename().string()).find("fcidump") != std::string::npos &&
      !is_matrix_output(target)) {
    throw InputError(target.string() +
                     ": FCIDUMP files cannot be written, for a matrix does not hold the integrals; "
                     "choose .mtx, .mtx.gz, .h5, .hdf5 or .npz");
  }
  CommandFiles files;
  files.reads_hamiltonian("INPUT", config.input.file);
  files.writes("OUTPUT", target, kind_of_matrix(target));
  files.check(config.output.force);
}

std::string size_text(const CsrMatrix& outline) {
  return fmt::format("{} rows, {} columns, {} {}", outline.rows, outline.columns,
                     outline.nonzeros(), nonzeros_name(outline.components));
}

ExitStatus convert(const RunConfig& config, const std::filesystem::path& target) {
  check_files(config, target);
  const Log log = Output("").log();
  refuse_matrix_over_pairs(config.input, "convert");
  const auto model = open_model(config.input, Storage::full, log);
  const auto a = require_elements(*model).take_announced(log);
  write_matrix(*a, target);
  std::cout << target.string() << ": " << size_text(*a) << '\n';
  return done;
}

/// The matrix packed in the fewest bytes, once it is sure that the host has room for them. Files
/// hold real ones.
PackedMatrix pack(const CsrMatrix& a, const Log& log) {
  require_real(a, "a packed file");
  PackedMatrix plan = plan_packed(a);
  announce_host(plan.bytes(), "packed, " + plan.description(a.nonzeros()), log);
  return to_packed(a, std::move(plan));
}

ExitStatus convert_packed(const RunConfig& config, const std::filesystem::path& target) {
  require_packed_name(target);
  check_files(config, target);
  const Log log = Output("").log();
  refuse_matrix_over_pairs(config.input, "convert");
  const auto model = open_model(config.input, Storage::full, log);
  Elements& elements = require_elements(*model);
  std::size_t bytes = 0;
  std::string size;
  if (const auto there = elements.take_packed()) {
    size = size_text(there->outline);
    bytes = there->matrix.bytes();
    write_packed(there->matrix, there->outline.nonzeros(), there->symmetric, target);
  } else {
    const auto taken = elements.take_announced(log);
    const CsrMatrix& a = *taken;
    size = size_text(a);
    const PackedMatrix m = pack(a, log);
    bytes = m.bytes();
    write_packed(m, a.nonzeros(), is_symmetric(a), target);
  }
  std::cout << target.string() << ": " << size << ", packed in " << format_bytes(bytes) << '\n';
  return done;
}

}  // namespace

void add_convert_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "convert", "Write an FCIDUMP or matrix file as a matrix file of another kind");
  const auto target = std::make_shared<std::string>();
  const auto format = std::make_shared<std::string>("csr");
  const auto flags = std::make_shared<ConfigFlags>(
      command,
      std::vector<ConfigFlags::Group>{
          input_flags(), determinant_flags(), {"Output and files", {{"--force", "output.force"}}}});
  command.add_option("OUTPUT", *target, "File to write: .mtx, .mtx.gz, .h5, .hdf5 or .npz")
      ->group("Output and files")
      ->required();
  command.add_option("--format", *format, "csr, or packed: of .h5 files (default csr)")
      ->group("Output and files")
      ->transform(CLI::IsMember({"csr", "packed"}, CLI::ignore_case))
      ->type_name("NAME");
  add_examples(command, {{"cisolve convert water.fcidump water.npz --space cisd",
                          "the matrix for SciPy's load_npz"},
                         {"cisolve convert water.fcidump water.h5 --format packed",
                          "in a few bytes an element, for further runs"}});
  command.callback([=, &action] {
    action = [=] {
      RunConfig config;
      flags->apply_to(config);
      return *format == "packed" ? convert_packed(config, *target) : convert(config, *target);
    };
  });
}

}  // namespace cisolve
