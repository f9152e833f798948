#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "app/cli/command_line.hpp"
#include "app/cli/help_format.hpp"
#include "app/files/command_files.hpp"
#include "app/model/open_model.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "io/matrix_file.hpp"

namespace cisolve {
namespace {

struct GenerateFlags {
  std::string output, kind;
  std::map<std::string, std::string> values;  ///< by key
  bool symmetric = false, force = false;
};

struct Flag {
  const char* flag;
  const char* key;
  const char* doc;
};
constexpr Flag value_flags[] = {
    {"--rows", "rows",
     "rows and columns, of all but stencil, recursive, hubbard, molecule (default 32768)"},
    {"--reference-fraction", "reference_fraction",
     "ci: part of the columns that is the reference region (default 0.1)"},
    {"--reference-density", "reference_density", "ci: density there (default 0.2)"},
    {"--expansion-density", "expansion_density", "ci: density elsewhere (default 0.01)"},
    {"--bandwidth", "bandwidth",
     "banded, runs, arrow: largest |i - j| (default 16, any, 4 beside the dense part)"},
    {"--per-row", "per_row",
     "random, power_law, runs, hubs, recursive: nonzeros of a row on average (default 32, 8, 16)"},
    {"--exponent", "exponent", "power_law: of the lengths of rows, above 2 (default 2.5)"},
    {"--side", "side", "stencil: points along each dimension (default 100)"},
    {"--dimensions", "dimensions", "stencil: 1, 2 or 3 (default 2)"},
    {"--box", "box", "stencil: true: the points across corners too (default false)"},
    {"--block-size", "block_size", "blocks: rows of a dense block (default 8)"},
    {"--blocks-per-row", "blocks_per_row", "blocks: blocks beside one another (default 4)"},
    {"--count", "count", "diagonals: how many (default 16)"},
    {"--density", "density", "diagonals: part of their elements that is there (default 1)"},
    {"--length", "length", "runs: consecutive columns (default 8)"},
    {"--width", "width", "arrow: dense rows and columns (default 16)"},
    {"--hubs", "hubs", "hubs: long rows (default 16)"},
    {"--hub-length", "hub_length", "hubs: nonzeros of a long row (default a tenth of the rows)"},
    {"--levels", "levels", "recursive: 2^levels rows (default 15)"},
    {"--skew", "skew", "recursive: 0 to 0.74, how unlike the quarters are (default 0.32)"},
    {"--seed", "seed", "of all but hubbard (default 1)"},
    {"--sites", "sites", "hubbard: sites of the ring (default 8)"},
    {"--t", "t", "hubbard: hopping (default 1)"},
    {"--U", "U", "hubbard: repulsion on a site (default 4)"},
    {"--orbitals", "orbitals", "molecule: orbitals (default 8)"},
    {"--irreps", "irreps", "molecule: irreps the orbitals take in turn, 1, 2, 4 or 8 (default 1)"},
    {"--electrons", "electrons", "hubbard, molecule: electrons (default one per site or orbital)"},
};

ExitStatus generate(const GenerateFlags& flags) {
  CommandFiles files;
  files.writes("OUTPUT", flags.output, kind_of_matrix(flags.output));
  files.check(flags.force);
  std::string name = "generate:" + flags.kind;
  for (const auto& [key, value] : flags.values) {
    if (!value.empty()) name += "," + key + "=" + value;
  }
  if (flags.symmetric) name += ",symmetric=true";
  InputConfig input;
  input.file = name;
  const Log log = Output("").log();
  const auto model = open_model(input, Storage::full, log);
  const auto taken = require_elements(*model).take_announced(log);
  const CsrMatrix& a = *taken;
  write_matrix(a, flags.output);
  std::cout << fmt::format("{}: {} rows, {} columns, {} nonzeros ({})\n", flags.output, a.rows,
                           a.columns, a.nonzeros(), name);
  return done;
}

}  // namespace

void add_generate_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "generate",
      "Write a test matrix made from a seed, or a model Hamiltonian; other commands make it on the "
      "spot with generate:KIND,key=value,... as INPUT");
  const auto flags = std::make_shared<GenerateFlags>();
  command.add_option("OUTPUT", flags->output, "File to write: .mtx, .mtx.gz, .h5, .hdf5 or .npz")
      ->group("Matrix")
      ->required();
  command
      .add_option("--kind", flags->kind,
                  "ci, banded, random, power_law, stencil, blocks, diagonals, runs, arrow, hubs, "
                  "recursive, hubbard or molecule")
      ->type_name("NAME")
      ->group("Matrix")
      ->required();
  for (const Flag& flag : value_flags) {
    command.add_option(flag.flag, flags->values[flag.key], flag.doc)
        ->type_name("VALUE")
        ->group("Matrix");
  }
  command.add_flag("--symmetric", flags->symmetric,
                   "of all but hubbard and molecule, which are: a symmetric matrix");
  command.add_flag("--force", flags->force, find_field("output.force").doc);
  add_examples(command, {{"cisolve generate ring.mtx --kind hubbard --sites 8 --U 4",
                          "the Hubbard ring with one electron a site"},
                         {"cisolve eigen generate:hubbard,sites=8,U=4",
                          "its ground state, without a file"}});
  command.callback([flags, &action] { action = [flags] { return generate(*flags); }; });
}

}  // namespace cisolve
