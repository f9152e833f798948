#include "app/prepare/preparation.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/config/boundary.hpp"
#include "app/config/nearest.hpp"
#include "app/memory/memory.hpp"
#include "app/model/stored_ways.hpp"
#include "core/dense/dense.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "hamiltonian/space/space_shape.hpp"
#include "spmv/tune.hpp"

namespace cisolve {
namespace {

/// The format to take. Throws InputError on an unknown one.
const Format& configured_format(const std::string& name) {
  std::vector<std::string> names;
  for (const Format& one : formats()) names.push_back(one.name);
  if (name != "auto" && std::ranges::count(names, name) == 0) {
    const std::string meant = did_you_mean(nearest(name, names));
    throw InputError("there is no format '" + name + "'" + meant + (meant.empty() ? ";" : "") +
                     " there are: auto, " + fmt::format("{}", fmt::join(names, ", ")));
  }
  return find_format(first_format(name));
}

/// The configured format, if the backend has it. Throws ResourceError otherwise.
const Format& usable_format(const std::string& name, BackendKind backend) {
  const Format& format = configured_format(name);
  const std::string reason = unavailable_reason(format, backend);
  if (!reason.empty()) throw ResourceError("format " + format.name + ": " + reason);
  return format;
}

}  // namespace

Storage storage_of(const SpmvConfig& config) {
  return configured_format(config.format).symmetric ? Storage::upper : Storage::full;
}

bool runs_on_cores(const SpmvConfig& config) {
  return unavailable_reason(configured_format(config.format), BackendKind::cpu).empty();
}

Preparation::Preparation(const RunContext& context, RunFacts& facts)
    : context_(context),
      config_(context.config),
      facts_(facts),
      format_(usable_format(config_.spmv.format, context.backend.kind())) {
  take_blas_buffer();
  require_deterministic(format_, config_.spmv);
  require_precision(format_, config_.spmv);
  if (const std::string said = check_boundary(config_.spmv, format_); !said.empty()) {
    add_note(facts, context.log, said);
  }
  check_choice(config_, context.backend.kind());
}

std::unique_ptr<Model> Preparation::open(const OpenModel& open) const {
  auto model = open(storage_of(config_.spmv));
  Index rows = 0;
  try {
    rows = model->rows();
  } catch (const TooManyDeterminants& error) {
    throw InputError(error.what() +
                     model->smaller(config_, available_memory(context_.backend,
                                                              config_.backend.memory_limit.count)));
  }
  if (format_.parts_rows || config_.spmv.format == "auto") {
    check_boundary_value(config_.spmv.boundary, rows);
  }
  return model;
}

std::unique_ptr<Model> Preparation::open_square(const OpenModel& open) const {
  auto model = this->open(open);
  Elements* const elements = model->elements();
  const Index rows = model->rows(), columns = elements != nullptr ? elements->columns() : rows;
  if (columns == rows) return model;
  throw InputError(model->name() + ": the matrix is " + std::to_string(rows) + " x " +
                   std::to_string(columns) + ", expected a square one" +
                   (columns < rows ? "; vectors are what solver.restart and linear.rhs take" : ""));
}

Prepared Preparation::prepare(Model& model, Purpose& purpose) {
  WayRequest request{config_,
                     context_.backend,
                     context_.log,
                     format_,
                     purpose,
                     [&](const MemoryAvailable& available) {
                       return model.smaller(config_, available); }};
  const std::vector<Way> ways = model.ways();
  if (config_.operator_kind == OperatorKind::direct && std::ranges::all_of(ways, &Way::stores)) {
    throw InputError(
        "operator: found direct, expected stored or auto: the input is no list of integrals");
  }
  bool storing = false, asked = false;
  for (const Way& way : ways) {
    if (way.stores && !std::exchange(storing, true)) {
      timed(facts_.seconds.build, [&] {
        if (Elements* const elements = model.elements()) require_room(request, *elements);
        purpose.before_storing();
      });
    }
    Prepared made;
    made.held = timed(facts_.seconds.build, [&] { return take(way, request); });
    if (!made.held) continue;
    HeldMatrix& held = *made.held;
    made.basis = held.basis();
    if (!std::exchange(asked, true)) purpose.ask(held);
    const int columns = purpose.columns(way.stores);
    MadeOperator operators;
    try {
      operators =
          timed(facts_.seconds.convert, [&] { return held.make(columns, purpose.is_symmetric()); });
    } catch (const ResourceError& error) {
      if (!held.estimated) throw;
      request.note(held.settled->format + " is not taken: " + error.what());
      continue;
    }
    made.a = operators.a;
    if (config_.spmv.tune) timed(facts_.seconds.convert, [&] { tune(operators, columns); });
    // Over ranks the plan is of the one that needs most, and stays.
    made.plan = request.ranks().alone() ? revised(held.plan, made.a->info()) : held.plan;
    facts_.operator_reason = request.operator_reason;
    facts_.built_on_device = held.on_device;
    facts_.matrix = made.a->info();
    facts_.memory = made.plan;
    add_notes(facts_, request.notes);
    add_notes(facts_, model.notes());
    add_notes(facts_, std::exchange(held.notes, {}));
    return made;
  }
  throw InputError(model.name() + ": there is no way to multiply with this matrix");
}

std::unique_ptr<HeldMatrix> Preparation::take(const Way& way, WayRequest& request) const {
  auto held = way.take(request);
  if (!held) return held;
  try {
    announce(held->plan, held->size_text(), context_.backend, context_.log);
  } catch (const ResourceError& error) {
    if (way.stores) throw;
    throw ResourceError(error.what() + request.smaller(held->plan.available));
  }
  held->build();
  return held;
}

void Preparation::tune(const MadeOperator& made, int columns) {
  const Tuning tuned = cisolve::tune(*made.tunable, context_.backend, columns, config_.spmv.kernel);
  facts_.notes.push_back(describe(tuned, made.a->info().format, context_.backend.kind()));
  context_.log.proceed(facts_.notes.back());
}

/// The plan again with the operator in place, whose format may pad, and the memory that is left.
/// Said only where it changes what was decided.
MemoryPlan Preparation::revised(const MemoryPlan& plan, const OperatorInfo& made) const {
  MemoryNeed need = plan.need;
  const bool on_cpu = context_.backend.kind() == BackendKind::cpu;
  const bool is_operator = on_cpu && need.operator_matrix == 0;
  // The plan for single precision leaves room for the matrix in double.
  if (!is_operator) {
    need.operator_matrix = (config_.spmv.off_diagonal == Precision::float32)
                               ? std::max(made.bytes, need.operator_matrix)
                               : made.bytes;
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

}  // namespace cisolve
