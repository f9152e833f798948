#include "app/run.hpp"

#include <omp.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "app/boundary.hpp"
#include "app/checkpoint.hpp"
#include "app/checkpoint_file.hpp"
#include "app/config_value.hpp"
#include "app/memory.hpp"
#include "app/progress.hpp"
#include "app/report.hpp"
#include "app/source.hpp"
#include "app/spin_projection.hpp"
#include "app/state_analysis.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/timer.hpp"
#include "io/vector_file.hpp"
#include "spmv/format.hpp"
#include "spmv/tune.hpp"

namespace cisolve {
namespace {

std::unique_ptr<Backend> make_backend(const BackendConfig& config) {
  if (config.threads > 0) omp_set_num_threads(config.threads);
  return chosen_backend(config) == BackendKind::cuda ? make_cuda_backend(config.device)
                                                     : make_cpu_backend(config.threads);
}

/// The format to take. Throws InputError on an unknown one, ResourceError on an unavailable one.
std::string usable_format(const std::string& name, BackendKind backend) {
  const std::string chosen = choose_format(name, backend);
  const std::string reason = unavailable_reason(find_format(chosen), backend);
  if (!reason.empty()) throw ResourceError("format " + chosen + ": " + reason);
  return chosen;
}

EigenOptions eigen_options(const RunConfig& config) {
  EigenOptions options;
  options.method = config.solver.method;
  options.states = config.solver.states;
  options.stop_by = config.solver.stop_by;
  options.energy_tolerance = config.solver.energy_tolerance;
  options.olsen = config.solver.olsen;
  options.tolerance = config.solver.tolerance;
  options.max_iterations = config.solver.max_iterations;
  options.guard = config.solver.guard;
  options.max_basis = config.solver.max_basis;
  options.probe = config.solver.probe;
  options.time_limit = config.solver.time_limit;
  options.seed = config.solver.seed;
  options.checkpoint_vectors = config.checkpoint.vectors;
  return options;
}

/// What the eigensolver allocates, beside matrix and operator.
MemoryNeed eigen_memory(const RunConfig& config, const EigenOptions& options, Index rows) {
  MemoryNeed need;
  const auto p = static_cast<std::size_t>(largest_p_space(config.solver.p_space, rows));
  need.p_space = p * p * sizeof(double);
  need.basis_vector = basis_vector_bytes(options, rows);
  // Of vectors: one for the projected matrix, one for the residuals, four to make the new vectors
  // orthogonal (two passes); of images: one for the residuals. Of Lanczos: the four.
  need.basis_reads = options.method == EigenMethod::lanczos ? 4.0 : 7.0 / 2.0;
  need.basis = basis_size(options, rows);
  need.smallest_basis = smallest_basis(options, rows);
  need.other_vectors = other_vector_bytes(options, rows);
  EigenOptions one = options;
  one.states = 1;
  one.guard = 0;
  need.vectors_of_one_state =
      other_vector_bytes(one, rows) +
      static_cast<std::size_t>(smallest_basis(one, rows)) * need.basis_vector;
  return need;
}

LinearOptions linear_options(const LinearConfig& config) {
  LinearOptions options;
  options.tolerance = config.tolerance;
  options.max_iterations = config.max_iterations;
  options.omega = config.omega;
  options.shift = config.shift;
  options.time_limit = config.time_limit;
  return options;
}

/// Linear solvers have no checkpoints: a key that would be ignored is refused.
void require_checkpoints(const RunConfig& config) {
  if (config.task == Task::eigen) return;
  const auto refuse = [&](const std::string& key) {
    throw InputError(key + ": " + name_of(config.linear.method) +
                     " does not checkpoint or restart, eigensolvers do");
  };
  if (!config.checkpoint.file.empty()) refuse("checkpoint.file");
  if (!config.solver.restart.empty()) refuse("solver.restart");
}

/// A result must be of the matrix in double: eigensolvers refine their operator, others do not.
void require_refining_solver(const RunConfig& config) {
  if (config.spmv.off_diagonal == Precision::float64 || config.task == Task::eigen) return;
  throw InputError("spmv.off_diagonal: found float32, expected float64: " +
                   std::string(name_of(config.linear.method)) +
                   " does not change over to double before it ends, eigensolvers do");
}

void require_eigen(const RunConfig& config) {
  if (config.task != Task::eigen && config.solver.multiplicity) {
    throw InputError("solver.multiplicity: a linear system has no states to choose among");
  }
}

HostMatrix right_hand_side(const RunConfig& config, Index rows) {
  HostMatrix b = HostMatrix::Ones(rows, 1);
  if (config.linear.rhs == "random") {
    std::mt19937_64 engine(config.solver.seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (Index i = 0; i < rows; ++i) b(i, 0) = uniform(engine);
  } else if (config.linear.rhs != "ones") {
    b = read_vector(config.linear.rhs);
    if (b.rows() != rows) {
      throw InputError(config.linear.rhs + ": found " + std::to_string(b.rows()) +
                       " elements, expected one for each of the " + std::to_string(rows) + " rows");
    }
  }
  return b;
}

/// The stages that eigenproblems and linear systems share, in the order they happen.
class Pipeline {
  const Timer total_;  // begins before everything else

 public:
  Output output;
  std::unique_ptr<Backend> backend;
  RunFacts facts;

  explicit Pipeline(const RunConfig& config)
      : output(config.output.json),
        backend(make_backend(config.backend)),
        config_(config),
        vectors_file_(config.output.vectors.empty()
                          ? nullptr
                          : std::make_unique<AtomicFile>(config.output.vectors)),
        checkpoints_(config),
        format_(usable_format(config.spmv.format, backend->kind())) {
    require_checkpoints(config);
    require_eigen(config);
    facts.backend = backend->kind();
    facts.device = backend->description();
    require_deterministic(find_format(format_), config.spmv);
    require_precision(find_format(format_), config.spmv);
    require_refining_solver(config);
    if (const std::string note = check_boundary(config.spmv, format_); !note.empty()) {
      spdlog::warn("{}", note);
      facts.notes.push_back(note);
    }
  }

  /// The integrals or the matrix; returns the number of its rows.
  Index read() {
    const Timer timer;
    source_ = std::make_unique<HamiltonianSource>(
        config_.input, find_format(format_).symmetric ? Storage::upper : Storage::full);
    facts.rows = source_->rows();
    if (!source_->is_fcidump()) {
      if (const Index columns = source_->outline().columns; columns != facts.rows) {
        throw InputError(config_.input.file.string() + ": the matrix is " +
                         std::to_string(facts.rows) + " x " + std::to_string(columns) +
                         ", expected a square one");
      }
    }
    if (format_ == "hybrid") check_boundary_value(config_.spmv.boundary, facts.rows);
    facts.seconds.read = timer.seconds();
    return facts.rows;
  }

  /// The projector onto the multiplicity asked for, of blocks of up to `columns` vectors; empty
  /// where all states are.
  std::function<void(View)> projector(int columns) {
    const Timer timer;
    multiplicity_ = requested_multiplicity(config_, *source_, *backend, columns);
    facts.seconds.build += timer.seconds();
    facts.multiplicity = config_.solver.multiplicity;
    if (!multiplicity_.projector) return {};
    return [projector = multiplicity_.projector.get()](View t) { projector->apply(t); };
  }

  /// The host matrix, if it, the operator, what its products with up to `columns` vectors need and
  /// the solver's own `need` fit, as facts.memory then says.
  std::shared_ptr<const CsrMatrix> build(int columns, MemoryNeed need) {
    const Timer timer;
    const Format& format = find_format(format_);
    need.determinants = source_->is_fcidump();
    need.halvable = !format.symmetric;
    const auto plan = [&](std::size_t csr, std::size_t scratch) {
      const bool keeps_host_matrix = backend->kind() == BackendKind::cpu && !format.converts;
      // Of values in single precision; other operators are to have room in double in the end.
      const std::size_t beside = config_.spmv.off_diagonal == Precision::float32 ? csr / 3 : 0;
      need.host_matrix = source_->is_fcidump() ? csr : 0;
      need.operator_matrix = keeps_host_matrix ? beside : csr;
      need.scratch = scratch;
      return plan_memory(need, available_memory(*backend, config_.backend.memory_limit.count));
    };
    if (source_->is_fcidump()) {
      // Counting the nonzeros of a large space takes minutes: what cannot fit is refused before.
      require_fit(plan(CsrMatrix::bytes(facts.rows, facts.rows), 0), source_->size_text(),
                  *backend);
      output.text() << source_->size_text() << std::endl;
    }
    const CsrMatrix& a = source_->outline();
    facts.memory =
        plan(CsrMatrix::bytes(a.rows, a.nonzeros()),
             format.scratch ? format.scratch(a, config_.spmv, backend->kind(), columns) : 0);
    announce(facts.memory, source_->size_text(), *backend, output.text());
    auto matrix = std::make_shared<const CsrMatrix>(source_->take());
    facts.notes.insert(facts.notes.end(), source_->notes().begin(), source_->notes().end());
    if (!source_->is_fcidump() && config_.task == Task::eigen) {
      require_symmetric(*matrix, config_.input.file.string());
    }
    facts.seconds.build += timer.seconds();
    return matrix;
  }

  /// What tells the matrix from others, where a checkpoint is to be written or read; and the state
  /// to restart from.
  void identify(const CsrMatrix& a) {
    if (!checkpoints_.active() && config_.solver.restart.empty()) return;
    const Timer timer;
    fingerprint_ = fingerprint(a);
    if (!config_.solver.restart.empty()) {
      begin_from_ = read_restart(config_.solver.restart, fingerprint_, config_.solver.multiplicity);
      facts.checkpoint.iterations = begin_from_->iterations;
      facts.checkpoint.operator_applications = begin_from_->operator_applications;
      facts.checkpoint.probe_applications = begin_from_->probe_applications;
      facts.checkpoint.seconds_before = begin_from_->seconds;
    }
    facts.seconds.read += timer.seconds();
  }
  const SolverState* begin_from() const { return begin_from_ ? &*begin_from_ : nullptr; }
  CheckpointHook checkpoint_hook() {
    return checkpoints_.hook(fingerprint_, facts.checkpoint.iterations);
  }
  void note_checkpoints() {
    facts.checkpoint.written = checkpoints_.written();
    facts.checkpoint.seconds = checkpoints_.seconds();
    if (!checkpoints_.failure().empty()) facts.notes.push_back(checkpoints_.failure());
  }

  /// A tolerance that rounding does not let any solve reach is said to be one.
  void note_tolerance(const EigenResult& result) {
    if (config_.solver.stop_by == StopBy::energy) return;
    if (config_.solver.tolerance >= result.attainable_residual) return;
    const std::string note = fmt::format(
        "solver.tolerance: {} is below what double precision allows for this matrix, "
        "about {:.1e}; the solve aimed at that",
        config_.solver.tolerance, result.attainable_residual);
    spdlog::warn("{}", note);
    facts.notes.push_back(note);
  }

  PSpace p_space(const CsrMatrix& a) {
    const Timer timer;
    PSpace p;
    const Pattern of_a{a.row_offsets, a.column_indices};
    if (const auto s_squared = std::exchange(multiplicity_.s_squared, nullptr)) {
      p.sectors = connected_sectors({of_a, {s_squared->row_offsets, s_squared->column_indices}});
    } else {
      p.sectors = connected_sectors({of_a});
    }
    const SolverConfig& solver = config_.solver;
    p.rows = p_space_rows(diagonal(a), p.sectors, a.nonzeros(), solver.states, solver.p_space);
    p.matrix = principal_submatrix(a, p.rows);
    facts.seconds.convert += timer.seconds();
    return p;
  }

  /// The operator; the host matrix dies here unless the operator keeps it.
  /// Where asked for, its kernel is tuned for blocks of `columns` vectors.
  std::unique_ptr<LinearOperator> convert(std::shared_ptr<const CsrMatrix> a, int columns) {
    const Timer timer;
    auto made = make_operator(format_, std::move(a), *backend, config_.spmv);
    if (config_.spmv.tune) {
      const Tuning tuned = tune(*made, *backend, columns, config_.spmv.kernel);
      facts.notes.push_back(describe(tuned, format_, backend->kind()));
      output.text() << facts.notes.back() << std::endl;
    }
    facts.matrix = made->info();
    revise_plan();
    facts.seconds.convert += timer.seconds();
    return made;
  }

  /// What the states are; their vectors may change, as analyse_states says.
  EigenAnalysis analyse(EigenResult& result, std::unique_ptr<LinearOperator> a) {
    const Timer timer;
    EigenAnalysis made = analyse_states(result, std::move(a), *backend, *source_, config_);
    facts.notes.insert(facts.notes.end(), made.notes.begin(), made.notes.end());
    facts.seconds.analysis = timer.seconds();
    return made;
  }

  void write_vectors(ConstView vectors) {
    if (!vectors_file_) return;
    write_npy(backend->download(vectors), vectors_file_->temporary());
    vectors_file_->commit();
  }

  void finish(double solve_seconds) {
    if (facts.memory.decision != MemoryDecision::as_configured) {
      facts.notes.push_back("memory: " + describe(facts.memory));
    }
    facts.seconds.solve = solve_seconds;
    facts.seconds.total = total_.seconds();
  }

 private:
  /// The plan again with the operator in place, whose format may pad, and the memory that is left.
  /// Said only where it changes what was decided.
  void revise_plan() {
    MemoryNeed need = facts.memory.need;
    // A matrix that was there before the plan, and is the operator, does not count against the
    // limit.
    const bool counted = need.host_matrix + need.operator_matrix > 0;
    const std::size_t taken = counted ? static_cast<std::size_t>(facts.matrix.bytes) : 0;
    const std::size_t limit = config_.backend.memory_limit.count;
    const std::size_t left = limit > taken ? limit - taken : std::min<std::size_t>(limit, 1);
    need.host_matrix = need.operator_matrix = 0;
    MemoryPlan plan = plan_memory(need, available_memory(*backend, left));
    const std::string size = "with the operator in place, " +
                             format_bytes(static_cast<double>(facts.matrix.bytes)) + " in " +
                             format_;
    require_fit(plan, size, *backend);
    if (plan.basis_vectors == facts.memory.basis_vectors &&
        plan.basis_in_host_memory == facts.memory.basis_in_host_memory) {
      return;
    }
    announce(plan, size, *backend, output.text());
    facts.memory = plan;
  }

  const RunConfig& config_;
  std::unique_ptr<AtomicFile> vectors_file_;
  CheckpointWriter checkpoints_;
  Fingerprint fingerprint_;
  std::optional<SolverState> begin_from_;
  std::string format_;
  std::unique_ptr<HamiltonianSource> source_;
  RequestedMultiplicity multiplicity_;
};

ExitStatus exit_status(SolveStatus status) {
  return status == SolveStatus::converged ? done : not_converged;
}

ExitStatus run_eigen(const RunConfig& config) {
  Pipeline pipeline(config);
  const Index rows = pipeline.read();
  EigenOptions options = eigen_options(config);
  if (options.states > rows) {
    throw InputError(
        "solver.states: more states than determinants: " + std::to_string(options.states) +
        " asked for, the matrix has " + std::to_string(rows) + " rows");
  }

  const int block = block_size(options, rows);
  options.project = pipeline.projector(block);
  auto matrix = pipeline.build(block, eigen_memory(config, options, rows));
  pipeline.identify(*matrix);
  const PSpace p_space = pipeline.p_space(*matrix);
  auto a = pipeline.convert(std::move(matrix), block);
  options.max_basis = pipeline.facts.memory.basis_vectors;
  options.basis_in_host_memory = pipeline.facts.memory.basis_in_host_memory;

  options.checkpoint = pipeline.checkpoint_hook();
  options.begin_from = pipeline.begin_from();

  const Interrupt interrupt;
  EigenProgress progress(pipeline.output.text(), terminal_width(pipeline.output.descriptor()));
  const auto observer = [&](const EigenIteration& iteration) {
    progress.show(iteration);
    return !Interrupt::requested();
  };
  EigenResult result = lowest_eigenpairs(*a, *pipeline.backend, p_space, options, observer);
  pipeline.facts.matrix = a->info();  // no longer in single precision
  pipeline.note_checkpoints();
  pipeline.note_tolerance(result);
  const EigenAnalysis analysis = pipeline.analyse(result, std::move(a));

  pipeline.write_vectors(result.vectors.view());
  pipeline.finish(result.seconds);
  print_eigen(pipeline.output.text(), pipeline.facts, result, analysis);
  pipeline.output.write(eigen_json(config, pipeline.facts, result, analysis));
  return exit_status(result.status);
}

ExitStatus run_linear(const RunConfig& config) {
  Pipeline pipeline(config);
  const Index rows = pipeline.read();
  const HostMatrix rhs = right_hand_side(config, rows);

  MemoryNeed need;
  // b, x, and of the solver: best x, residual, diagonal.
  need.other_vectors = 5 * static_cast<std::size_t>(rows) * sizeof(double);
  const auto a = pipeline.convert(pipeline.build(1, need), 1);
  Backend& backend = *pipeline.backend;
  MultiVector b(backend, rows, 1), x(backend, rows, 1);
  backend.upload(rhs, b.view());
  backend.fill(0.0, x.view());

  const Interrupt interrupt;
  LinearProgress progress(pipeline.output.text());
  const auto observer = [&](const LinearIteration& iteration) {
    progress.show(iteration);
    return !Interrupt::requested();
  };
  const LinearResult result =
      jacobi(*a, backend, b.view(), x.view(), linear_options(config.linear), observer);

  pipeline.write_vectors(x.view());
  pipeline.finish(result.seconds);
  print_linear(pipeline.output.text(), pipeline.facts, result);
  pipeline.output.write(linear_json(config, pipeline.facts, result));
  return exit_status(result.status);
}

}  // namespace

BackendKind chosen_backend(const BackendConfig& config) {
  const bool cuda = config.name == BackendName::cuda ||
                    (config.name == BackendName::automatic && cuda_unavailable_reason().empty());
  return cuda ? BackendKind::cuda : BackendKind::cpu;
}

ExitStatus run(const RunConfig& config) {
  return config.task == Task::eigen ? run_eigen(config) : run_linear(config);
}

}  // namespace cisolve
