// The words that people read and type: units, names, labels, help, suggestions.
#include "tests/support/application.hpp"

#include <algorithm>
#include <csignal>
#include <regex>
#include <sstream>
#include <utility>

namespace cisolve {
namespace {

class Words : public Application {
 protected:
  static bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  /// Output of a run that ends with status 0.
  std::string text_of(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    return outcome.out;
  }
};

TEST_F(Words, EnergiesOfAMatrixHaveAUnitWhereOneIsGiven) {
  write_pair();  // of 1 and 3
  const std::string pair = "eigen pair.mtx --states 2 --backend cpu --json r.json ";
  std::string text = text_of(pair);
  for (const char* unit : {"Hartree", "eV", "cm^-1"}) EXPECT_FALSE(holds(text, unit)) << text;
  EXPECT_TRUE(holds(text, "eigenvalue     above first")) << text;
  nlohmann::json r = json("r.json");
  EXPECT_TRUE(r["units"].is_null());
  EXPECT_NEAR(r["states"][1]["excitation"].get<double>(), 2.0, 1e-12);
  EXPECT_TRUE(r["states"][1]["excitation_ev"].is_null());
  EXPECT_TRUE(r["states"][1]["excitation_cm1"].is_null());

  text = text_of(pair + "--units eV");
  EXPECT_TRUE(holds(text, "total energy / eV  excitation / eV")) << text;
  EXPECT_FALSE(holds(text, "Hartree")) << text;
  r = json("r.json");
  EXPECT_EQ(r["units"], "ev");
  EXPECT_NEAR(r["states"][1]["energy"].get<double>(), 3.0, 1e-12);
  EXPECT_NEAR(r["states"][1]["excitation_ev"].get<double>(), 2.0, 1e-12);
  EXPECT_NEAR(r["states"][1]["excitation_cm1"].get<double>(), 16131.0878, 1e-3);

  text_of(pair + "--units cm-1");
  EXPECT_NEAR(json("r.json")["states"][1]["excitation_ev"].get<double>(), 2 * 1.239841984e-4,
              1e-12);
  text_of(pair + "--units hartree");
  EXPECT_NEAR(json("r.json")["states"][1]["excitation_ev"].get<double>(), 2 * 27.211386245988,
              1e-9);
  EXPECT_TRUE(holds(text_of("linear pair.mtx --shift-from-ground -1 --backend cpu --units ev"),
                    "ground      1.0000000000 eV,"));
}

TEST_F(Words, IntegralsOfFilesAreInHartreeOrWithoutAUnit) {
  const std::string h2 = "eigen " + data + "h2_sto3g.fcidump --backend cpu --json r.json ";
  EXPECT_TRUE(holds(text_of(h2), "total energy / Hartree  excitation / eV"));
  EXPECT_EQ(json("r.json")["units"], "hartree");
  const double energy = json("r.json")["states"][0]["energy"];
  const Outcome outcome = run(h2 + "--units none");
  expect_says(outcome, "the integrals are taken to be without a unit");
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), energy, 1e-11)
      << "nothing is converted";
  EXPECT_EQ(json("r.json")["notes"].size(), 1u);
  for (const char* unit : {"ev", "cm-1"}) {
    const Outcome refused = run(h2 + "--units " + unit);
    EXPECT_EQ(refused.status, 1) << unit;
    EXPECT_TRUE(holds(refused.err, "in Hartree by convention, and nothing is converted"))
        << refused.err;
    EXPECT_TRUE(holds(refused.err, "--units none gives energies in that unit")) << refused.err;
  }
  EXPECT_FALSE(holds(text_of("eigen generate:hubbard,sites=4 --backend cpu"), "Hartree"));
}

TEST_F(Words, TheTableOfStatesNamesIrreps) {
  const std::string text = text_of("eigen " + data + "be_ccpvdz.fcidump --states 2 --backend cpu");
  EXPECT_TRUE(holds(text, "/ cm^-1  irrep   2S+1")) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\n    1 .* 0\\.00      0      1 "))) << text;
  EXPECT_FALSE(holds(text_of("eigen " + data + "nh3_sto3g.fcidump --backend cpu"), "irrep"))
      << "its orbitals have none";
}

TEST_F(Words, ZeroHasNoSign) {
  for (const char* input : {"nh3_sto3g.fcidump --states 6",
                            "lih_ccpvdz.fcidump --states 8 --space "
                            "cisd",
                            "be_ccpvdz.fcidump --states 8"}) {
    const std::string text = text_of("eigen " + data + input + " --backend cpu");
    EXPECT_FALSE(std::regex_search(text, std::regex("-0\\.0+(\\s|$)"))) << text;
  }
}

TEST_F(Words, EveryTimeHasALabel) {
  const std::string text = text_of("eigen " + data +
                                   "nh3_sto3g.fcidump --backend cpu "
                                   "--checkpoint c.h5");
  EXPECT_FALSE(std::regex_search(text, std::regex("\\([0-9.]+ s\\)"))) << text;
  EXPECT_TRUE(holds(text, "; products took "));
  EXPECT_TRUE(holds(text, "; writing took "));
  write_pair();
  EXPECT_TRUE(
      holds(text_of("linear pair.mtx --shift-from-ground -1 --backend cpu"), "; finding it took "));
}

TEST_F(Words, ThePlanIsSaidOnce) {
  for (const std::string command : {"convert ", "info ", "bench --repeats 1 --format csr "}) {
    const std::string output = command == "convert " ? " a.mtx" : "";
    const std::string text = text_of(command + data + "nh3_sto3g.fcidump --space cis" + output);
    EXPECT_EQ(count(text, "everything fits"), 1) << text;
  }
}

TEST_F(Words, NamesAreTheSameInCapitals) {
  write_pair();
  text_of("eigen pair.mtx --format DIA --backend CPU --method Davidson --json r.json");
  EXPECT_EQ(json("r.json")["matrix"]["format"], "dia");
  EXPECT_EQ(json("r.json")["config"]["spmv"]["format"], "dia");
  text_of("eigen pair.mtx --format AUTO --backend cpu");
  text_of("linear pair.mtx --method CG --format Csr --backend Cpu");
  text_of("bench pair.mtx --format CSR,Serial --backend cpu --repeats 1");
  text_of("convert pair.mtx a.h5 --format PACKED");
  text_of("info pair.mtx --format ELL --dump d");
}

TEST_F(Words, AReaderThatGoesEndsTheProgramQuietly) {
  write_pair();
  for (const char* arguments :
       {"eigen pair.mtx --backend cpu", "eigen pair.mtx --backend cpu --json -",
        "linear pair.mtx --backend cpu", "info pair.mtx", "formats", "run --keys",
        "eigen --help"}) {
    // The reader is gone before anything is written.
    const Outcome outcome = shell("bash -c '{ sleep 0.3; \"$0\" " + std::string(arguments) +
                                  "; echo $? > status.txt; } | true' \"$CISOLVE\"");
    EXPECT_EQ(contents(folder_ / "status.txt"), std::to_string(128 + SIGPIPE) + "\n") << arguments;
    EXPECT_FALSE(holds(outcome.err, "error:")) << outcome.err;
  }
}

TEST_F(Words, AReaderThatGoesTakesNoFilesWithIt) {
  write_pair();
  shell("{ sleep 0.3; \"$CISOLVE\" eigen pair.mtx --backend cpu --json r.json; } | true");
  EXPECT_EQ(json("r.json")["status"], "converged");
}

TEST_F(Words, TheSearchForLowerStatesHasItsOwnLines) {
  std::string text = text_of("eigen " + data + "nh3_sto3g.fcidump --backend cpu");
  const std::string line = "\nsearch for lower states, for about as long as the solve took";
  EXPECT_EQ(count(text, line), 1) << text;
  EXPECT_LT(text.find("\niteration "), text.find(line)) << text;
  EXPECT_LT(text.find(line), text.find("\nstate ")) << text;
  // A chain, whose dense levels take long to tell apart.
  text = text_of("eigen " + data +
                 "h8_chain_sto3g.fcidump --states 4 --backend cpu --threads 1 "
                 "--operator stored --verify thorough");
  EXPECT_EQ(count(text, "\nsearch for lower states, until the result can be called verified"), 1)
      << text;
  EXPECT_FALSE(holds(text_of("eigen " + data + "nh3_sto3g.fcidump --backend cpu --verify off"),
                     "search for lower states,"));
}

/// Message of a run that ends with status 1, one line of the log.
class Messages : public Words {
 protected:
  std::string said_of(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(count(outcome.err, "\n"), 1) << outcome.err;
    return outcome.err;
  }
};

TEST_F(Messages, UnknownOptionsNameTheNearestInTheOrderTyped) {
  write_pair();
  for (const auto& [typed, meant] :
       {std::pair{"--state 3", "--state; did you mean --states?"},
        {"--jsno=r.json", "--jsno; did you mean --json?"},
        {"--Tolerence 1 --state 3", "--Tolerence; did you mean --tolerance?"},
        {"--max 3", "--max; did you mean --max-iterations?"},
        {"--colour red", "--colour (cisolve eigen --help)"}}) {
    EXPECT_EQ(said_of(std::string("eigen pair.mtx ") + typed)
                  .find("cisolve: error: unknown option " + std::string(meant)),
              0u)
        << typed;
  }
  EXPECT_TRUE(holds(said_of("eigen --state 3 pair.mtx"), "did you mean --states?"));
  EXPECT_TRUE(holds(said_of("eigen pair.mtx other.mtx"), "unexpected argument 'other.mtx'"));
  EXPECT_TRUE(holds(said_of("ifno pair.mtx"), "no command 'ifno'; did you mean info?"));
}

TEST_F(Messages, NameFlagsWhereFlagsWereTypedAndElseKeys) {
  write_pair();
  write("pair.yaml", "input: {file: pair.mtx, irrep: 0}\n");
  for (const auto& [arguments, words] :
       {std::pair{"eigen pair.mtx --irrep 0", "error: --irrep chooses determinants"},
        {"eigen pair.mtx --set input.irrep=0", "error: input.irrep chooses determinants"},
        {"run pair.yaml", "error: input.irrep chooses determinants"},
        {"eigen pair.mtx --states 0", "error: --states: found '0', expected"},
        {"eigen pair.mtx --set solver.states=0", "error: --set: solver.states: found '0'"},
        {"eigen pair.mtx --json pair.mtx", "error: --json: pair.mtx is the same file as INPUT"},
        {"linear pair.mtx --shift 1 --shift-from-ground 2",
         "error: --shift-from-ground: --shift is"},
        {"eigen pair.mtx --operator direct", "error: --operator: found direct"},
        // Flags that were not typed and could be.
        {"eigen pair.mtx --molden m", "error: --molden: found no --orbitals"},
        {"eigen pair.mtx --vectors x.txt", "error: --vectors: x.txt: expected a name that ends"}}) {
    EXPECT_TRUE(holds(said_of(arguments), words)) << arguments;
  }
  const Outcome outcome = run("eigen pair.mtx --backend cpu --tolerance 1e-20 --json r.json");
  expect_says(outcome, "warning: --tolerance: 1e-20 is below");
  EXPECT_TRUE(holds(json("r.json")["notes"].dump(), "solver.tolerance: 1e-20 is below"));
}

TEST_F(Messages, FilesOfAnotherKindAreNamedWithTheCommandThatTakesThem) {
  write_pair();
  write("pair.yaml", "input: {file: pair.mtx}\n");
  ASSERT_EQ(run("eigen pair.mtx --backend cpu --json r.json --set output.vectors=v.npy "
                "--checkpoint c.h5")
                .status,
            0);
  ASSERT_EQ(shell("xz -k pair.mtx && gzip -c pair.mtx > pair.gz").status, 0);
  ASSERT_EQ(run("convert pair.mtx pair.npz").status, 0);
  const std::string h2 = data + "h2_sto3g.fcidump";
  const std::string no_run_file = ", expected a run file, which is YAML";
  for (const auto& [arguments, words] :
       {std::pair{"run " + h2, "is an FCIDUMP file" + no_run_file + "; `cisolve eigen " + h2},
        {"run pair.mtx", "a Matrix Market file" + no_run_file + "; `cisolve eigen pair.mtx`"},
        {"run pair.npz", "an .npz matrix" + no_run_file + "; `cisolve eigen pair.npz`"},
        {"run c.h5", "a checkpoint" + no_run_file + "; `cisolve eigen INPUT --restart c.h5`"},
        {"run r.json", "a report of cisolve" + no_run_file + "; its `config`"},
        {"run v.npy", "v.npy: is a NumPy array" + no_run_file},
        {"run pair.mtx.xz", "pair.mtx.xz: is compressed by xz"},
        {"eigen pair.mtx.xz", "is compressed by xz, bzip2 or Zstandard, expected an FCIDUMP file"},
        {"linear v.npy", "v.npy: the matrix is 2 x 1, expected a square one"},
        {"info pair.gz", "is a Matrix Market file, expected an FCIDUMP file"},
        {"bench r.json", "r.json: is a report of cisolve, expected an FCIDUMP file"},
        {"convert c.h5.old a.mtx", "no such file"},
        {"eigen pair.yaml", "`cisolve run pair.yaml` takes it"}}) {
    EXPECT_TRUE(holds(said_of(arguments), words)) << arguments;
  }
}

TEST_F(Messages, AreShortAndText) {
  write("long.yaml", "solver: {states: " + std::string(100000, '7') + "}\n");
  EXPECT_LT(said_of("run long.yaml").size(), 300u);
  write("key.yaml", "k" + std::string(100000, 'k') + ": 1\n");
  EXPECT_LT(said_of("run key.yaml").size(), 400u);
  write("raw.yaml", "a\xff\xfe: 1\n");
  write("raw.fcidump", "\x1b[31m\xff\xfe no list of integrals\n");
  for (const char* arguments :
       {"run raw.yaml", "eigen raw.fcidump", "eigen '\xff.mtx'", "eigen a --set 's\xff=1'"}) {
    const std::string text = said_of(arguments);
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return (c >= 32 && c < 127) || c == '\n'; }))
        << text;
  }
}

TEST_F(Words, ShellsCompleteCommandsOptionsKeysAndValues) {
  write("bash.sh",
        "source <(\"$CISOLVE\" completion bash)\n"
        "compopt() { :; }\n"
        "COMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_cisolve\necho \"${COMPREPLY[*]}\"\n");
  for (const auto& [line, completed] :
       {std::pair{"cisolve e", "eigen\n"},
        {"cisolve eigen --sta", "--states\n"},
        {"cisolve eigen --method l", "lobpcg lanczos\n"},
        {"cisolve linear --method b", "block_jacobi bicgstab\n"},
        {"cisolve eigen --format csr_", "csr_symmetric\n"},
        {"cisolve run w.yaml --set solver.st", "solver.states= solver.stop_by= solver.start=\n"},
        {"cisolve completion f", "fish\n"}}) {
    EXPECT_EQ(shell("export CISOLVE; bash bash.sh " + std::string(line)).out, completed) << line;
  }
  for (const std::string name : {"bash", "zsh", "fish"}) {
    const std::string script = text_of("completion " + name);
    EXPECT_TRUE(holds(script, name == "fish" ? "-l multiplicity" : "--multiplicity")) << name;
    EXPECT_TRUE(holds(script, "solver.energy_tolerance=")) << name;
    const Outcome syntax = shell("command -v " + name +
                                 " > /dev/null || exit 0; \"$CISOLVE\" "
                                 "completion " +
                                 name + " > s; " + name + " -n s");
    EXPECT_EQ(syntax.status, 0) << name << syntax.err;
  }
  EXPECT_EQ(run("completion csh").status, 1);
}

TEST_F(Words, TheManualPageHasEveryCommandOptionAndKey) {
  const std::string page = text_of("man");
  for (const char* part :
       {".TH CISOLVE 1", "\\fBcisolve eigen [OPTIONS] INPUT\\fR", "\\fB\\-\\-multiplicity\\fR",
        "\\fB\\-\\-most\\-memory\\fR", "\\fBsolver.states\\fR (integer: 1 to 10000; default 1)",
        ".SH EXIT STATUS"}) {
    EXPECT_TRUE(holds(page, part)) << part;
  }
  const std::string keys = text_of("run --keys");
  EXPECT_EQ(count(page, "\n.TP\n\\fB") - count(page, "\n.TP\n\\fB\\-\\-"),
            count(keys, "\n| `") + 10)
      << "keys and the positional arguments";
  const Outcome shown = shell(
      "command -v groff > /dev/null || exit 0; \"$CISOLVE\" man | groff "
      "-man -Kutf8 -Tutf8 -ww > page.txt");
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.err, "");
}

TEST_F(Words, HelpHasGroupsExamplesAndEightyColumns) {
  for (const std::string command : {"", "run", "eigen", "linear", "info", "convert", "generate",
                                    "formats", "bench", "completion", "man"}) {
    const std::string text = text_of(command + " --help");
    EXPECT_FALSE(holds(text, "see below")) << command;
    EXPECT_TRUE(holds(text, "\nExamples:\n")) << command;
    EXPECT_TRUE(holds(text, "cisolve " + command)) << command;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto letters = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_LE(letters, 80) << command << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << command << ": " << line;
    }
  }
  const std::string text = text_of("eigen --help");
  for (const char* group :
       {"\nHamiltonian:\n", "\nDeterminants (of FCIDUMP, TREXIO and .snt files):\n", "\nStates:\n",
        "\nMachine:\n", "\nOutput and files:\n"}) {
    EXPECT_EQ(count(text, group), 1) << text;
  }
  // Flags are explained by flags, keys by keys.
  EXPECT_TRUE(holds(text, "--ras-holes holes")) << text;
  EXPECT_FALSE(holds(text, "input.")) << text;
  EXPECT_TRUE(holds(text_of("run --keys"), "at most input.ras_holes holes"));
  EXPECT_FALSE(holds(text_of("run --keys"), "see below"));
}

}  // namespace
}  // namespace cisolve
