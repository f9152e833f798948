// The table of configuration keys, of what the parts of a configuration describe.
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>

#include "app/config/config.hpp"
#include "app/config/config_value.hpp"
#include "app/config/multiplicities.hpp"

namespace cisolve {
namespace {

/// Takes down the keys that a part of the configuration describes; `part` gives it of a RunConfig,
/// const or not.
template <class Part>
struct Rows {
  std::vector<Field>& fields;
  Part part;

  /// Rows of a member of the part.
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
      "Number of electrons, instead of NELEC of the FCIDUMP file.", positive_if_given());
  row("input.ms2", &DeterminantSettings::ms2,
      "2 M_s, alpha minus beta electrons, instead of MS2 of the FCIDUMP file.");
  row("input.irrep", &DeterminantSettings::irrep,
      "Irrep of the determinants, by number (counted from 0 in ORBSYM order) or by name (B1u, "
      "if the point group is known). For eigenstates also several, each with its number of "
      "states: A1:2,B1:1. Absent: all irreps.");
  row("input.point_group", &DeterminantSettings::point_group,
      "Point group of the labels in ORBSYM, which gives the irreps their names: D2h, C2v, C2h, "
      "D2, Cs, C2, Ci or C1. Absent: as the file says (PNTGRP); PySCF's files do not say.");
  row("input.space", &DeterminantSettings::space,
      "Determinants: all (fci), or excitations of the reference determinant up to singles, "
      "doubles, triples, quadruples or any given rank.");
  row("input.determinants", &DeterminantSettings::determinants,
      "File with a list of determinants over the orbitals of the Hamiltonian, instead of "
      "input.space. Empty: none.");
  row("input.strings", &DeterminantSettings::strings,
      "File with a list of alpha strings and, after a comma, one of beta strings: the "
      "determinants are all pairs. One text file: its strings are of both spins. Empty: none.");
  row("input.ras1", &DeterminantSettings::ras1,
      "Restricted active space (RAS), instead of input.space: orbitals with at most "
      "input.ras_holes holes, alpha and beta together. They are active ones, numbered as in the "
      "file.");
  row("input.ras_holes", &DeterminantSettings::ras_holes,
      "Largest number of holes in input.ras1; an empty orbital counts two.",
      zero_or_more_if_given());
  row("input.ras3", &DeterminantSettings::ras3,
      "Restricted active space: orbitals with at most input.ras_particles electrons. Active "
      "orbitals in neither list are without limits (RAS2).");
  row("input.ras_particles", &DeterminantSettings::ras_particles,
      "Largest number of electrons in input.ras3, alpha and beta together.",
      zero_or_more_if_given());
  row("input.spin_inversion", &DeterminantSettings::spin_inversion,
      "Only states with even spin (0, 2, 4 …), only those with odd spin (1, 3 …), or all. Even "
      "and odd states have vectors of half the length. For full CI with M_s = 0, restricted "
      "orbitals and the direct operator.");
  row("input.frozen", &DeterminantSettings::frozen,
      "Orbitals that stay doubly occupied (frozen core).");
  row("input.freeze", &DeterminantSettings::freeze,
      "Number of orbitals of lowest energy to freeze, instead of a list. Energies are those of "
      "the file, or else the diagonal of the reference determinant's Fock operator.",
      at_least(0));
  row("input.active", &DeterminantSettings::active,
      "Orbitals that electrons may occupy; empty: all that are not frozen.");
  row("input.protons", &DeterminantSettings::protons,
      "Number of protons in the shells of an interaction file (.snt), outside its core.",
      zero_or_more_if_given());
  row("input.neutrons", &DeterminantSettings::neutrons,
      "Number of neutrons in the shells of an interaction file, outside its core.",
      zero_or_more_if_given());
  row("input.twice_m", &DeterminantSettings::twice_m,
      "2M of the determinants of nucleons: every level with J of M or more has a state there. "
      "Absent: 0, or 1 for an odd number of nucleons, which have all levels.");
  row("input.parity", &DeterminantSettings::parity,
      "Parity of the determinants of nucleons: positive or negative. auto: the only one that "
      "there is.");
  row("input.allow_missing_diagonal", &DeterminantSettings::allow_missing_diagonal,
      "Accept an FCIDUMP file in which an orbital has no diagonal one-electron integral.");
}

/// " davidson: …. lobpcg: …." and so on.
std::string method_summaries() {
  std::string text;
  for (const auto& [method, name] : eigen_method_names) {
    text += std::string(" ") + name + ": " + traits_of(method).summary + ".";
  }
  return text;
}

void describe_solver(const auto& row) {
  row("solver.method", &SolverConfig::method, "Eigensolver." + method_summaries());
  row("solver.states", &SolverConfig::states, "Number of lowest eigenpairs.", between(1, 10000));
  row.fields.push_back(multiplicity_field());
  row("solver.tolerance", &SolverConfig::tolerance,
      "Largest residual 2-norm of a converged state, in the unit of energies; absent: 1e-6 "
      "Hartree, or of a matrix without a unit 1e-6 of its scale. The scale is the typical size of "
      "a row; the report shows it.",
      above_zero_if_given());
  row("solver.stop_by", &SolverConfig::stop_by,
      "When a state counts as converged: by its residual (solver.tolerance), by the change of "
      "its energy in the last iteration that worked on it (solver.energy_tolerance), or by "
      "both. An energy can stop changing long before it is right: residual is the safe choice.");
  row("solver.energy_tolerance", &SolverConfig::energy_tolerance,
      "Largest change of a converged energy, for solver.stop_by. Absent: 1e-9 Hartree, or 1e-9 of "
      "the scale of a matrix without a unit.",
      above_zero_if_given());
  row("solver.max_iterations", &SolverConfig::max_iterations, "Largest number of iterations.",
      at_least(1));
  row("solver.guard", &SolverConfig::guard,
      "davidson, lobpcg: additional start vectors beyond the states asked for; -1: a quarter of "
      "solver.states.",
      between(-1, 10000));
  row("solver.max_basis", &SolverConfig::max_basis,
      "Largest number of basis vectors before a restart; 0: four blocks and at least 24 (12 "
      "with products without a matrix), for lanczos twice four blocks or 24. A block is states + "
      "guard, for lanczos the states. At least two "
      "blocks + 2 and a block + 6, or the rows of a smaller matrix; fewer than asked for are "
      "taken if memory is short. Not for lobpcg, which has three blocks or that minimum.",
      between(0, 20000));
  row("solver.olsen", &SolverConfig::olsen,
      "davidson, lobpcg: Olsen's corrections, which are orthogonal to the vector that they "
      "correct.");
  row("solver.p_space", &SolverConfig::p_space,
      "Number of determinants in the primary space, which is diagonalised exactly for the start "
      "vectors and the preconditioner; 0: up to 1500, fewer for a small matrix, on a GPU, or if "
      "all diagonal elements are the same.",
      between(0, 20000));
  row("solver.verify", &SolverConfig::verify,
      "How long to search for missed lower states at the end. off: not at all; quick: a quarter "
      "of the solve's time or products, at least 0.1 s; standard: as long as the solve or as many "
      "products, at least 0.5 s; thorough: until the result is verified. If three fifths of a "
      "quick or standard search are done when its budget ends, the budget is extended by two "
      "thirds.");
  row("solver.time_limit", &SolverConfig::time_limit,
      "Seconds after which the solve stops with what it has; 0: no limit.", zero_or_more());
  row("solver.seed", &SolverConfig::seed,
      "Seed of random start vectors and of a random right-hand side.");
  row("solver.start", &SolverConfig::start,
      "What to begin from without solver.restart: the rows of the lowest diagonal elements "
      "(p_space), or for full CI without a matrix a list of determinants that are selected "
      "(selection), whose Hamiltonian corrections then divide by. auto: selection of 10^7 "
      "determinants or more where none of them has most of the state, on a GPU of a shorter list "
      "without its Hamiltonian.");
  row("solver.restart", &SolverConfig::restart,
      "File to start from: a checkpoint, or start vectors in .npy or .npz, as output.vectors or "
      "PySCF write them. Empty: none.");
}

void describe_selection(const auto& row) {
  row("selection.determinants", &SelectionSettings::determinants,
      "Number of determinants to select, the most important ones. Absent: as many as "
      "selection.accuracy takes.",
      positive_if_given());
  row("selection.epsilon", &SelectionSettings::epsilon,
      "Select all determinants that a selected one leads to by |H_ai c_i| above this, in the "
      "Hamiltonian's unit, instead of a number.",
      above_zero_if_given());
  row("selection.accuracy", &SelectionSettings::accuracy,
      "Where neither number nor epsilon is given: select until the uncertainty of the "
      "extrapolated energies is at most this, in the Hamiltonian's unit.",
      above_zero());
  row("selection.deviation", &SelectionSettings::deviation,
      "Standard deviation that the second-order correction may have, in the Hamiltonian's unit: "
      "a part of it is sampled. 0: all of it is summed.",
      zero_or_more());
  row("selection.natural", &SelectionSettings::natural,
      "Once a list has a tenth of the determinants that are wanted, or 100,000, begin anew over "
      "the natural orbitals of its states, of restricted orbitals. With selection.epsilon: at ten "
      "times that; with selection.accuracy: at ten times that uncertainty.");
}

void describe_linear(const auto& row) {
  row("linear.method", &LinearSettings::method,
      "Solver of (A - shift) x = b. auto: cg, minres where the matrix is indefinite, bicgstab "
      "where it is not symmetric; the one of the fewest products with linear.forecast; jacobi if "
      "linear.omega is given, block_jacobi if linear.block_size is.");
  LinearConfig::describe(row);
  row("linear.shift", &LinearSettings::shift, "Shift, subtracted from the diagonal.");
  row("linear.shift_from_ground", &LinearSettings::shift_from_ground,
      "Shift relative to the lowest eigenvalue, which is computed first. Absent: linear.shift "
      "counts.");
  row("linear.omega", &LinearSettings::omega,
      "Relaxation weight of jacobi, jor, block_jacobi and anderson_jacobi; 0: automatic, 1 for "
      "jacobi, else 2 / (lowest + highest eigenvalue) of D^-1 (A - shift), for block_jacobi of "
      "B^-1 (A - shift), or 1 if that is not known.",
      Condition<double>{"from 0 to below 2", [](const double& x) { return x >= 0.0 && x < 2.0; }});
  row("linear.block_size", &LinearSettings::block_size,
      "block_jacobi: number of rows in each block along the diagonal, at most those of the "
      "matrix; 0: one block over the rows with the lowest diagonal elements, as many as "
      "solver.p_space says, and the diagonal elsewhere.",
      Condition<int>{"0, or from 2 to 1024",
                     [](const int& n) { return n == 0 || (n >= 2 && n <= 1024); }});
  row("linear.anderson_depth", &LinearSettings::anderson_depth,
      "anderson_jacobi: number of differences to extrapolate from.", between(1, 100));
  row("linear.anderson_period", &LinearSettings::anderson_period,
      "anderson_jacobi: number of iterations between extrapolations.", between(1, 1000));
  row("linear.forecast", &LinearSettings::forecast,
      "Look at the spectrum of a symmetric system before iterating and forecast the products of "
      "every method; method auto then takes the cheapest.");
  row("linear.spectrum_steps", &LinearSettings::spectrum_steps,
      "Lanczos steps that look at the spectrum, with a product of two vectors each: for a "
      "forecast, for methods that take their weights from it, and once a method has failed; 0: "
      "none.",
      between(0, 1000));
  row("linear.tolerance", &LinearSettings::tolerance,
      "Largest relative residual of a converged column.", above_zero());
  row("linear.absolute_tolerance", &LinearSettings::absolute_tolerance,
      "Residual 2-norm at which a column counts as converged, too; 0: none.", zero_or_more());
  row("linear.max_iterations", &LinearSettings::max_iterations, "Largest number of iterations.",
      at_least(1));
  row("linear.time_limit", &LinearSettings::time_limit,
      "Seconds after which the solve stops with what it has; 0: no limit.", zero_or_more());
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
  SolverConfig::describe(run.within(&RunConfig::solver));
  describe_selection(run.within(&RunConfig::selection));
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
