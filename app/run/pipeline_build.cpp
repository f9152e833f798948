// From the source to the operator: the plan of memory, the matrix in its place, its format.

#include <algorithm>
#include <utility>

#include "app/run/pipeline.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "formats/format.hpp"
#include "formats/packed/packed.hpp"
#include "spmv/tune.hpp"

namespace cisolve {

MemoryPlan Pipeline::plan(MemoryNeed need, std::size_t csr, std::size_t scratch) const {
  const Format& format = find_format(format_);
  const bool on_cpu = backend->kind() == BackendKind::cpu;
  // The host matrix as the operator, beside it values in single precision until they are refined.
  const bool is_operator = on_cpu && !format.converts;
  const std::size_t single = single_precision() ? csr / 3 : 0;
  need.determinants = source_->is_fcidump();
  need.halvable = !format.symmetric && !single_precision();
  need.host_matrix = csr;
  need.host_matrix_stays = is_operator || single_precision() || keeps_host_matrix_;
  need.operator_matrix = is_operator ? single : csr;
  // On its way to a device the format is laid out on the host, or there in blocks of rows; on the
  // CPU it stays where it is.
  if (!on_cpu && format.cuda_from_rows != nullptr) {
    need.conversion = need.device_conversion =
        row_block_bytes(static_cast<Offset>(csr / (sizeof(Index) + sizeof(double))));
  } else if (!on_cpu) {
    need.conversion = (format.converts ? csr : 0) + single;
  }
  need.scratch = scratch;
  return plan_memory(need, available());
}

/// A matrix from a file is there, and what it takes does not count as taken.
MemoryAvailable Pipeline::available() const {
  return available_memory(*backend, config_.backend.memory_limit.count,
                          {source_->loaded_bytes(), std::nullopt});
}

void Pipeline::require_room(const MemoryNeed& need) {
  if (!source_->is_fcidump()) return;
  require_fit(plan(need, CsrMatrix::bytes(facts.rows, facts.rows), 0), source_->size_text(),
              *backend);
  output.text() << source_->size_text() << std::endl;
}

/// The plan for the format, from the outline of the matrix.
MemoryPlan Pipeline::plan_for(const MemoryNeed& need, int columns) {
  const Format& format = find_format(format_);
  const CsrMatrix& a = source_->outline();
  return plan(need, CsrMatrix::bytes(a.rows, a.nonzeros()),
              format.scratch ? format.scratch(a, config_.spmv, backend->kind(), columns) : 0);
}

/// Goes over to half storage, which has room where csr has none. Of determinants alone, whose
/// matrix is symmetric and not built yet.
bool Pipeline::take_half(const MemoryNeed& need) {
  if (!source_->is_fcidump() || single_precision()) return false;
  const Offset nonzeros = source_->outline().nonzeros();
  format_ = "csr_symmetric";
  const auto half = plan(need, CsrMatrix::bytes(facts.rows, (nonzeros + facts.rows) / 2), 0);
  if (half.decision == MemoryDecision::nothing_fits) {
    format_ = "csr";
    return false;
  }
  source_->hold_upper_triangle();
  take("csr_symmetric", "csr does not fit, half storage does");
  return true;
}

/// Where spmv.format is auto: that format, without a search.
void Pipeline::take(const std::string& format, const std::string& reason) {
  chooser_.reset();
  format_ = format;
  facts.format_choice.emplace();
  facts.format_choice->format = format;
  facts.format_choice->reason = reason;
  facts.format_choice->settled = true;
}

/// Packed, made on the device of rows made there.
MemoryPlan Pipeline::plan_on_device(MemoryNeed need, Offset nonzeros, int columns) const {
  need.determinants = need.halvable = true;
  need.csr = CsrMatrix::bytes(facts.rows, nonzeros);
  need.operator_matrix = expected_packed_bytes(facts.rows, nonzeros);
  need.device_conversion = row_block_bytes(nonzeros);
  need.scratch =
      find_format("packed").scratch(source_->outline(), config_.spmv, BackendKind::cuda, columns);
  return plan_memory(need, available_memory(*backend, config_.backend.memory_limit.count));
}

bool Pipeline::may_build_on_device() const {
  return config_.task == Task::eigen && backend->kind() == BackendKind::cuda &&
         source_->is_fcidump() && !single_precision() &&
         (chooser_ ? chooser_->csr_stays().empty() : format_ == "packed");
}

/// Null where `auto` has reason to do otherwise.
std::unique_ptr<MatrixSource> Pipeline::build_on_device(const MemoryNeed& need, int columns) {
  std::unique_ptr<RowSource> rows;
  try {
    rows = source_->rows_on_device(*backend);
  } catch (const ResourceError&) {
    if (!chooser_) throw;
    return nullptr;
  }
  if (chooser_ && rows->nonzeros() < fewest_nonzeros_to_choose) return nullptr;
  const MemoryPlan plan = plan_on_device(need, rows->nonzeros(), columns);
  if (chooser_ && plan.decision == MemoryDecision::nothing_fits) return nullptr;
  facts.memory = plan;
  announce(facts.memory, source_->size_text(), *backend, output.text());
  facts.built_on_device = true;
  return device_source(std::move(rows), *backend);
}

/// Under `auto` null where packed takes more than was expected and the device has no room for it:
/// then the host matrix is built after all.
std::unique_ptr<LinearOperator> Pipeline::convert_on_device(std::unique_ptr<MatrixSource>& a,
                                                            int columns) {
  try {
    auto made = a->make("packed", *backend, config_.spmv);
    a.reset();  // the memory of its blocks of rows is the solver's now
    if (chooser_) take("packed", "made on the GPU from integrals, of which its elements are");
    return made;
  } catch (const ResourceError& error) {
    if (!chooser_) throw;
    warn(std::string("packed is not taken: ") + error.what());
  }
  a.reset();
  facts.built_on_device = false;
  a = csr_source(build_on_host(configured_need_, columns));
  return nullptr;
}

bool Pipeline::may_take_packed() const {
  return config_.task == Task::eigen && source_->packed() && !single_precision() &&
         (chooser_ || format_ == "packed");
}

/// The file's arrays become the operator as they are; for a GPU they are copied there.
std::unique_ptr<MatrixSource> Pipeline::take_packed(MemoryNeed need, int columns) {
  if (!source_->packed()->symmetric) {
    throw InputError(config_.input.file.string() +
                     ": not symmetric, as was found when it was written; spmv.format csr says "
                     "where, expected a symmetric matrix");
  }
  if (chooser_) take("packed", "the file holds it so");
  need.host_matrix = source_->loaded_bytes();
  need.csr = CsrMatrix::bytes(facts.rows, source_->outline().nonzeros());
  const bool on_cpu = backend->kind() == BackendKind::cpu;
  need.host_matrix_stays = on_cpu;
  need.operator_matrix = on_cpu ? 0 : need.host_matrix;
  const Format& format = find_format("packed");
  need.scratch = format.scratch(source_->outline(), config_.spmv, backend->kind(), columns);
  facts.memory = plan_memory(need, available());
  announce(facts.memory, source_->size_text() + ", packed", *backend, output.text());
  return packed_source(source_->take_packed());
}

/// On a GPU the host matrix stays, for other formats to be made of it, unless the solver's basis
/// would then have to be smaller or elsewhere. On the CPU csr is the host matrix.
void Pipeline::keep_host_matrix(const MemoryNeed& need, int columns) {
  if (backend->kind() == BackendKind::cpu || !chooser_->csr_stays().empty()) return;
  keeps_host_matrix_ = true;
  const MemoryPlan with_it = plan_for(need, columns);
  if (with_it.decision == facts.memory.decision &&
      with_it.basis_vectors == facts.memory.basis_vectors) {
    facts.memory = with_it;
    return;
  }
  keeps_host_matrix_ = false;
  chooser_->keep_csr("host memory does not hold the matrix beside the solver's basis");
}

std::unique_ptr<MatrixSource> Pipeline::build(int columns, MemoryNeed need) {
  const Timer timer;
  configured_need_ = need;
  std::unique_ptr<MatrixSource> made;
  if (may_build_on_device()) made = build_on_device(need, columns);
  if (!made && may_take_packed()) made = take_packed(need, columns);
  if (!made) made = csr_source(build_on_host(need, columns));
  facts.notes.insert(facts.notes.end(), source_->notes().begin(), source_->notes().end());
  facts.seconds.build += timer.seconds();
  return made;
}

std::shared_ptr<const CsrMatrix> Pipeline::build_on_host(const MemoryNeed& need, int columns) {
  facts.memory = plan_for(need, columns);
  const bool fits = facts.memory.decision != MemoryDecision::nothing_fits;
  if (chooser_ && fits) keep_host_matrix(need, columns);
  if (chooser_ && !fits && take_half(need)) {
    facts.memory = plan_for(need, columns);
  }
  announce(facts.memory, source_->size_text(), *backend, output.text());
  auto matrix = std::make_shared<const CsrMatrix>(source_->take());
  if (!source_->is_fcidump() && config_.task == Task::eigen) {
    require_symmetric(*matrix, config_.input.file.string());
  }
  return matrix;
}

std::unique_ptr<LinearOperator> Pipeline::convert(std::unique_ptr<MatrixSource> a, int columns,
                                                  bool symmetric) {
  const Timer timer;
  std::unique_ptr<LinearOperator> made;
  if (facts.built_on_device) made = convert_on_device(a, columns);
  LinearOperator* in_use = nullptr;  // tuning is no part of the search for a format
  if (!made && chooser_) {
    auto adaptive =
        chooser_->make(a->release_csr(), columns, symmetric, facts.memory.backend_left());
    in_use = &adaptive->in_use();
    made = std::move(adaptive);
  }
  if (!made) made = a->make(format_, *backend, config_.spmv);
  if (in_use == nullptr) in_use = made.get();
  facts.matrix = made->info();
  revise_plan();
  if (config_.spmv.tune) {
    const Tuning tuned = tune(*in_use, *backend, columns, config_.spmv.kernel);
    facts.notes.push_back(describe(tuned, facts.matrix.format, backend->kind()));
    output.text() << facts.notes.back() << std::endl;
  }
  facts.seconds.convert += timer.seconds();
  return made;
}

/// The plan again with the operator in place, whose format may pad, and the memory that is left.
/// Said only where it changes what was decided.
void Pipeline::revise_plan() {
  MemoryNeed need = facts.memory.need;
  const bool on_cpu = backend->kind() == BackendKind::cpu;
  const bool is_operator = on_cpu && need.operator_matrix == 0;
  const auto bytes = static_cast<std::size_t>(facts.matrix.bytes);
  // In single precision there is to be room for the matrix in double.
  if (!is_operator) {
    need.operator_matrix = single_precision() ? std::max(bytes, need.operator_matrix) : bytes;
  }
  need.conversion = need.device_conversion = 0;
  if (!need.host_matrix_stays) need.host_matrix = 0;
  MemoryAvailable in_place{need.host_matrix + need.p_space + need.blocks, 0};
  if (!is_operator) (on_cpu ? in_place.host : *in_place.device) += bytes;
  MemoryPlan revised =
      plan_memory(need, available_memory(*backend, config_.backend.memory_limit.count, in_place));
  const std::string size = "with the operator in place, " +
                           format_bytes(static_cast<double>(facts.matrix.bytes)) + " in " +
                           facts.matrix.format;
  require_fit(revised, size, *backend);
  if (revised.basis_vectors == facts.memory.basis_vectors &&
      revised.basis_in_host_memory == facts.memory.basis_in_host_memory) {
    return;
  }
  announce(revised, size, *backend, output.text());
  facts.memory = revised;
}

}  // namespace cisolve
