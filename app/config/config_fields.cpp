// The table of configuration keys, of what the parts of a configuration describe.
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>

#include "app/config/config.hpp"
#include "app/config/config_value.hpp"

namespace cisolve {
namespace {

/// Takes down the keys that a part of the configuration describes; `part` gives it of a RunConfig,
/// const or not.
template <class Part>
struct Rows {
  std::vector<Field>& fields;
  Part part;

  /// The same for a member of the part.
  template <class Member>
  auto within(Member member) const {
    auto inner = [ outer = part, member ](auto& c) -> auto& {
      return std::invoke(member, outer(c));
    };
    return Rows<decltype(inner)>{fields, inner};
  }

  template <class Member, class T = std::remove_cvref_t<
                              std::invoke_result_t<Member, std::invoke_result_t<Part, RunConfig&>>>>
  void operator()(std::string key, Member member, std::string doc,
                  std::type_identity_t<Condition<T>> condition = {}) const {
    const auto access = within(member).part;
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
    fields.push_back(std::move(made));
  }
};

// The keys that the library has too, whose members are in include/cisolve.

void describe_determinants(const auto& row) {
  row("input.electrons", &DeterminantSettings::electrons,
      "Number of electrons; replaces NELEC of the FCIDUMP file.", positive_if_given());
  row("input.ms2", &DeterminantSettings::ms2,
      "2 M_s, alpha minus beta electrons; replaces MS2 of the FCIDUMP file.");
  row("input.irrep", &DeterminantSettings::irrep,
      "Irrep of the determinants: a number counted from 0 in the file's ORBSYM order, or a "
      "name such as B1u where the file names its point group. For eigenstates also several, each "
      "with its number of states: A1:2,B1:1. Absent: all irreps.");
  row("input.point_group", &DeterminantSettings::point_group,
      "Point group of ORBSYM's irreps, for their names: D2h, C2v, C2h, D2, Cs, C2, Ci or C1. "
      "Absent: "
      "as the file says (PNTGRP); files of PySCF do not.");
  row("input.space", &DeterminantSettings::space,
      "Determinants taken: all (fci), or those up to single, double, triple or quadruple "
      "excitations of the reference determinant, or up to excitations of any rank.");
  row("input.ras1", &DeterminantSettings::ras1,
      "Restricted active space: orbitals in which determinants have at most input.ras_holes holes, "
      "alpha and beta together. Active ones, numbered as in the file; in the place of input.space, "
      "as the next three keys.");
  row("input.ras_holes", &DeterminantSettings::ras_holes,
      "Most holes in input.ras1, two of an empty orbital.", zero_or_more_if_given());
  row("input.ras3", &DeterminantSettings::ras3,
      "Orbitals in which determinants have at most input.ras_particles electrons. Those in neither "
      "list are RAS2, without limits.");
  row("input.ras_particles", &DeterminantSettings::ras_particles,
      "Most electrons in input.ras3, alpha and beta together.", zero_or_more_if_given());
  row("input.spin_inversion", &DeterminantSettings::spin_inversion,
      "States of full CI with M_s = 0 by what turning all spins round does to them: even (spins 0, "
      "2, 4 …), odd (1, 3 …) or all. Vectors of one kind have half the length. Restricted "
      "orbitals, and products without a matrix alone.");
  row("input.frozen", &DeterminantSettings::frozen, "Orbitals kept doubly occupied (frozen core).");
  row("input.freeze", &DeterminantSettings::freeze,
      "Number of orbitals kept doubly occupied in the place of a list, those of lowest energy: the "
      "file's orbital energies, else the diagonal of the reference determinant's Fock operator.",
      at_least(0));
  row("input.active", &DeterminantSettings::active,
      "Orbitals electrons may enter; empty: all that are not frozen.");
  row("input.allow_missing_diagonal", &DeterminantSettings::allow_missing_diagonal,
      "Take an FCIDUMP file in which an orbital has no diagonal one-electron integral, "
      "instead of refusing it.");
}

/// " davidson: …. lobpcg: …." and so on.
std::string method_summaries() {
  std::string text;
  for (const MethodTraits& traits : eigen_methods) {
    text += std::string(" ") + traits.name + ": " + traits.summary + ".";
  }
  return text;
}

void describe_solver(const auto& row) {
  row("solver.method", &SolverConfig::method, "Eigensolver." + method_summaries());
  row("solver.states", &SolverConfig::states, "Number of lowest eigenpairs.", between(1, 10000));
  row("solver.multiplicity", &SolverConfig::multiplicity,
      "2S + 1: the lowest states of this multiplicity alone, of an FCIDUMP file with "
      "restricted orbitals. Absent: all.",
      positive_if_given());
  row("solver.tolerance", &SolverConfig::tolerance,
      "Residual 2-norm of every state at convergence, in the unit of energies.", above_zero());
  row("solver.stop_by", &SolverConfig::stop_by,
      "When a state counts as found: its residual is within solver.tolerance, its energy "
      "changed by at most solver.energy_tolerance in the last iteration that worked on it "
      "(or its residual is as small), or both. An energy can stand still long before it is "
      "right: residual is the safe choice.");
  row("solver.energy_tolerance", &SolverConfig::energy_tolerance,
      "Change of an energy, in its unit, for solver.stop_by.", above_zero());
  row("solver.max_iterations", &SolverConfig::max_iterations, "Iterations before giving up.",
      at_least(1));
  row("solver.guard", &SolverConfig::guard,
      "davidson, lobpcg: start vectors beyond the states asked for; -1: a quarter of "
      "solver.states.",
      between(-1, 10000));
  row("solver.max_basis", &SolverConfig::max_basis,
      "Largest number of basis vectors, then restart; 0: four blocks and at least 24 (12 where "
      "nothing is stored of the matrix), for lanczos twice four blocks or 24. A block is states + "
      "guard, of lanczos the states. At least "
      "two blocks + 2 and a block + 6, or the rows of a smaller matrix; fewer than asked for "
      "are taken where memory is short. Not for lobpcg, which has three blocks or that least.",
      between(0, 20000));
  row("solver.olsen", &SolverConfig::olsen,
      "davidson, lobpcg: corrections with Olsen's term, which keeps them orthogonal to the "
      "vector they correct.");
  row("solver.p_space", &SolverConfig::p_space,
      "Determinants of the primary space, diagonalised exactly for the start vectors and "
      "the preconditioner; 0: up to 1500, fewer for a small matrix, on a GPU, or where their "
      "diagonal elements are all the same.",
      between(0, 20000));
  row("solver.verify", &SolverConfig::verify,
      "Search for lower states before the solve ends. quick: a quarter of the solve's time, "
      "0.1 s at least; default: as long as the solve, 0.5 s at least; thorough: until the "
      "result can be called verified.");
  row("solver.time_limit", &SolverConfig::time_limit,
      "Seconds before the solve stops with what it has; 0: none.", zero_or_more());
  row("solver.seed", &SolverConfig::seed,
      "Seed of random start vectors and of a random right-hand side.");
  row("solver.restart", &SolverConfig::restart,
      "File to go on from, a checkpoint, or start vectors: .npy or .npz as `output.vectors` writes "
      "them, or as PySCF has full CI vectors. Empty: none.");
}

void describe_linear(const auto& row) {
  row("linear.method", &LinearSettings::method,
      "Solver of (A - shift) x = b. auto: the one with the fewest products forecast; jacobi where "
      "linear.omega is given, block_jacobi where linear.block_size is.");
  LinearConfig::describe(row);
  row("linear.shift", &LinearSettings::shift, "Shift subtracted from the diagonal.");
  row("linear.shift_from_ground", &LinearSettings::shift_from_ground,
      "Shift instead by the lowest eigenvalue, which is computed first, plus this. Absent: "
      "by linear.shift.");
  row("linear.omega", &LinearSettings::omega,
      "Relaxation weight of jacobi, jor, block_jacobi and anderson_jacobi; 0: chosen, 1 for "
      "jacobi, else 2 / (lowest + highest eigenvalue of D^-1 (A - shift), of block_jacobi "
      "B^-1 (A - shift), 1 where that is not known).",
      Condition<double>{"from 0 to below 2", [](const double& x) { return x >= 0.0 && x < 2.0; }});
  row("linear.block_size", &LinearSettings::block_size,
      "block_jacobi: rows of its blocks along the diagonal, at most those of the matrix; 0: "
      "one block over the rows with the lowest diagonal elements, as many as solver.p_space "
      "says, and the diagonal elsewhere.",
      Condition<int>{"0, or from 2 to 1024",
                     [](const int& n) { return n == 0 || (n >= 2 && n <= 1024); }});
  row("linear.anderson_depth", &LinearSettings::anderson_depth,
      "anderson_jacobi: differences that it extrapolates from.", between(1, 100));
  row("linear.anderson_period", &LinearSettings::anderson_period,
      "anderson_jacobi: it extrapolates every so many iterations.", between(1, 1000));
  row("linear.spectrum_steps", &LinearSettings::spectrum_steps,
      "Lanczos steps, a product of two vectors each, before a symmetric system is solved, for the "
      "interval "
      "of its spectrum and the forecast; 0: neither.",
      between(0, 1000));
  row("linear.tolerance", &LinearSettings::tolerance,
      "Relative residual of every column at convergence.", above_zero());
  row("linear.absolute_tolerance", &LinearSettings::absolute_tolerance,
      "Residual 2-norm at which a column has converged too; 0: none.", zero_or_more());
  row("linear.max_iterations", &LinearSettings::max_iterations, "Iterations before giving up.",
      at_least(1));
  row("linear.time_limit", &LinearSettings::time_limit,
      "Seconds before the solve stops with what it has; 0: none.", zero_or_more());
}

std::vector<Field> make_fields() {
  std::vector<Field> all;
  const auto whole = [](auto& c) -> auto& {
    return c;
  };
  const Rows<decltype(whole)> run{all, whole};
  RunConfig::describe(run);
  InputConfig::describe(run.within(&RunConfig::input));
  describe_determinants(run.within(&RunConfig::input));
  describe_solver(run.within(&RunConfig::solver));
  CheckpointConfig::describe(run.within(&RunConfig::checkpoint));
  describe_linear(run.within(&RunConfig::linear));
  SpmvConfig::describe(run.within(&RunConfig::spmv));
  BackendConfig::describe(run.within(&RunConfig::backend));
  OutputConfig::describe(run.within(&RunConfig::output));
  return all;
}

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
