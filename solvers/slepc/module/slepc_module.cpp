// The C++ bindings of MPI 2 are not wanted: they would have to be linked.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <slepceps.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "backends/ranks/agree.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda_module_stamp.hpp"
#include "solvers/slepc/module_entry.hpp"

namespace cisolve {
namespace {

// SLEPc's types name C functions of PETSc's calling convention: they return an error code, and no
// exception may pass through them.

/// MPI where no launcher has begun it: ended with the process.
struct OwnMpi {
  OwnMpi() {
    int there = 0;
    MPI_Initialized(&there);
    if (there != 0) return;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    own = true;
  }
  ~OwnMpi() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (own && ended == 0) MPI_Finalize();
  }
  bool own = false;
};

/// The first message of an error is where it was found; what follows is the way there.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                            PetscErrorType type, const char* message, void* to) {
  if (type == PETSC_ERROR_INITIAL && message != nullptr) *static_cast<std::string*>(to) = message;
  return code;
}

class Solve {
 public:
  Solve(const SlepcProblem& problem, const SlepcObserver& observer, SlepcResult& result)
      : problem_(problem), observer_(observer), result_(result) {
    static const OwnMpi mpi;
    PETSC_COMM_WORLD = problem.ranks->alone() ? MPI_COMM_SELF : MPI_COMM_WORLD;
    // Signals and errors are the program's own matter; files and the environment set nothing.
    int count = 3;
    char name[] = "cisolve", signals[] = "-no_signal_handler", files[] = "-skip_petscrc";
    char* words[] = {name, signals, files, nullptr};
    char** arguments = words;
    if (SlepcInitialize(&count, &arguments, nullptr, nullptr) != 0) {
      throw ResourceError("SLEPc cannot be begun");
    }
    PetscPushErrorHandler(keep_message, &message_);
  }
  Solve(const Solve&) = delete;
  Solve& operator=(const Solve&) = delete;
  ~Solve() {
    EPSDestroy(&eps_);
    MatDestroy(&a_);
    PetscPopErrorHandler();
    SlepcFinalize();
  }

  void run() {
    rows_ = problem_.a->rows();
    set_options();
    make_matrix();
    make_solver();
    check(EPSSolve(eps_));
    count_products();
    take();
  }

 private:
  void check(PetscErrorCode code) {
    if (code == 0) return;
    if (thrown_) std::rethrow_exception(thrown_);
    throw InputError("SLEPc (" + problem_.method +
                     "): " + (message_.empty() ? "error " + std::to_string(code) : message_));
  }

  /// Sets the options of the method for a CI matrix, then the user's.
  void set_options() {
    std::string own;
    if (problem_.method == "gd" || problem_.method == "jd") {
      own = "-st_pc_type jacobi";
    } else if (problem_.method == "lobpcg") {
      // Its preconditioner has to be positive definite, and A's diagonal is not.
      own = "-st_pc_type none -eps_lobpcg_blocksize " + std::to_string(problem_.states + 3);
    }
    check(PetscOptionsInsertString(nullptr, own.c_str()));
    check(PetscOptionsInsertString(nullptr, problem_.options.c_str()));
  }

  void make_matrix() {
    problem_.assembled() ? assemble() : make_shell();
    check(MatSetOption(a_, MAT_SYMMETRIC, PETSC_TRUE));
  }

  /// A copy: options of PETSc's may change it.
  void assemble() {
    std::vector<PetscInt> offsets, columns;
    require_on_all(*problem_.ranks, [&] {
      require_countable(problem_.values.size());
      offsets.assign(problem_.row_offsets.begin(), problem_.row_offsets.end());
      columns.assign(problem_.column_indices.begin(), problem_.column_indices.end());
    });
    check(PetscLogDefaultBegin());  // counts products
    check(MatCreate(PETSC_COMM_WORLD, &a_));
    check(MatSetSizes(a_, rows_, rows_, PETSC_DETERMINE, PETSC_DETERMINE));
    check(MatSetType(a_, MATAIJ));
    // Whichever of the two the matrix is.
    const double* const values = problem_.values.data();
    check(MatSeqAIJSetPreallocationCSR(a_, offsets.data(), columns.data(), values));
    check(MatMPIAIJSetPreallocationCSR(a_, offsets.data(), columns.data(), values));
    counted_before_ = counted();
    result_.assembled = true;
  }

  static void require_countable(std::size_t nonzeros) {
    if (std::cmp_less_equal(nonzeros, std::numeric_limits<PetscInt>::max())) return;
    throw ResourceError("solver.slepc_matrix: assembled: PETSc counts elements in " +
                        std::to_string(8 * sizeof(PetscInt)) + " bits, and a rank has " +
                        std::to_string(nonzeros) + "; with more ranks it has fewer");
  }

  void make_shell() {
    check(MatCreateShell(PETSC_COMM_WORLD, rows_, rows_, PETSC_DETERMINE, PETSC_DETERMINE, this,
                         &a_));
    check(MatShellSetOperation(a_, MATOP_MULT, reinterpret_cast<void (*)()>(&Solve::multiply)));
    check(MatShellSetOperation(a_, MATOP_GET_DIAGONAL,
                               reinterpret_cast<void (*)()>(&Solve::take_diagonal)));
  }

  /// Products of one vector since PETSc was begun, by whomever, and their time.
  PetscEventPerfInfo counted() {
    PetscLogEvent event = 0;
    PetscEventPerfInfo info{};
    check(PetscLogEventGetId("MatMult", &event));
    check(PetscLogEventGetPerfInfo(0, event, &info));
    return info;
  }
  void count_products() {
    if (!result_.assembled) return;
    const PetscEventPerfInfo now = counted();
    result_.products = now.count - counted_before_.count;
    result_.product_seconds = now.time - counted_before_.time;
  }

  void make_solver() {
    check(EPSCreate(PETSC_COMM_WORLD, &eps_));
    require_method();
    check(EPSSetOperators(eps_, a_, nullptr));
    check(EPSSetProblemType(eps_, EPS_HEP));
    check(EPSSetType(eps_, problem_.method.c_str()));
    check(EPSSetWhichEigenpairs(eps_, EPS_SMALLEST_REAL));
    check(EPSSetDimensions(eps_, problem_.states, PETSC_DEFAULT, PETSC_DEFAULT));
    check(EPSSetTolerances(eps_, problem_.tolerance, problem_.max_iterations));
    check(EPSSetConvergenceTest(eps_, EPS_CONV_ABS));
    check(EPSSetFromOptions(eps_));
    check(EPSSetStoppingTestFunction(eps_, &Solve::stop, this, nullptr));
    check(EPSMonitorSet(eps_, &Solve::monitor, this, nullptr));
  }

  void require_method() {
    PetscErrorCode (*found)(EPS) = nullptr;
    check(PetscFunctionListFind(EPSList, problem_.method.c_str(), &found));
    if (found == nullptr) {
      throw InputError("solver.slepc_method: found " + problem_.method +
                       ", expected one of SLEPc's: krylovschur, gd, jd, lobpcg, lanczos, arnoldi, "
                       "rqcg, ...");
    }
  }

  static PetscErrorCode multiply(Mat a, Vec x, Vec y) {
    Solve* self = nullptr;
    MatShellGetContext(a, static_cast<void*>(&self));
    const double* from = nullptr;
    double* to = nullptr;
    VecGetArrayRead(x, &from);
    VecGetArrayWrite(y, &to);
    const bool good = self->guarded([&] {
      const Timer timer;
      self->problem_.a->apply(1.0, {from, self->rows_, 1, 1}, 0.0, {to, self->rows_, 1, 1});
      self->result_.product_seconds += timer.seconds();
      ++self->result_.products;
    });
    VecRestoreArrayRead(x, &from);
    VecRestoreArrayWrite(y, &to);
    return good ? 0 : PETSC_ERR_USER;
  }

  static PetscErrorCode take_diagonal(Mat a, Vec d) {
    Solve* self = nullptr;
    MatShellGetContext(a, static_cast<void*>(&self));
    double* to = nullptr;
    VecGetArrayWrite(d, &to);
    std::ranges::copy(self->problem_.diagonal, to);
    VecRestoreArrayWrite(d, &to);
    return 0;
  }

  static PetscErrorCode monitor(EPS, PetscInt iteration, PetscInt converged, PetscScalar* values,
                                PetscScalar*, PetscReal* errors, PetscInt known, void* context) {
    auto* self = static_cast<Solve*>(context);
    const auto count = static_cast<std::size_t>(
        std::min<PetscInt>(self->problem_.states, std::max<PetscInt>(known, converged)));
    const bool good = self->guarded([&] {
      self->count_products();
      const SlepcGoOn mine = self->observer_({static_cast<int>(iteration),
                                              static_cast<int>(converged),
                                              {values, count},
                                              {errors, count},
                                              self->result_.products});
      self->go_on_ = self->problem_.ranks->of_first(mine);
    });
    return good ? 0 : PETSC_ERR_USER;
  }

  static PetscErrorCode stop(EPS eps, PetscInt iteration, PetscInt most, PetscInt converged,
                             PetscInt wanted, EPSConvergedReason* reason, void* context) {
    const PetscErrorCode code =
        EPSStoppingBasic(eps, iteration, most, converged, wanted, reason, nullptr);
    if (static_cast<Solve*>(context)->go_on_ != SlepcGoOn::yes &&
        *reason == EPS_CONVERGED_ITERATING) {
      *reason = EPS_CONVERGED_USER;
    }
    return code;
  }

  /// False where f threw; what it threw leaves PETSc as an error and is thrown again behind it.
  template <class F>
  bool guarded(const F& f) {
    try {
      f();
      return true;
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  void take() {
    EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
    PetscInt iterations = 0, converged = 0;
    check(EPSGetConvergedReason(eps_, &reason));
    check(EPSGetIterationNumber(eps_, &iterations));
    check(EPSGetConverged(eps_, &converged));
    result_.iterations = static_cast<int>(iterations);
    result_.vectors = static_cast<int>(std::min<PetscInt>(converged, problem_.states));
    result_.status = result_.vectors == problem_.states ? SolveStatus::converged
                     : go_on_ == SlepcGoOn::cancelled   ? SolveStatus::cancelled
                     : go_on_ == SlepcGoOn::time_limit  ? SolveStatus::time_limit
                     : reason == EPS_DIVERGED_ITS       ? SolveStatus::max_iterations
                                                        : SolveStatus::breakdown;
    take_vectors();
    result_.version = "SLEPc " + std::to_string(SLEPC_VERSION_MAJOR) + "." +
                      std::to_string(SLEPC_VERSION_MINOR) + "." +
                      std::to_string(SLEPC_VERSION_SUBMINOR);
    take_unread();
  }

  void take_vectors() {
    result_.values.resize(static_cast<std::size_t>(rows_) * result_.vectors);
    Vec x = nullptr;
    check(MatCreateVecs(a_, &x, nullptr));
    for (int j = 0; j < result_.vectors; ++j) {
      check(EPSGetEigenvector(eps_, j, x, nullptr));
      const double* from = nullptr;
      check(VecGetArrayRead(x, &from));
      std::copy_n(from, rows_, result_.values.begin() + static_cast<std::ptrdiff_t>(rows_) * j);
      check(VecRestoreArrayRead(x, &from));
    }
    check(VecDestroy(&x));
  }

  void take_unread() {
    PetscInt count = 0;
    char **names = nullptr, **values = nullptr;
    check(PetscOptionsLeftGet(nullptr, &count, &names, &values));
    for (PetscInt i = 0; i < count; ++i) result_.unread.push_back(std::string("-") + names[i]);
    check(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
    // SlepcFinalize would print them.
    check(PetscOptionsClear(nullptr));
  }

  const SlepcProblem& problem_;
  const SlepcObserver& observer_;
  SlepcResult& result_;
  Index rows_ = 0;
  Mat a_ = nullptr;
  PetscEventPerfInfo counted_before_{};
  EPS eps_ = nullptr;
  SlepcGoOn go_on_ = SlepcGoOn::yes;
  std::string message_;
  std::exception_ptr thrown_;
};

}  // namespace
}  // namespace cisolve

const char* cisolve_slepc_stamp() {
  return CISOLVE_CUDA_MODULE_STAMP;
}

void cisolve_slepc_solve(const cisolve::SlepcProblem& problem,
                         const cisolve::SlepcObserver& observer, cisolve::SlepcResult& result) {
  cisolve::Solve(problem, observer, result).run();
}
