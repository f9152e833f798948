#include "app/library/session.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "app/files/command_files.hpp"
#include "backends/cuda/entry.hpp"
#include "backends/ranks/world.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/threads/waiting.hpp"

namespace cisolve {
namespace {

/// Files that a call reads and writes; data in memory has a name but no file.
CommandFiles files_of(RunConfig config, const Hamiltonian& hamiltonian) {
  if (!hamiltonian.data().is_file()) config.input.file.clear();
  config.linear.rhs = LinearConfig().rhs;
  config.linear.x0.clear();
  return files_of_run(config);
}

RunConfig complete(RunConfig config, const Hamiltonian& hamiltonian, const Machine& machine) {
  config.input = hamiltonian.data().input;
  apply(machine, config);
  require_in_range(config);
  if (!config.checkpoint.file.empty() || !config.solver.restart.empty()) {
    files_of(config, hamiltonian).check(false);
  }
  return config;
}

std::unique_ptr<Backend> make_within(const RunConfig& config, BackendKind kind, Communicator* ranks,
                                     const Log& log) {
  if (kind == BackendKind::cuda) {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) throw ResourceError(reason);
  }
  const Entry entry(config, kind);
  if (ranks == nullptr) return make_backend(kind, config.backend, one_rank(), log);
  require_one_configuration(config, *ranks);
  return make_backend(kind, config.backend, *ranks, log);
}

std::unique_ptr<Communicator> ranks_of(const Machine& machine) {
  return machine.communicator ? mpi_communicator(*machine.communicator) : nullptr;
}

Log log_of(const Listener& listener) {
  Log log;
  log.warning = listener.warning;
  log.progress = listener.progress;
  return log;
}

/// Keys that say what a call is told otherwise, or which files a program writes.
void refuse_the_programs(const Setting& setting) {
  constexpr std::array<std::string_view, 2> own{"output.analysis", "output.leading"};
  if (std::ranges::find(own, setting.key) != own.end()) return;
  for (const std::string key : {"task", "input.", "linear.rhs", "linear.x0", "output."}) {
    if (setting.key.starts_with(key)) {
      throw InputError(setting.origin + (setting.origin.empty() ? "" : ": ") + setting.key +
                       " is of run files alone; a call has its own arguments and results");
    }
  }
}

}  // namespace

RunConfig library_config(Task task) {
  RunConfig config;
  config.task = task;
  config.spmv.cache = "none";
  return config;
}

void apply(const Machine& machine, RunConfig& config) {
  config.backend.name = machine.backend;
  config.backend.device = machine.device;
  config.backend.threads = machine.threads;
  config.backend.memory_limit.count = machine.memory_limit;
  config.operator_kind = machine.operator_kind;
  config.spmv.format = machine.format;
  for (const Setting& setting : machine.more) refuse_the_programs(setting);
  apply_settings(machine.more, config);
}

Session::Session(const Hamiltonian& hamiltonian, RunConfig config, const Machine& machine,
                 const Listener& listener, bool for_products)
    : config_(complete(std::move(config), hamiltonian, machine)),
      log_(log_of(listener)),
      ranks_(ranks_of(machine)),
      opening_(
          [this, data = hamiltonian](Storage storage) { return data.data().open(storage, log_); }),
      kind_(for_products ? chosen_backend(config_.backend, log_)
                         : opening_.backend(config_, 0.0, ranks_ ? *ranks_ : one_rank(), log_)),
      backend_(make_within(config_, kind_, ranks_.get(), log_)),
      context_{config_, *backend_, log_} {
  if (ranks_) {  // what this rank took is what calls enter with
    config_.backend.threads = threads_of(config_.backend, *ranks_);
    if (kind_ == BackendKind::cuda) {
      config_.backend.device =
          (config_.backend.device + ranks_->local_rank()) % std::max(1, cuda_device_count());
    }
  }
  if (!log_.warning) return;  // nobody would hear it
  if (const std::string note = take_spinning_note(); !note.empty()) log_.warn(note);
}

Session::~Session() {
  try {
    const Entry entry(*this);
    backend_.reset();
  } catch (...) {  // the device is lost, and with it what was on it
  }
}

Entry::Entry(const RunConfig& config, BackendKind kind) : threads_(config.backend.threads) {
  if (kind != BackendKind::cuda) return;
  device_before_ = exchange_current_device(config.backend.device);
}

Entry::~Entry() {
  if (device_before_ < 0) return;
  try {
    exchange_current_device(device_before_);
  } catch (...) {  // the device is lost: the next call says so
  }
}

OpenModel Session::open() const {
  return [this](Storage storage) { return opening_(storage); };
}

void require_one_process(const Machine& machine, const std::string& what) {
  if (machine.communicator) throw InputError("communicator: " + what + " of one process alone");
}

std::vector<double> by_rows(const HostMatrix& x) {
  return {x.data(), x.data() + x.size()};
}

}  // namespace cisolve
