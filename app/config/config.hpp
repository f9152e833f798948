#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/config/json.hpp"
#include "app/config/units.hpp"
#include "backends/backend.hpp"
#include "cisolve/eigen.hpp"
#include "cisolve/hamiltonian.hpp"
#include "cisolve/linear.hpp"
#include "cisolve/machine.hpp"
#include "cisolve/select.hpp"
#include "core/condition.hpp"
#include "core/text/text.hpp"
#include "formats/format.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "io/determinants/determinant_file.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/methods.hpp"

namespace YAML {
class Node;
}

namespace cisolve {

enum class Task { eigen, linear, select };

// Each of these describes the keys that the program alone has, beside the members; those that the
// library has too are in config_fields.cpp.

/// Use of Kramers pairs for eigenstates over spinors.
enum class Kramers { automatic, off, on };

/// The Hamiltonian: an FCIDUMP file and which determinants to take, or a matrix file.
struct InputConfig : DeterminantSettings {
  std::filesystem::path file;
  Units units = Units::automatic;
  bool symmetrize = false;
  OrbsymLabels orbsym = OrbsymLabels::automatic;
  OrbitalKind orbital_kind = OrbitalKind::automatic;
  FirstOrbital first_orbital = FirstOrbital::automatic;
  Kramers kramers = Kramers::automatic;
  std::filesystem::path dipole;
  std::filesystem::path orbitals;
  std::filesystem::path follow;

  static void describe(const auto& row) {
    row("input.file", &InputConfig::file,
        "The Hamiltonian: an FCIDUMP or TREXIO file, an interaction of nucleons (.snt), a matrix "
        "file (.mtx, .mtx.gz, .h5, .hdf5, .npy, .npz), or generate:KIND,key=value,... for a test "
        "matrix (`cisolve generate "
        "--help`). Required.");
    row("input.units", &InputConfig::units,
        "Unit of the Hamiltonian's elements, and so of energies, residuals and tolerances. Only "
        "excitation energies are converted, to eV and cm^-1. auto: hartree for integrals, mev "
        "for nucleons, none for matrices and generated inputs. Files of integrals are in hartree, "
        "or none.");
    row("input.symmetrize", &InputConfig::symmetrize,
        "Take (A + A^T)/2 in the place of a matrix A that is not symmetric to rounding.");
    row("input.orbsym", &InputConfig::orbsym,
        "Whether the labels in ORBSYM of an FCIDUMP file count from 1 (molpro) or from 0 (pyscf). "
        "auto: from 0 if one of them is 0. PySCF's files have no 0 if no orbital is totally "
        "symmetric.");
    row("input.orbital_kind", &InputConfig::orbital_kind,
        "What NORB of an FCIDUMP file counts: spatial orbitals, or general spin orbitals (spin), "
        "which mix alpha and beta. auto: as header and integrals say.");
    row("input.first_orbital", &InputConfig::first_orbital,
        "Where orbital 1 is in a bit string of a text file: left or right. auto: right, as in a "
        "binary number; left in strings of 2, a, b and 0.");
    row("input.kramers", &InputConfig::kramers,
        "Whether eigenstates over spinors are found as Kramers pairs, with half the matrix, for "
        "an odd number of electrons if spinor 2 is the time-reversed spinor 1, 4 the reversed 3, "
        "and so on. on: an error if that is not so. auto: if it is. off: the complex matrix.");
    row("input.dipole", &InputConfig::dipole,
        ".npz file with position integrals over all orbitals of the Hamiltonian, for dipole "
        "moments of states and transitions in the report. Empty: none.");
    row("input.orbitals", &InputConfig::orbitals,
        "Molden file with the orbitals of the Hamiltonian, all of them in the same order, for "
        "output.molden. Empty: none.");
    row("input.follow", &InputConfig::follow,
        ".npy or .npz file with vectors of an earlier run, as solver.restart takes: the report "
        "says which state continues each of them, by overlap. Empty: none.");
  }
};

/// Who iterates.
enum class Engine { cisolve, slepc };

/// Form in which SLEPc gets the matrix: its products, or its elements as a PETSc matrix.
enum class SlepcMatrix { shell, assembled };

/// A multiplicity, 2S + 1, and how many states of it are wanted; none: as solver.states says.
struct MultiplicityStates {
  int multiplicity = 1;
  std::optional<int> states;
};

struct SolverConfig : EigenSettings {
  /// Several in the place of `multiplicity`, a solve each; empty: none.
  std::vector<MultiplicityStates> multiplicities;
  Engine engine = Engine::cisolve;
  std::string slepc_method = "krylovschur";
  SlepcMatrix slepc_matrix = SlepcMatrix::shell;
  std::string slepc_options;

  bool chooses_multiplicity() const { return multiplicity || !multiplicities.empty(); }

  static void describe(const auto& row) {
    row("solver.engine", &SolverConfig::engine,
        "Who iterates to the states: this program, or SLEPc on the CPU, if the program was built "
        "with it. Residuals, the search for lower states and the report are this program's either "
        "way; with slepc, solver.method only improves on states that are not yet within "
        "solver.tolerance.");
    row("solver.slepc_method", &SolverConfig::slepc_method,
        "With engine slepc: a solver of SLEPc's by its name there, such as krylovschur, gd, jd, "
        "lobpcg.");
    row("solver.slepc_matrix", &SolverConfig::slepc_matrix,
        "With engine slepc: shell, the operator of this program, whose products SLEPc asks for; "
        "assembled, a copy of the stored matrix as PETSc has them (AIJ), which preconditioners "
        "and factorisations can use.");
    row("solver.slepc_options", &SolverConfig::slepc_options,
        "With engine slepc: options for SLEPc and PETSc as on a command line, such as "
        "\"-eps_ncv 40\". Names that neither reads are said in a warning.");
  }
};

struct CheckpointConfig {
  std::filesystem::path file;
  int iterations = 10;
  double seconds = 600.0;
  int vectors = 0;

  static void describe(const auto& row) {
    row("checkpoint.file", &CheckpointConfig::file,
        "HDF5 file for the state of the eigensolver, to restart from. Written every "
        "checkpoint.iterations or checkpoint.seconds, whichever comes first, and at the end of "
        "the solve. Empty: none.");
    row("checkpoint.iterations", &CheckpointConfig::iterations,
        "Iterations from one checkpoint to the next; 0: iterations do not count.", at_least(0));
    row("checkpoint.seconds", &CheckpointConfig::seconds,
        "Seconds from one checkpoint to the next; 0: seconds do not count.", zero_or_more());
    row("checkpoint.vectors", &CheckpointConfig::vectors,
        "Largest number of basis vectors of a symmetry block in a checkpoint; those of the states "
        "are always kept. Fewer make a smaller file, and a restart as from a restarted basis. 0: "
        "all.",
        at_least(0));
  }
};

struct LinearConfig : LinearSettings {
  std::string rhs = "ones";
  std::filesystem::path x0;

  static void describe(const auto& row) {
    row("linear.rhs", &LinearConfig::rhs,
        "Right-hand side b: `ones`, `random`, `unit:ROW` (rows from 1), or a file (.npy, or "
        "Matrix Market), all of whose columns are solved for at once.");
    row("linear.x0", &LinearConfig::x0,
        "File with the start vectors, as that of linear.rhs. Empty: zero.");
  }
};

/// True if a file of that name has eigenvectors with what they are: arrays by name, or TREXIO.
bool has_states(const std::filesystem::path& vectors);
/// True if the right-hand side is a file.
bool rhs_is_file(const LinearConfig& config);

/// A name that is the same in capitals, kept in small letters.
struct Name : std::string {
  Name(const std::string& text) : std::string(to_lower(text)) {}
};

struct SpmvConfig : FormatOptions {
  Name format = std::string("auto");
  int expected_products = 50;
  std::filesystem::path network;
  std::string cache = "auto";

  static void describe(const auto& row) {
    row("spmv.format", &SpmvConfig::format,
        "Storage format of the matrix, if it is stored; `cisolve formats` lists them. auto: packed "
        "for eigenstates of integrals on a GPU; else csr first, then a faster format if one is "
        "found "
        "at a cost of at most 5 % of csr's time. With any other, operator auto stores the matrix.");
    row("spmv.expected_products", &SpmvConfig::expected_products,
        "With spmv.format auto: number of products that have to pay for the conversion to another "
        "format; once more products than that have been made, the actual number is used.",
        at_least(1));
    row("spmv.network", &SpmvConfig::network,
        "With spmv.format auto: file with the network that ranks formats. Empty: the program's "
        "own for the backend.");
    row("spmv.cache", &SpmvConfig::cache,
        "With spmv.format auto: file in which measured times of formats are kept for later runs; "
        "`auto`: cisolve/formats.json in $XDG_CACHE_HOME or ~/.cache; `none`.");
    FormatOptions::describe(row);
  }
};

/// A number of bytes: in run files with or without a unit, "20 GB".
struct Bytes {
  std::uint64_t count = 0;
};

struct BackendConfig {
  Device name = Device::automatic;
  int threads = 0;
  int device = 0;
  Bytes memory_limit;

  static void describe(const auto& row) {
    row("backend.name", &BackendConfig::name,
        "Where to compute. auto: on a CUDA device if there is one and the solve is not expected to "
        "take less time on the CPU, else there.");
    row("backend.threads", &BackendConfig::threads,
        "Number of OpenMP threads; 0: as OpenMP chooses.", between(0, 1024));
    row("backend.device", &BackendConfig::device, "Number of the CUDA device.", at_least(0));
    row("backend.memory_limit", &BackendConfig::memory_limit,
        "Most memory that a run may plan with, of the device or, on the CPU, of the host; 0: all "
        "that is available.");
  }
};

struct OutputConfig {
  std::string json;
  std::filesystem::path html;
  std::filesystem::path vectors;
  std::filesystem::path determinants;
  std::filesystem::path rdm1, rdm2, rdm3;
  std::filesystem::path molden;
  std::filesystem::path fcidump;
  bool analysis = true;
  int leading = 5;
  bool force = false;

  static void describe(const auto& row) {
    row("output.json", &OutputConfig::json,
        "File for the report as JSON; `-`: stdout, and nothing else there. Empty: none.");
    row("output.html", &OutputConfig::html,
        "File for the report as a page for a browser, with diagrams; one file without scripts. "
        "Empty: none.");
    row("output.vectors", &OutputConfig::vectors,
        "File for the vectors: .npy (rows x states; the solution of a linear system), or .npz, "
        ".h5, .trexio (eigenstates with energies and determinants). Empty: none.");
    row("output.determinants", &OutputConfig::determinants,
        "File for the determinants of the space in the order of the vectors' rows, with the "
        "coefficients of the first state: .txt, .npz or .h5. Empty: none.");
    row("output.rdm1", &OutputConfig::rdm1,
        "File for one-particle density matrices by spin, of states and transitions, and natural "
        "orbitals: .npz or .h5, for one state also .trexio. Empty: none.");
    row("output.rdm2", &OutputConfig::rdm2,
        "File for two-particle density matrices, whole and by spin, of states and transitions, "
        "and the one-particle ones: .npz or .h5, for one state also .trexio. Empty: none.");
    row("output.rdm3", &OutputConfig::rdm3,
        "File for three-particle density matrices of states over restricted orbitals, summed over "
        "spins, and the one-particle ones: .npz or .h5. Empty: none.");
    row("output.molden", &OutputConfig::molden,
        "Molden file for natural orbitals and occupations; needs input.orbitals. For several "
        "states one file each: FILE.1.molden and so on. Empty: none.");
    row("output.fcidump", &OutputConfig::fcidump,
        "FCIDUMP file for the integrals over the natural orbitals of selection.natural, to which "
        "its determinants and vectors refer. Empty: none.");
    row("output.analysis", &OutputConfig::analysis,
        "Analyse every eigenstate: spin, largest coefficients, weights by excitation rank, "
        "natural occupations; and make spin eigenfunctions within degenerate levels.");
    row("output.leading", &OutputConfig::leading,
        "Largest number of determinants (rows of a matrix) to list for each state, by "
        "coefficient, those above 0.001.",
        between(0, 1000));
    row("output.force", &OutputConfig::force,
        "Replace existing files of any kind, not only earlier output. An input is never replaced.");
  }
};

/// A file of arrays that is asked for, and the key that asks for it.
struct ArraysOutput {
  const char* key;
  std::filesystem::path file;
  bool of_densities;  ///< else of vectors
};
/// output.vectors and output.rdm1 to output.rdm3, those that are given.
std::vector<ArraysOutput> arrays_outputs(const OutputConfig& output);

/// Everything a run is told; a default-constructed one holds the defaults.
struct RunConfig {
  std::filesystem::path run_file;  ///< that it was read from; empty: none
  int solves = 1;  ///< that the run consists of; their probabilities of error add up
  Task task = Task::eigen;
  OperatorKind operator_kind = OperatorKind::automatic;
  InputConfig input;
  SolverConfig solver;
  SelectionSettings selection;
  CheckpointConfig checkpoint;
  LinearConfig linear;
  SpmvConfig spmv;
  BackendConfig backend;
  OutputConfig output;

  static void describe(const auto& row) {
    row("task", &RunConfig::task,
        "What to compute: eigenpairs, a linear system, or eigenpairs over determinants that are "
        "selected.");
    row("operator", &RunConfig::operator_kind,
        "How products are computed: with a stored matrix, or direct, straight from the integrals "
        "(full CI, or all pairs of listed strings), for eigenstates and linear systems. auto: "
        "whichever is expected to take less time, or fits.");
  }
};

/// states.npz for the part A1: states.A1.npz.
std::filesystem::path part_of_file(std::filesystem::path file, const std::string& part);

/// The files of output.molden, one of each state: FILE.molden of one, FILE.1.molden, FILE.2.molden
/// … of several.
std::vector<std::filesystem::path> molden_outputs(const RunConfig& config);

/// One key of the configuration. The table of them serves run files, flags, `--set`, error
/// messages, the report's `config` and the documentation.
struct Field {
  std::string key;      ///< dotted: "solver.states"
  std::string type;     ///< "integer", "number" …
  std::string allowed;  ///< "at least 1", "davidson, lobpcg, lanczos"; empty: any
  std::string doc;
  bool is_flag = false;  ///< true or false: its command-line flag takes no value
  /// Takes the value over; false when it is of the wrong type or out of range.
  std::function<bool(RunConfig&, const YAML::Node&)> set;
  std::function<Json(const RunConfig&)> get;
  /// True if the value there is in range.
  std::function<bool(const RunConfig&)> holds;
};
const std::vector<Field>& fields();
/// Its default for people; empty when there is none.
std::string default_text(const Field& field);
/// The names among which its value is chosen; none where it is no choice of names.
std::vector<std::string> names_of(const Field& field);
/// Throws InputError listing the keys at that level.
const Field& find_field(const std::string& key);

/// Splits "key.path=value". Throws InputError when there is no '='.
Setting parse_setting(const std::string& text);
/// Throws InputError on an unknown key or a bad value.
void apply_settings(const std::vector<Setting>& settings, RunConfig& config);

/// Throws InputError naming the first key whose value is out of range, of a configuration that no
/// reader has checked.
void require_in_range(const RunConfig& config);

/// Reads a YAML run file. Relative input paths start from the file's folder or, where nothing is
/// there, from the current one. Throws InputError with file, line, key, what was found and what
/// was expected: on unknown and repeated keys, wrong types and values out of range, and unless it
/// is one document.
RunConfig read_config(const std::filesystem::path& path);

/// The effective configuration, nested as in a run file.
Json to_json(const RunConfig& config);
/// The table of keys in Markdown, as docs/configuration.md shows it.
std::string describe_fields();

}  // namespace cisolve
