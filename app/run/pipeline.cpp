#include "app/run/pipeline.hpp"

#include <omp.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "app/config/boundary.hpp"
#include "app/run/run.hpp"
#include "app/run/solver_options.hpp"
#include "backends/cuda_module.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

std::unique_ptr<Backend> make_backend(const BackendConfig& config) {
  if (config.threads > 0) omp_set_num_threads(config.threads);
  return chosen_backend(config) == BackendKind::cuda ? make_cuda_backend(config.device)
                                                     : make_cpu_backend(config.threads);
}

/// The format to take. Throws InputError on an unknown one, ResourceError on an unavailable one.
std::string usable_format(const std::string& name, BackendKind backend) {
  const std::string chosen = first_format(name);
  const std::string reason = unavailable_reason(find_format(chosen), backend);
  if (!reason.empty()) throw ResourceError("format " + chosen + ": " + reason);
  return chosen;
}

}  // namespace

BackendKind chosen_backend(const BackendConfig& config) {
  if (const std::string fault = cuda_module_fault();
      config.name == BackendName::automatic && !fault.empty()) {
    static std::once_flag said;
    std::call_once(said, [&] { spdlog::warn("the GPU is not used: {}", fault); });
  }
  const bool cuda = config.name == BackendName::cuda ||
                    (config.name == BackendName::automatic && cuda_unavailable_reason().empty());
  return cuda ? BackendKind::cuda : BackendKind::cpu;
}

Pipeline::Pipeline(const RunConfig& config)
    : output(config.output.json),
      backend(make_backend(config.backend)),
      config_(config),
      vectors_file_(config.output.vectors.empty()
                        ? nullptr
                        : std::make_unique<AtomicFile>(config.output.vectors)),
      checkpoints_(config),
      format_(usable_format(config.spmv.format, backend->kind())) {
  require_consistent(config);
  facts.backend = backend->kind();
  facts.device = backend->description();
  require_deterministic(find_format(format_), config.spmv);
  require_precision(find_format(format_), config.spmv);
  if (const std::string note = check_boundary(config.spmv, format_); !note.empty()) warn(note);
  if (!config.solver.restart.empty()) {
    restart_.emplace(config.solver.restart, config.solver.multiplicity);
  }
  if (config.spmv.format == "auto") {
    chooser_ = std::make_unique<FormatChooser>(
        config, *backend, [this](const std::string& problem) { warn(problem); });
  }
}

void Pipeline::warn(const std::string& note) {
  spdlog::warn("{}", note);
  facts.notes.push_back(note);
}

Index Pipeline::read() {
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
  if (format_ == "hybrid" || chooser_) check_boundary_value(config_.spmv.boundary, facts.rows);
  if (restart_) restart_->require_rows(facts.rows);
  facts.seconds.read = timer.seconds();
  return facts.rows;
}

std::function<void(View)> Pipeline::projector(int columns) {
  const Timer timer;
  multiplicity_ = requested_multiplicity(config_, *source_, *backend, columns);
  facts.seconds.build += timer.seconds();
  facts.multiplicity = config_.solver.multiplicity;
  if (!multiplicity_.projector) return {};
  return [projector = multiplicity_.projector.get()](View t) { projector->apply(t); };
}

void Pipeline::identify(const MatrixSource& a) {
  if (!checkpoints_.active() && !restart_) return;
  const Timer timer;
  fingerprint_ = a.fingerprint();
  if (restart_) {
    begin_from_ = restart_->state(fingerprint_);
    facts.checkpoint.iterations = begin_from_->iterations;
    facts.checkpoint.operator_applications = begin_from_->operator_applications;
    facts.checkpoint.probe_applications = begin_from_->probe_applications;
    facts.checkpoint.seconds_before = begin_from_->seconds;
  }
  facts.seconds.read += timer.seconds();
}

CheckpointHook Pipeline::checkpoint_hook() {
  return checkpoints_.hook(fingerprint_, facts.checkpoint.iterations);
}

PSpace Pipeline::p_space(const MatrixSource& a, BackendKind solves_on) {
  const Timer timer;
  const auto s_squared = std::exchange(multiplicity_.s_squared, nullptr);
  PSpace p = p_space_of(a, a.sectors(s_squared.get()), config_.solver.states,
                        config_.solver.p_space, solves_on);
  p.seconds = timer.seconds();
  facts.seconds.convert += p.seconds;
  return p;
}

void Pipeline::note_operator(const LinearOperator& a) {
  facts.matrix = a.info();  // no longer in single precision, or in another format
  if (const auto* adaptive = dynamic_cast<const AdaptiveOperator*>(&a)) {
    facts.format_choice = chooser_->finish(*adaptive);
  }
}

void Pipeline::note_solve(const EigenResult& result) {
  facts.checkpoint.written = checkpoints_.written();
  facts.checkpoint.seconds = checkpoints_.seconds();
  if (!checkpoints_.failure().empty()) facts.notes.push_back(checkpoints_.failure());
  for (const std::string& note : result.notes) warn(note);
  const SolverConfig& solver = config_.solver;
  if (solver.stop_by != StopBy::energy && solver.tolerance < result.attainable_residual) {
    warn(
        fmt::format("solver.tolerance: {} is below what double precision allows for this matrix, "
                    "about {:.1e}; the solve aimed at that",
                    solver.tolerance, result.attainable_residual));
  }
}

EigenAnalysis Pipeline::analyse(EigenResult& result, std::unique_ptr<LinearOperator> a) {
  const Timer timer;
  EigenAnalysis made = analyse_states(result, std::move(a), *backend, *source_, config_);
  facts.notes.insert(facts.notes.end(), made.notes.begin(), made.notes.end());
  facts.seconds.analysis = timer.seconds();
  return made;
}

void Pipeline::write_vectors(ConstView vectors) {
  if (!vectors_file_) return;
  write_npy(backend->download(vectors), vectors_file_->temporary());
  vectors_file_->commit();
}

void Pipeline::finish(double solve_seconds) {
  if (facts.memory.decision != MemoryDecision::as_configured) {
    facts.notes.push_back("memory: " + describe(facts.memory));
  }
  facts.seconds.solve = solve_seconds;
  facts.seconds.total = total_.seconds();
}

}  // namespace cisolve
