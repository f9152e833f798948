#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "app/command_line.hpp"
#include "app/config_flags.hpp"
#include "app/run.hpp"
#include "app/source.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/atomic_file.hpp"
#include "io/matrix_file.hpp"

namespace cisolve {
namespace {

void require_writable(const std::filesystem::path& target) {
  if (!is_matrix_file(target)) {
    const std::string name = to_lower(target.filename().string());
    throw InputError(target.string() +
                     (name.find("fcidump") == name.npos
                          ? ": expected a name that ends in .mtx, .mtx.gz, .h5, .hdf5 or .npz"
                          : ": FCIDUMP files cannot be written, for a matrix does not hold the "
                            "integrals; choose .mtx, .mtx.gz, .h5, .hdf5 or .npz"));
  }
  const AtomicFile probe(target);  // throws where the folder cannot be written
}

ExitStatus convert(const RunConfig& config, const std::filesystem::path& target) {
  require_writable(target);
  HamiltonianSource source(config.input);
  const CsrMatrix a = source.take_announced(std::cout);
  write_matrix(a, target);
  std::cout << fmt::format("{}: {} rows, {} columns, {} nonzeros\n", target.string(), a.rows,
                           a.columns, a.nonzeros());
  return done;
}

}  // namespace

void add_convert_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "convert", "From FCIDUMP or a matrix file to another kind of matrix file");
  const auto target = std::make_shared<std::string>();
  const auto flags =
      std::make_shared<ConfigFlags>(command, std::vector<ConfigFlags::Flags>{input_flags()});
  command.add_option("OUTPUT", *target, "File to write: .mtx, .mtx.gz, .h5, .hdf5 or .npz")
      ->required();
  command.callback([=, &action] {
    action = [=] {
      RunConfig config;
      flags->apply_to(config);
      return convert(config, *target);
    };
  });
}

}  // namespace cisolve
