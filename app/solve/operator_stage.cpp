#include "app/solve/operator_stage.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/config/boundary.hpp"
#include "app/config/nearest.hpp"
#include "app/input/device_source.hpp"
#include "app/input/direct_source.hpp"
#include "app/input/host_source.hpp"
#include "app/input/operator_forecast.hpp"
#include "app/input/packed_source.hpp"
#include "app/input/product_source.hpp"
#include "app/input/rank_source.hpp"
#include "app/memory/memory.hpp"
#include "app/solve/smaller_spaces.hpp"
#include "app/solve/solver_options.hpp"
#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "formats/format.hpp"
#include "hamiltonian/matrix/ci_rows_cuda.hpp"
#include "hamiltonian/space/nonzeros.hpp"
#include "hamiltonian/space/space_shape.hpp"
#include "spmv/tune.hpp"

namespace cisolve {
namespace {

/// The format to take. Throws InputError on an unknown one, ResourceError on an unavailable one.
const Format& usable_format(const std::string& name, BackendKind backend) {
  std::vector<std::string> names;
  for (const Format& one : formats()) names.push_back(one.name);
  if (name != "auto" && std::ranges::count(names, name) == 0) {
    const std::string meant = did_you_mean(nearest(name, names));
    throw InputError("there is no format '" + name + "'" + meant + (meant.empty() ? ";" : "") +
                     " there are: auto, " + fmt::format("{}", fmt::join(names, ", ")));
  }
  const Format& format = find_format(first_format(name));
  const std::string reason = unavailable_reason(format, backend);
  if (!reason.empty()) throw ResourceError("format " + format.name + ": " + reason);
  return format;
}

/// What `auto` comes to without a search.
FormatChoice settled_on(const std::string& format, const std::string& reason) {
  FormatChoice choice;
  choice.format = format;
  choice.reason = reason;
  choice.settled = true;
  return choice;
}

bool fits(const MemoryPlan& plan) {
  return plan.decision != MemoryDecision::nothing_fits;
}

/// Nonzeros that the matrix surely has.
double fewest_nonzeros(HamiltonianSource& source, const InputConfig& config) {
  CiSpaceOptions options{config.space.rank, {}};
  options.ras = source.ras();
  const auto of_irreps = bound_nonzeros(*source.active_integrals(), options);
  if (const auto irrep = source.irrep()) return of_irreps[*irrep].fewest;
  return std::accumulate(of_irreps.begin(), of_irreps.end(), 0.0,
                         [](double sum, const NonzeroBounds& of) { return sum + of.fewest; });
}

/// Of csr's bytes, those of one triangle, which takes the least on the host. On a GPU rows are made
/// and counted where they stay, soon enough.
double fewest_bytes_share(const Backend& backend) {
  return backend.kind() == BackendKind::cpu ? 0.5 : 0.0;
}

}  // namespace

OperatorStage::OperatorStage(const RunContext& context)
    : context_(context),
      config_(context.config),
      format_(&usable_format(config_.spmv.format, context.backend.kind())) {
  take_blas_buffer();
  require_deterministic(*format_, config_.spmv);
  require_precision(*format_, config_.spmv);
  if (const std::string said = check_boundary(config_.spmv, *format_); !said.empty()) note(said);
  if (config_.spmv.format == "auto") {
    chooser_ = std::make_unique<FormatChooser>(
        config_, context.backend, [this](const std::string& problem) { note(problem); });
  }
}

void OperatorStage::note(const std::string& sentence) {
  context_.log.warn(sentence);
  notes_.push_back(sentence);
}

Index OperatorStage::rows_of(HamiltonianSource& source) const {
  try {
    return source.rows();
  } catch (const TooManyDeterminants& error) {
    throw InputError(
        error.what() +
        smaller_spaces(source, config_,
                       available_memory(context_.backend, config_.backend.memory_limit.count)));
  }
}

void OperatorStage::check_rows(Index rows) const {
  if (format_->parts_rows || chooser_) check_boundary_value(config_.spmv.boundary, rows);
}

MemoryPlan OperatorStage::plan(const MemoryNeed& need, const MemoryAvailable& in_place) const {
  return plan_memory(
      need, available_memory(context_.backend, config_.backend.memory_limit.count, in_place));
}

MemoryPlan OperatorStage::plan_of(MatrixSource& a, const MemoryNeed& solver, const Format& format,
                                  int columns) const {
  const MemoryNeed need = a.memory(solver, format, context_.backend, config_.spmv, columns);
  return plan(need, a.bytes_in_place());
}

void OperatorStage::require_room(HamiltonianSource& source, const MemoryNeed& solver) const {
  if (!source.of_determinants()) return;
  const Index rows = source.rows() / ranks().size();
  const auto nonzeros =
      static_cast<Offset>(fewest_bytes_share(context_.backend) *
                          fewest_nonzeros(source, config_.input) / ranks().size());
  MemoryNeed least = memory_as_csr(solver, source, *format_, context_.backend, config_.spmv,
                                   CsrMatrix::bytes(rows, std::max<Offset>(rows, nonzeros)), 0);
  least.halvable = false;  // one triangle already
  const MemoryPlan planned = plan(least);
  try {
    require_fit(planned, source.size_text() + " (a lower bound)", context_.backend);
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + smaller_spaces(source, config_, planned.available));
  }
  context_.log.proceed(source.size_text());
}

const OperatorStage::Way OperatorStage::ways_[] = {
    &OperatorStage::over_ranks, &OperatorStage::as_product, &OperatorStage::on_device,
    &OperatorStage::as_packed_file, &OperatorStage::on_host};

HeldMatrix OperatorStage::hold(HamiltonianSource& source, const MemoryNeed& solver, int columns) {
  for (const Way way : ways_) {
    std::optional<HeldMatrix> held = (this->*way)(source, solver, columns);
    if (!held) continue;
    announce(held->plan, held->source->size_text(), context_.backend, context_.log);
    return std::move(*held);
  }
  throw InputError(source.name() + ": there is no way to multiply with this matrix");
}

/// In the format that is configured, of `auto` csr, or packed on GPUs; every rank has its own rows.
std::optional<HeldMatrix> OperatorStage::over_ranks(HamiltonianSource& source,
                                                    const MemoryNeed& solver, int columns) {
  if (ranks().alone()) return std::nullopt;
  const auto refuse_if = [](bool wrong, const std::string& what) {
    if (wrong) throw InputError(what + ": not over several ranks");
  };
  refuse_if(source.product() != nullptr, "a product that is handed in");
  refuse_if(config_.spmv.tune, "spmv.tune");
  refuse_if(in_single(), "spmv.off_diagonal float32");
  refuse_if(format_->symmetric,
            "spmv.format " + format_->name + ", which stores one triangle of a symmetric matrix,");
  const bool on_gpu = context_.backend.kind() == BackendKind::cuda;
  const Format& format = chooser_ && on_gpu ? format_of_device_rows() : *format_;
  const bool on_device = on_gpu && format.cuda_from_rows != nullptr && made_on_devices(source);
  HeldMatrix held{rank_source(source, context_.backend, on_device, requires_symmetric()), &format};
  held.on_device = on_device;
  held.plan = plan_of(*held.source, solver, *held.format, columns);
  if (chooser_) {
    held.settled = settled_on(
        format.name, on_device ? "made on the GPUs from integrals, of which its elements are"
                               : "over several ranks nothing else is tried");
  }
  return held;
}

/// A product that the caller has; it has no format.
std::optional<HeldMatrix> OperatorStage::as_product(HamiltonianSource& source,
                                                    const MemoryNeed& solver, int columns) {
  if (source.product() == nullptr) return std::nullopt;
  if (!chooser_) {
    throw InputError("spmv.format: found " + format_->name +
                     ", expected auto: a product that is handed in has no format");
  }
  if (config_.spmv.tune || config_.spmv.deterministic || in_single()) {
    throw InputError(
        "spmv.tune, spmv.deterministic and spmv.off_diagonal are of stored matrices, and this one "
        "is a product that is handed in");
  }
  HeldMatrix held{product_source(source.product()), format_};
  if (source.product()->diagonal.empty()) {
    notes_.push_back(
        "the diagonal of the matrix was not given and is an estimate by ten products; given, it "
        "saves these and some iterations");
  }
  held.plan = plan_of(*held.source, solver, *format_, columns);
  held.settled = settled_on("product", "the matrix is a product that was handed in");
  return held;
}

std::optional<HeldMatrix> OperatorStage::hold_direct(HamiltonianSource& source,
                                                     const MemoryNeed& solver, int columns) {
  const SpinInversion only = config_.input.spin_inversion;
  const bool asked_for = config_.operator_kind == OperatorKind::direct;
  const bool halves = only != SpinInversion::all;
  if (config_.operator_kind == OperatorKind::stored || wants_elements()) {
    if (!halves) return std::nullopt;
    throw InputError(
        "input.spin_inversion: of products without a matrix alone; found operator stored");
  }
  if (const std::string reason = why_not_direct(source); !reason.empty()) {
    if (halves) {
      throw InputError("input.spin_inversion: of products without a matrix alone: " + reason);
    }
    if (!asked_for) return std::nullopt;
    throw InputError("operator: found direct, expected stored or auto: " + reason);
  }
  auto direct = direct_source(source, context_.backend, only);
  if (asked_for) {
    operator_reason_ = "asked for";
  } else if (halves) {
    operator_reason_ = "functions of one parity are not stored";
  } else {
    const DirectTables& tables = *direct->direct();
    // Of an eigenproblem a product serves a vector of every sector.
    const bool eigen = config_.task == Task::eigen;
    const auto sectors = eigen ? static_cast<int>(tables.rows.sector_sizes().size()) : 1;
    const int vectors = (columns - 1) / sectors + 1;
    const int before = eigen ? 0 : products_before(linear_options(config_.linear));
    // Ranks may have other numbers of threads: what the first one expects is what they all take.
    const OperatorForecast forecast = ranks().of_first(operator_forecast(
        tables, context_.backend, vectors, before, eigen && config_.solver.states == 1));
    const MemoryAvailable available =
        available_memory(context_.backend, config_.backend.memory_limit.count);
    const bool fits = forecast.stored_bytes / ranks().size() <=
                      static_cast<double>(available.device.value_or(available.host));
    operator_reason_ = forecast.text() + (fits ? "" : ", which does not fit");
    if (fits && !forecast.direct_is_faster()) return std::nullopt;
  }
  HeldMatrix held{std::move(direct), format_};
  held.plan = plan_of(*held.source, solver, *format_, columns);
  held.settled = settled_on("direct", operator_reason_);
  try {
    announce(held.plan, held.source->size_text(), context_.backend, context_.log);
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + smaller_spaces(source, config_, held.plan.available));
  }
  return held;
}

/// Empty where it can be done and nothing that is configured is of stored matrices alone.
std::string OperatorStage::why_not_direct(HamiltonianSource& source) const {
  if (!chooser_ || config_.spmv.tune || in_single()) {
    return "spmv.format, spmv.tune and spmv.off_diagonal are of stored matrices";
  }
  return direct_unavailable_reason(source, context_.backend.kind());
}

/// Whether eigenvalues are sought, if only to shift a linear system from.
bool OperatorStage::requires_symmetric() const {
  return config_.task == Task::eigen || config_.linear.shift_from_ground.has_value();
}

/// Whether GPUs can make the rows; says so where determinants alone do not suffice for that.
bool OperatorStage::made_on_devices(HamiltonianSource& source) {
  if (!source.of_determinants()) return false;
  source.rows();
  if (can_make_ci_rows_cuda(*source.space())) return true;
  note("rows of a restricted active space, or over more than 64 orbitals, are made on the host");
  return false;
}

/// Of determinants, where that format is taken or `auto` has no reason to do otherwise, and the
/// device has room.
std::optional<HeldMatrix> OperatorStage::on_device(HamiltonianSource& source,
                                                   const MemoryNeed& solver, int columns) {
  const Format& format = chooser_ ? format_of_device_rows() : *format_;
  const bool wanted = chooser_ ? chooser_->csr_stays().empty() : format.cuda_from_rows != nullptr;
  if (!wanted || context_.backend.kind() != BackendKind::cuda || in_single() ||
      !made_on_devices(source)) {
    return std::nullopt;
  }
  HeldMatrix held{nullptr, &format};
  try {
    held.source = device_source(source, context_.backend);
  } catch (const ResourceError&) {
    if (!chooser_) throw;
    return std::nullopt;
  }
  if (chooser_ && held.source->nonzeros() < fewest_nonzeros_to_choose) return std::nullopt;
  held.plan = plan_of(*held.source, solver, format, columns);
  if (chooser_ && !fits(held.plan)) return std::nullopt;
  held.on_device = true;
  if (chooser_) {
    held.settled =
        settled_on(format.name, "made on the GPU from integrals, of which its elements are");
  }
  return held;
}

std::optional<HeldMatrix> OperatorStage::as_packed_file(HamiltonianSource& source,
                                                        const MemoryNeed& solver, int columns) {
  if (!source.packed_file() || config_.task != Task::eigen || in_single()) return std::nullopt;
  if (wants_elements()) return std::nullopt;
  const Format& format = find_format("packed");
  if (!chooser_ && format_ != &format) return std::nullopt;
  HeldMatrix held{packed_source(source), &format};
  held.plan = plan_of(*held.source, solver, format, columns);
  if (chooser_) held.settled = settled_on(format.name, "the file holds it so");
  return held;
}

std::optional<HeldMatrix> OperatorStage::on_host(HamiltonianSource& source,
                                                 const MemoryNeed& solver, int columns) {
  if (source.of_determinants()) count(source, solver);
  HeldMatrix held{host_source(source, requires_symmetric()), format_};
  held.plan = plan_of(*held.source, solver, *format_, columns);
  if (!chooser_) return held;
  if (!fits(held.plan)) {
    take_half(held, source, solver, columns);
  } else if (context_.backend.kind() == BackendKind::cuda && chooser_->csr_stays().empty() &&
             !keeps_host_matrix(held, solver, columns)) {
    chooser_->keep_csr("host memory does not hold the matrix beside the solver's basis");
  }
  return held;
}

/// Throws ResourceError as soon as it is sure that the host has no room for the matrix, with the
/// spaces of which it would have.
void OperatorStage::count(HamiltonianSource& source, const MemoryNeed& solver) const {
  const MemoryPlan planned = plan(solver);
  const bool halvable = chooser_ && !in_single();
  source.limit_matrix(planned.available.host * (halvable ? 2 : 1));
  try {
    source.outline();
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + std::string(halvable ? " (half storage takes half)" : "") +
                        smaller_spaces(source, config_, planned.available));
  }
}

/// Goes over to half storage, which has room where csr has none. Of determinants alone, whose
/// matrix is symmetric and not built yet.
void OperatorStage::take_half(HeldMatrix& held, HamiltonianSource& source, const MemoryNeed& solver,
                              int columns) {
  if (!source.of_determinants() || in_single() || wants_elements()) return;
  const Format& half = half_storage_format();
  const Index rows = source.rows();
  const Offset nonzeros = (source.outline().nonzeros() + rows) / 2;
  const MemoryNeed need = memory_as_csr(solver, source, half, context_.backend, config_.spmv,
                                        CsrMatrix::bytes(rows, nonzeros), 0);
  if (!fits(plan(need))) return;
  source.hold_upper_triangle();
  held.format = &half;
  held.plan = plan_of(*held.source, solver, half, columns);
  held.settled = settled_on(half.name, format_->name + " does not fit, half storage does");
}

/// On a GPU the host matrix stays, for other formats to be made of it, unless the solver's basis
/// would then have to be smaller or elsewhere. On the CPU csr is the host matrix.
bool OperatorStage::keeps_host_matrix(HeldMatrix& held, const MemoryNeed& solver, int columns) {
  MemoryNeed need = held.source->memory(solver, *format_, context_.backend, config_.spmv, columns);
  need.host_matrix_stays = true;
  const MemoryPlan with_it = plan(need, held.source->bytes_in_place());
  if (with_it.decision != held.plan.decision || with_it.basis_vectors != held.plan.basis_vectors) {
    return false;
  }
  held.plan = with_it;
  return true;
}

MadeOperator OperatorStage::make(HeldMatrix held, HamiltonianSource& source,
                                 const MemoryNeed& solver, int columns, bool symmetric) {
  MadeOperator made;
  Backend& backend = context_.backend;
  if (held.on_device && ranks().alone()) {
    try {
      made.a = held.source->make(*held.format, backend, config_.spmv);
    } catch (const ResourceError& error) {
      if (!chooser_) throw;
      // It takes more than was expected: the host matrix is built after all.
      note(held.format->name + " is not taken: " + error.what());
      held.source.reset();
      held = *on_host(source, solver, columns);
      announce(held.plan, held.source->size_text(), backend, context_.log);
    }
  }
  LinearOperator* in_use = nullptr;  // tuning is no part of the search for a format
  if (!made.a && chooser_ && !held.settled) {
    auto adaptive =
        chooser_->make(held.source->release_csr(), columns, symmetric, held.plan.backend_left());
    in_use = &adaptive->in_use();
    made.a = std::move(adaptive);
  }
  if (!made.a) made.a = held.source->make(*held.format, backend, config_.spmv);
  if (in_use == nullptr) in_use = made.a.get();
  made.on_device = held.on_device;
  made.settled = std::move(held.settled);
  // Over ranks the plan is of the one that needs most, and stays.
  made.plan = ranks().alone() ? revised(held.plan, made.a->info()) : held.plan;
  if (config_.spmv.tune) {
    const Tuning tuned = tune(*in_use, backend, columns, config_.spmv.kernel);
    made.notes.push_back(describe(tuned, made.a->info().format, backend.kind()));
    context_.log.proceed(made.notes.back());
  }
  return made;
}

/// The plan again with the operator in place, whose format may pad, and the memory that is left.
/// Said only where it changes what was decided.
MemoryPlan OperatorStage::revised(const MemoryPlan& plan, const OperatorInfo& made) const {
  MemoryNeed need = plan.need;
  const bool on_cpu = context_.backend.kind() == BackendKind::cpu;
  const bool is_operator = on_cpu && need.operator_matrix == 0;
  // In single precision there is to be room for the matrix in double.
  if (!is_operator) {
    need.operator_matrix = in_single() ? std::max(made.bytes, need.operator_matrix) : made.bytes;
  }
  need.conversion = need.device_conversion = 0;
  if (!need.host_matrix_stays) need.host_matrix = 0;
  MemoryAvailable in_place{need.host_matrix + need.p_space + need.blocks, 0};
  if (!is_operator) (on_cpu ? in_place.host : *in_place.device) += made.bytes;
  need.scratch = std::max(need.scratch, made.scratch);
  (on_cpu ? in_place.host : *in_place.device) += made.scratch;
  MemoryPlan revised = plan_memory(
      need, available_memory(context_.backend, config_.backend.memory_limit.count, in_place));
  const std::string size = "with the operator in place, " +
                           format_bytes(static_cast<double>(made.bytes)) + " in " + made.format;
  require_fit(revised, size, context_.backend);
  if (revised.basis_vectors == plan.basis_vectors && revised.guard == plan.guard &&
      revised.basis_in_host_memory == plan.basis_in_host_memory) {
    return plan;
  }
  announce(revised, size, context_.backend, context_.log);
  return revised;
}

std::optional<FormatChoice> OperatorStage::choice(const MadeOperator& made) {
  if (const auto* adaptive = dynamic_cast<const AdaptiveOperator*>(made.a.get())) {
    return chooser_->finish(*adaptive);
  }
  return made.settled;
}

}  // namespace cisolve
