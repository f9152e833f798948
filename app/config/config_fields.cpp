// The table of configuration keys: the one place that says what there is.
#include <cmath>
#include <type_traits>
#include <utility>

#include "app/config/config.hpp"
#include "app/config/config_value.hpp"

namespace cisolve {
namespace {

/// A condition on a value and its words.
template <class T>
struct Condition {
  std::string words;
  std::function<bool(const T&)> holds = [](const T&) { return true; };
};
template <class T>
Condition<T> at_least(T bound) {
  return {"at least " + std::to_string(bound), [bound](const T& x) { return x >= bound; }};
}
template <class T>
Condition<T> between(T low, T high) {
  return {std::to_string(low) + " to " + std::to_string(high),
          [=](const T& x) { return low <= x && x <= high; }};
}
Condition<double> above_zero() {
  return {"above 0", [](const double& x) { return x > 0.0; }};
}
Condition<double> zero_or_more() {
  return {"0 or more", [](const double& x) { return x >= 0.0; }};
}

Condition<std::optional<int>> positive_if_given() {
  return {"at least 1", [](const std::optional<int>& x) { return !x || *x >= 1; }};
}

/// `access` gives the member of a RunConfig, const or not.
template <class Access, class T = std::remove_cvref_t<
                            decltype(std::declval<Access>()(std::declval<RunConfig&>()))>>
Field field(std::string key, Access access, std::string doc, Condition<T> condition = {}) {
  Field made;
  made.key = std::move(key);
  made.type = Value<T>::type();
  made.allowed = condition.words.empty() ? Value<T>::allowed() : condition.words;
  made.doc = std::move(doc);
  made.is_flag = std::is_same_v<T, bool>;
  made.holds = [access, holds = condition.holds](const RunConfig& c) {
    const T& value = access(c);
    if constexpr (std::is_same_v<T, double>) {
      if (!std::isfinite(value)) return false;
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      if (value && !std::isfinite(*value)) return false;
    } else if constexpr (std::is_enum_v<T>) {
      if (*name_of(value) == '\0') return false;
    }
    return holds(value);
  };
  made.set = [access, holds = std::move(condition.holds)](RunConfig& c, const YAML::Node& node) {
    auto value = Value<T>::parse(node);
    if (!value || !holds(*value)) return false;
    access(c) = std::move(*value);
    return true;
  };
  made.get = [access](const RunConfig& c) { return Value<T>::json(access(c)); };
  return made;
}

// A member by its path, for const and non-const configurations alike.
#define CISOLVE_MEMBER(path) \
  [](auto& c) -> auto& {     \
    return c.path;           \
  }

std::vector<Field> input_fields() {
  return {
      field("input.file", CISOLVE_MEMBER(input.file),
            "The Hamiltonian: an FCIDUMP file, a matrix (.mtx, .mtx.gz, .h5, .hdf5, "
            ".npz), or one to be made: generate:KIND,key=value,... (`cisolve generate --help`). "
            "Required."),
      field("input.electrons", CISOLVE_MEMBER(input.electrons),
            "Number of electrons; replaces NELEC of the FCIDUMP file.", positive_if_given()),
      field("input.ms2", CISOLVE_MEMBER(input.ms2),
            "2 M_s, alpha minus beta electrons; replaces MS2 of the FCIDUMP file."),
      field("input.irrep", CISOLVE_MEMBER(input.irrep),
            "Irrep of the determinants: a number counted from 0 in the file's ORBSYM order, or a "
            "name such as B1u where the file names its point group. Absent: all irreps."),
      field("input.space", CISOLVE_MEMBER(input.space),
            "Determinants taken: all, or those up to single, double, triple or quadruple "
            "excitations of the reference determinant."),
      field("input.frozen", CISOLVE_MEMBER(input.frozen),
            "Orbitals kept doubly occupied (frozen core)."),
      field("input.active", CISOLVE_MEMBER(input.active),
            "Orbitals electrons may enter; empty: all that are not frozen."),
      field("input.allow_missing_diagonal", CISOLVE_MEMBER(input.allow_missing_diagonal),
            "Take an FCIDUMP file in which an orbital has no diagonal one-electron integral, "
            "instead of refusing it."),
  };
}

/// " davidson: …. lobpcg: …." and so on.
std::string method_summaries() {
  std::string text;
  for (const MethodTraits& traits : eigen_methods) {
    text += std::string(" ") + traits.name + ": " + traits.summary + ".";
  }
  return text;
}

std::vector<Field> solver_fields() {
  return {
      field("solver.method", CISOLVE_MEMBER(solver.method), "Eigensolver." + method_summaries()),
      field("solver.states", CISOLVE_MEMBER(solver.states), "Number of lowest eigenpairs.",
            between(1, 10000)),
      field("solver.multiplicity", CISOLVE_MEMBER(solver.multiplicity),
            "2S + 1: the lowest states of this multiplicity alone, of an FCIDUMP file with "
            "restricted orbitals. Absent: all.",
            positive_if_given()),
      field("solver.tolerance", CISOLVE_MEMBER(solver.tolerance),
            "Residual 2-norm of every state at convergence, in Hartree.", above_zero()),
      field("solver.stop_by", CISOLVE_MEMBER(solver.stop_by),
            "When a state counts as found: its residual is within solver.tolerance, its energy "
            "changed by at most solver.energy_tolerance in the last iteration that worked on it "
            "(or its residual is as small), or both. An energy can stand still long before it is "
            "right: residual is the safe choice."),
      field("solver.energy_tolerance", CISOLVE_MEMBER(solver.energy_tolerance),
            "Change of an energy, in Hartree, for solver.stop_by.", above_zero()),
      field("solver.max_iterations", CISOLVE_MEMBER(solver.max_iterations),
            "Iterations before giving up.", at_least(1)),
      field("solver.guard", CISOLVE_MEMBER(solver.guard),
            "davidson, lobpcg: start vectors beyond the states asked for; -1: a quarter of "
            "solver.states.",
            between(-1, 10000)),
      field(
          "solver.max_basis", CISOLVE_MEMBER(solver.max_basis),
          "Largest number of basis vectors, then restart; 0: four blocks and at least 24, for "
          "lanczos twice that. A block is states + guard, of lanczos the states. At least "
          "two blocks + 2 and a block + 6, or the rows of a smaller matrix; fewer than asked for "
          "are taken where memory is short. Not for lobpcg, which has three blocks or that least.",
          between(0, 20000)),
      field("solver.olsen", CISOLVE_MEMBER(solver.olsen),
            "davidson, lobpcg: corrections with Olsen's term, which keeps them orthogonal to the "
            "vector they correct."),
      field("solver.p_space", CISOLVE_MEMBER(solver.p_space),
            "Determinants of the primary space, diagonalised exactly for the start vectors and "
            "the preconditioner; 0: up to 1500, fewer for a small matrix or on a GPU.",
            between(0, 20000)),
      field("solver.verify", CISOLVE_MEMBER(solver.verify),
            "Search for lower states before the solve ends. quick: a quarter of the solve's time, "
            "0.1 s at least; default: as long as the solve, 0.5 s at least; thorough: until the "
            "result can be called verified."),
      field("solver.time_limit", CISOLVE_MEMBER(solver.time_limit),
            "Seconds before the solve stops with what it has; 0: none.", zero_or_more()),
      field("solver.seed", CISOLVE_MEMBER(solver.seed),
            "Seed of random start vectors and of a random right-hand side."),
      field("solver.restart", CISOLVE_MEMBER(solver.restart),
            "File to go on from, a checkpoint, or start vectors as `output.vectors` "
            "writes them (.npy). Empty: none."),
  };
}

std::vector<Field> checkpoint_fields() {
  return {
      field("checkpoint.file", CISOLVE_MEMBER(checkpoint.file),
            "HDF5 file for the eigensolver's state, to restart from; written as often as the next "
            "two keys say, whichever comes first, and when the solve ends. Empty: none."),
      field("checkpoint.iterations", CISOLVE_MEMBER(checkpoint.iterations),
            "A checkpoint every so many iterations; 0: not by iterations.", at_least(0)),
      field("checkpoint.seconds", CISOLVE_MEMBER(checkpoint.seconds),
            "A checkpoint every so many seconds; 0: not by time.", zero_or_more()),
      field("checkpoint.vectors", CISOLVE_MEMBER(checkpoint.vectors),
            "Most basis vectors of a symmetry block that a checkpoint holds, but always those of "
            "the states; fewer make a smaller file and a restart as from a restarted basis. 0: "
            "all.",
            at_least(0)),
  };
}

std::vector<Field> linear_fields() {
  return {
      field("linear.method", CISOLVE_MEMBER(linear.method),
            "Solver of (A - shift) x = b, see below; `auto`: the one with the fewest products "
            "forecast."),
      field("linear.rhs", CISOLVE_MEMBER(linear.rhs),
            "Right-hand side b: `ones`, `random`, `unit:ROW` (rows from 1), or a file (.npy, or "
            "Matrix Market), whose columns are solved for at once."),
      field("linear.x0", CISOLVE_MEMBER(linear.x0),
            "File with the start, as that of linear.rhs. Empty: zero."),
      field("linear.shift", CISOLVE_MEMBER(linear.shift), "Shift subtracted from the diagonal."),
      field("linear.shift_from_ground", CISOLVE_MEMBER(linear.shift_from_ground),
            "Shift instead by the lowest eigenvalue, which is computed first, plus this. Absent: "
            "by linear.shift."),
      field("linear.omega", CISOLVE_MEMBER(linear.omega),
            "Relaxation weight of jacobi, jor, block_jacobi and anderson_jacobi; 0: chosen, 1 for "
            "jacobi, else 2 / (lowest + highest eigenvalue of D^-1 (A - shift), of block_jacobi "
            "B^-1 (A - shift), 1 where that is not known).",
            Condition<double>{"from 0 to below 2",
                              [](const double& x) { return x >= 0.0 && x < 2.0; }}),
      field("linear.block_size", CISOLVE_MEMBER(linear.block_size),
            "block_jacobi: rows of its blocks along the diagonal, at most those of the matrix; 0: "
            "one block over the rows with the lowest diagonal elements, as many as solver.p_space "
            "says, and the diagonal elsewhere.",
            Condition<int>{"0, or from 2 to 1024",
                           [](const int& n) { return n == 0 || (n >= 2 && n <= 1024); }}),
      field("linear.anderson_depth", CISOLVE_MEMBER(linear.anderson_depth),
            "anderson_jacobi: differences that it extrapolates from.", between(1, 100)),
      field("linear.anderson_period", CISOLVE_MEMBER(linear.anderson_period),
            "anderson_jacobi: it extrapolates every so many iterations.", between(1, 1000)),
      field("linear.spectrum_steps", CISOLVE_MEMBER(linear.spectrum_steps),
            "Lanczos steps, a product each, before a symmetric system is solved, for the interval "
            "of its spectrum and the forecast; 0: neither.",
            between(0, 1000)),
      field("linear.tolerance", CISOLVE_MEMBER(linear.tolerance),
            "Relative residual of every column at convergence.", above_zero()),
      field("linear.absolute_tolerance", CISOLVE_MEMBER(linear.absolute_tolerance),
            "Residual 2-norm at which a column has converged too; 0: none.", zero_or_more()),
      field("linear.max_iterations", CISOLVE_MEMBER(linear.max_iterations),
            "Iterations before giving up.", at_least(1)),
      field("linear.time_limit", CISOLVE_MEMBER(linear.time_limit),
            "Seconds before the solve stops with what it has; 0: none.", zero_or_more()),
  };
}

std::vector<Field> machine_fields() {
  return {
      field("spmv.format", CISOLVE_MEMBER(spmv.format),
            "Storage format of the matrix (`cisolve formats` lists them); `auto`: packed for "
            "eigenstates in determinants on a GPU, made there; else csr to begin with, then the "
            "fastest that can be found at 5 % of what csr would take, see below."),
      field("spmv.expected_products", CISOLVE_MEMBER(spmv.expected_products),
            "With spmv.format auto: products that a conversion to another format has to pay for; "
            "once more have been made, those.",
            at_least(1)),
      field("spmv.network", CISOLVE_MEMBER(spmv.network),
            "With spmv.format auto: file with another network by which formats are ranked. Empty: "
            "the program's own for the backend."),
      field("spmv.cache", CISOLVE_MEMBER(spmv.cache),
            "With spmv.format auto: file for the seconds that formats have taken, by matrix; "
            "`auto`: cisolve/formats.json in $XDG_CACHE_HOME or ~/.cache; `none`."),
      field("spmv.boundary.by", CISOLVE_MEMBER(spmv.boundary.by),
            "Where the hybrid format parts a row: chosen from the row lengths, after a count of "
            "nonzeros, or at a column."),
      field("spmv.boundary.value", CISOLVE_MEMBER(spmv.boundary.value), "That count or column.",
            at_least(0)),
      field("spmv.slice_height", CISOLVE_MEMBER(spmv.slice_height),
            "Rows of a slice (C) of sell, sellr and sell_c_sigma.", between(1, 1024)),
      field("spmv.sort_window", CISOLVE_MEMBER(spmv.sort_window),
            "Rows that sell_c_sigma sorts by length among themselves (sigma).", at_least(1)),
      field("spmv.block_size", CISOLVE_MEMBER(spmv.block_size),
            "Rows and columns of a block (beta) of csb; 0: chosen.", between(0, 65536)),
      field("spmv.tile_height", CISOLVE_MEMBER(spmv.tile_height),
            "Entries a lane holds of a tile (sigma) of csr5; 0: chosen.", between(0, 64)),
      field("spmv.hyb_width", CISOLVE_MEMBER(spmv.hyb_width),
            "Rule for the width of the ELLPACK part of hyb."),
      field(
          "spmv.schedule", CISOLVE_MEMBER(spmv.kernel.schedule),
          "How OpenMP shares rows out among the threads of the CPU; coo, csb, csr5, csr_symmetric "
          "and dia do not read it."),
      field("spmv.chunk", CISOLVE_MEMBER(spmv.kernel.chunk),
            "Rows a thread of the CPU takes at a time, where spmv.schedule is read; in whole bands "
            "of 256 rows for jad and ellr, of at most 32 (256 from that slice height on) for sell, "
            "sellr and sell_c_sigma.",
            at_least(1)),
      field("spmv.threads_per_row", CISOLVE_MEMBER(spmv.kernel.threads_per_row),
            "GPU threads on a row of csr, csr5's tail, hybrid and, where it has more than 8 "
            "entries a row, packed's expansion; 0: chosen.",
            Condition<int>{"0, 8, 16, 32",
                           [](const int& x) { return x == 0 || x == 8 || x == 16 || x == 32; }}),
      field(
          "spmv.block_threads", CISOLVE_MEMBER(spmv.kernel.block_threads),
          "GPU threads of a block; 0: chosen. Cut at 1024, for one vector at 512, for csr, csr5's "
          "tail, hybrid and packed's expansion; for packed's slices at 512, or for one vector and "
          "where its dictionary is large at 1024; "
          "and at 256 for dia, ell, ellr, hyb, jad, sell, sellr and sell_c_sigma; coo, csb, "
          "csr_symmetric and cusparse_* do not read it.",
          Condition<int>{"a multiple of 32 from 0 to 1024",
                         [](const int& x) { return 0 <= x && x <= 1024 && x % 32 == 0; }}),
      field("spmv.off_diagonal", CISOLVE_MEMBER(spmv.off_diagonal),
            "Precision in which elements off the diagonal are stored until the solver asks for "
            "double; the diagonal and all sums are in double. float32: 8 instead of 12 bytes a "
            "nonzero, in csr, hybrid, ellr, sell, sellr and sell_c_sigma. Changing over to double "
            "takes about as long as making the operator did. Of eigensolvers and `bench`."),
      field(
          "spmv.tune", CISOLVE_MEMBER(spmv.tune),
          "Measure a few choices of spmv.schedule, chunk, threads_per_row and block_threads on the "
          "matrix and keep the fastest, if a second measurement shows a gain of 2 % too."),
      field("spmv.deterministic", CISOLVE_MEMBER(spmv.deterministic),
            "Products with the same bits on every run on a GPU: csr_symmetric then sums in 64-bit "
            "fixed point; the other formats but cusparse_* give them anyway, and so does the CPU "
            "for one number of threads. Not with cusparse_* or spmv.tune."),
      field("backend.name", CISOLVE_MEMBER(backend.name),
            "Where to compute; `auto`: a CUDA device where one can be used, else the CPU."),
      field("backend.threads", CISOLVE_MEMBER(backend.threads),
            "OpenMP threads; 0: what OpenMP offers.", between(0, 1024)),
      field("backend.device", CISOLVE_MEMBER(backend.device), "Number of the CUDA device.",
            at_least(0)),
      field("backend.memory_limit", CISOLVE_MEMBER(backend.memory_limit),
            "Most memory that the plan of eigen and linear counts as available, of the device or, "
            "on the CPU, of the host; 0: what there is."),
  };
}

std::vector<Field> output_fields() {
  return {
      field("output.json", CISOLVE_MEMBER(output.json),
            "File for the report as JSON; `-`: stdout, which then holds nothing else. Empty: "
            "none."),
      field("output.vectors", CISOLVE_MEMBER(output.vectors),
            "NumPy file (.npy) for the vectors, rows x states; of a linear system, the solution. "
            "Empty: none."),
      field("output.analysis", CISOLVE_MEMBER(output.analysis),
            "Say of every eigenstate what it is: spin, largest coefficients, weights by excitation "
            "rank, natural occupations; and make spin eigenfunctions within degenerate levels."),
      field("output.determinants", CISOLVE_MEMBER(output.determinants),
            "Most determinants (rows of a matrix file) listed of a state, by coefficient, those "
            "above 0.001.",
            between(0, 1000)),
      field("output.force", CISOLVE_MEMBER(output.force),
            "Replace also files of another kind than the output. An input is never replaced."),
  };
}

std::vector<Field> make_fields() {
  std::vector<Field> all{
      field("task", CISOLVE_MEMBER(task), "What to compute: eigenpairs or a linear system."),
      field(
          "operator", CISOLVE_MEMBER(operator_kind),
          "stored: the matrix is built. direct: its products are made of the integrals, of full CI "
          "alone, and nothing is stored. auto: what is expected to take less time, or has room."),
  };
  for (auto group : {input_fields, solver_fields, checkpoint_fields, linear_fields, machine_fields,
                     output_fields}) {
    const std::vector<Field> more = group();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

#undef CISOLVE_MEMBER

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = make_fields();
  return all;
}

std::string default_text(const Field& field) {
  const Json value = field.get(RunConfig());
  if (value.is_null() || value.empty()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string describe_fields() {
  std::string table = "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n";
  for (const Field& field : fields()) {
    const std::string value = default_text(field);
    table += "| `" + field.key + "` | " + field.type + " | " +
             (value.empty() ? "" : "`" + value + "`") + " | " + field.allowed + " | " + field.doc +
             " |\n";
  }
  return table;
}

}  // namespace cisolve
