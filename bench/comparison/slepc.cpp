#include <slepceps.h>

#include <stdexcept>

#include "bench/comparison/contender.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::comparison {
namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc: error " + std::to_string(code));
}

/// The library, from the first solve to the end of the program.
struct Session {
  Session() { check(SlepcInitializeNoArguments()); }
  ~Session() { SlepcFinalize(); }
};

const Problem& problem_of(Mat h) {
  void* context = nullptr;
  check(MatShellGetContext(h, &context));
  return *static_cast<const Problem*>(context);
}

PetscErrorCode multiply(Mat h, Vec x, Vec y) {
  const double* in = nullptr;
  double* out = nullptr;
  check(VecGetArrayRead(x, &in));
  check(VecGetArray(y, &out));
  problem_of(h).h.multiply(in, out);
  check(VecRestoreArray(y, &out));
  check(VecRestoreArrayRead(x, &in));
  return 0;
}

PetscErrorCode get_diagonal(Mat h, Vec d) {
  double* out = nullptr;
  check(VecGetArray(d, &out));
  const Index n = problem_of(h).h.rows();
  problem_of(h).h.diagonal({out, n, 1, 1});
  check(VecRestoreArray(d, &out));
  return 0;
}

/// The library's own rule, and the limit on products.
PetscErrorCode stopping(EPS eps, PetscInt its, PetscInt max_it, PetscInt converged, PetscInt wanted,
                        EPSConvergedReason* reason, void* context) {
  const Problem& problem = *static_cast<const Problem*>(context);
  check(EPSStoppingBasic(eps, its, max_it, converged, wanted, reason, nullptr));
  if (*reason == EPS_CONVERGED_ITERATING && problem.h.products() >= problem.most_products) {
    *reason = EPS_DIVERGED_ITS;
  }
  return 0;
}

Mat make_shell(const Problem& problem) {
  const PetscInt n = problem.h.rows();
  Mat h = nullptr;
  check(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, const_cast<Problem*>(&problem), &h));
  check(MatShellSetOperation(h, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  check(MatShellSetOperation(h, MATOP_GET_DIAGONAL, reinterpret_cast<void (*)()>(get_diagonal)));
  check(MatSetOption(h, MAT_SYMMETRIC, PETSC_TRUE));
  return h;
}

/// D − E, E the guess's energy: positive, as LOBPCG's preconditioner has to be.
Mat make_preconditioner(const Problem& problem, double energy) {
  const PetscInt n = problem.h.rows();
  const std::vector<double> d = diagonal(problem.h.matrix());
  Mat m = nullptr;
  check(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 1, nullptr, &m));
  for (PetscInt i = 0; i < n; ++i) check(MatSetValue(m, i, i, d[i] - energy, INSERT_VALUES));
  check(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  return m;
}

/// One solve and what it holds. The environment's PETSC_OPTIONS are honoured.
class Solve {
 public:
  Solve(const Problem& problem, EPSType type) : problem_(problem), h_(make_shell(problem)) {
    check(EPSCreate(PETSC_COMM_SELF, &eps_));
    check(EPSSetOperators(eps_, h_, nullptr));
    check(EPSSetProblemType(eps_, EPS_HEP));
    check(EPSSetType(eps_, type));
    check(EPSSetWhichEigenpairs(eps_, EPS_SMALLEST_REAL));
    check(EPSSetDimensions(eps_, problem.states, PETSC_DEFAULT, PETSC_DEFAULT));
    check(EPSSetTolerances(eps_, problem.tolerance, PETSC_DEFAULT));
    check(EPSSetConvergenceTest(eps_, EPS_CONV_ABS));
    check(EPSSetStoppingTestFunction(eps_, stopping, const_cast<Problem*>(&problem), nullptr));
    check(EPSSetFromOptions(eps_));
    seed_random_start();
  }
  Solve(const Solve&) = delete;
  Solve& operator=(const Solve&) = delete;
  ~Solve() {
    EPSDestroy(&eps_);
    MatDestroy(&preconditioner_);
    MatDestroy(&h_);
  }

  /// Jacobi: the diagonal, shifted by the guess's energy.
  void precondition(double energy) {
    preconditioner_ = make_preconditioner(problem_, energy);
    ST st = nullptr;
    KSP ksp = nullptr;
    PC pc = nullptr;
    check(EPSGetST(eps_, &st));
    check(STSetType(st, STPRECOND));
    check(STSetPreconditionerMat(st, preconditioner_));
    check(STGetKSP(st, &ksp));
    check(KSPGetPC(ksp, &pc));
    check(PCSetType(pc, PCJACOBI));
  }

  /// Asks for the states nearest to an energy below all of them, in place of the lowest ones: the
  /// same states, but Jacobi-Davidson's correction equations get a shift near them, not 0.
  void aim_at(double energy) {
    check(EPSSetWhichEigenpairs(eps_, EPS_TARGET_REAL));
    check(EPSSetTarget(eps_, energy));
  }

  void start_from(Eigen::MatrixXd& vectors) {
    std::vector<Vec> start(vectors.cols(), nullptr);
    for (Eigen::Index j = 0; j < vectors.cols(); ++j) {
      check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, problem_.h.rows(), vectors.col(j).data(),
                                  &start[j]));
    }
    check(EPSSetInitialSpace(eps_, static_cast<PetscInt>(start.size()), start.data()));
    for (Vec& v : start) check(VecDestroy(&v));
  }

  Outcome run() {
    Outcome outcome;
    const PetscErrorCode code = EPSSolve(eps_);
    outcome.products = problem_.h.products();
    if (code != 0) {
      outcome.status = "EPSSolve: error " + std::to_string(code);
      return outcome;
    }
    PetscInt converged = 0;
    EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
    check(EPSGetConverged(eps_, &converged));
    check(EPSGetConvergedReason(eps_, &reason));
    outcome.says_converged = reason > 0 && converged >= problem_.states;
    outcome.status =
        std::string(EPSConvergedReasons[reason]) + ", " + std::to_string(converged) + " converged";
    collect(std::min<PetscInt>(converged, problem_.states), outcome);
    return outcome;
  }

 private:
  void seed_random_start() {
    BV basis = nullptr;
    PetscRandom random = nullptr;
    check(EPSGetBV(eps_, &basis));
    check(BVGetRandomContext(basis, &random));
    check(PetscRandomSetSeed(random, problem_.seed));
    check(PetscRandomSeed(random));
  }

  void collect(PetscInt count, Outcome& outcome) {
    const PetscInt n = problem_.h.rows();
    outcome.vectors.resize(n, count);
    if (count > 0) outcome.reported_residual = 0.0;
    for (PetscInt j = 0; j < count; ++j) {
      Vec x = nullptr;
      double energy = 0.0, error = 0.0;
      check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, outcome.vectors.col(j).data(), &x));
      check(EPSGetEigenpair(eps_, j, &energy, nullptr, x, nullptr));
      check(EPSGetErrorEstimate(eps_, j, &error));
      check(VecDestroy(&x));
      outcome.energies.push_back(energy);
      outcome.reported_residual = std::max(outcome.reported_residual, error);
    }
  }

  const Problem& problem_;
  EPS eps_ = nullptr;
  Mat h_ = nullptr;
  Mat preconditioner_ = nullptr;
};

Outcome krylov_schur(const Problem& problem) {
  return Solve(problem, EPSKRYLOVSCHUR).run();
}

enum class Start { random, p_space };

Outcome preconditioned(const Problem& problem, EPSType type, Start start) {
  Guess guess = p_space_guess(problem);
  Solve solve(problem, type);
  if (std::string(type) == EPSJD) solve.aim_at(guess.below);
  solve.precondition(guess.energy);
  if (start == Start::p_space) solve.start_from(guess.vectors);
  return solve.run();
}

template <Start start>
Outcome gd(const Problem& problem) {
  return preconditioned(problem, EPSGD, start);
}

template <Start start>
Outcome jd(const Problem& problem) {
  return preconditioned(problem, EPSJD, start);
}

template <Start start>
Outcome lobpcg(const Problem& problem) {
  return preconditioned(problem, EPSLOBPCG, start);
}

}  // namespace

std::vector<Method> slepc_methods() {
  static const Session session;
  const std::string library = "SLEPc " + std::to_string(SLEPC_VERSION_MAJOR) + "." +
                              std::to_string(SLEPC_VERSION_MINOR) + "." +
                              std::to_string(SLEPC_VERSION_SUBMINOR);
  return {{library, "Krylov-Schur", krylov_schur},       {library, "GD", gd<Start::random>},
          {library, "GD, P", gd<Start::p_space>},        {library, "JD", jd<Start::random>},
          {library, "JD, P", jd<Start::p_space>},        {library, "LOBPCG", lobpcg<Start::random>},
          {library, "LOBPCG, P", lobpcg<Start::p_space>}};
}

}  // namespace cisolve::comparison
