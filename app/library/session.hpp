#pragma once

#include <memory>
#include <vector>

#include "app/config/config.hpp"
#include "app/library/hamiltonian_data.hpp"
#include "app/prepare/context.hpp"
#include "app/prepare/opening.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/communicator.hpp"
#include "cisolve/machine.hpp"
#include "core/dense/host_matrix_forward.hpp"
#include "core/threads/thread_count.hpp"

namespace cisolve {

/// Backend, threads and log of a call of the library, kept as long as its results are on the
/// backend.
class Session {
 public:
  /// `config` has what the call is told; the machine's settings are added. The backend `auto` is
  /// the faster one for a solve (Opening), but `for_products`, whose vectors may be on the GPU,
  /// that one. Throws InputError on settings that are wrong, ResourceError where there is no such
  /// device.
  Session(const Hamiltonian& hamiltonian, RunConfig config, const Machine& machine,
          const Listener& listener, bool for_products = false);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const RunConfig& config() const { return config_; }
  const RunContext& context() const { return context_; }
  /// The Hamiltonian's model.
  OpenModel open() const;
  Backend& backend() const { return *backend_; }

 private:
  friend class Entry;
  RunConfig config_;
  Log log_;
  std::unique_ptr<Communicator> ranks_;  ///< the caller's; null: one process
  mutable Opening opening_;
  BackendKind kind_;
  std::unique_ptr<Backend> backend_;
  RunContext context_;
};

/// A call's stay in the library: the calling thread has the session's number of threads and its
/// device, and when it leaves those from before.
class Entry {
 public:
  explicit Entry(const Session& session) : Entry(session.config_, session.kind_) {}
  Entry(const RunConfig& config, BackendKind kind);
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry();

 private:
  ThreadCount threads_;
  int device_before_ = -1;  ///< -1: the calls are on the CPU, and none to go back to
};

/// The configuration of the library's calls before they set anything: nothing is kept on disk.
RunConfig library_config(Task task);
/// The machine's settings, and those of `more`.
void apply(const Machine& machine, RunConfig& config);

/// Throws InputError where a communicator is given; `what`: "products are", for the message.
void require_one_process(const Machine& machine, const std::string& what);

/// The numbers of a block of vectors, row by row.
std::vector<double> by_rows(const HostMatrix& x);

}  // namespace cisolve
