#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/input/elements/elements.hpp"
#include "app/memory/memory_plan.hpp"
#include "app/ways/held_matrix.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/log.hpp"
#include "formats/format.hpp"

namespace cisolve {

/// The use that products are wanted for: a solve, or a caller's vectors.
class Purpose {
 public:
  virtual ~Purpose() = default;

  /// Vectors that a product is with, mostly; `stored`: a product with a stored matrix.
  virtual int columns(bool stored) const = 0;
  /// Vectors that a product is with at most.
  virtual int most_columns(bool stored) const { return columns(stored); }
  /// A rank's memory beside the operator.
  virtual MemoryNeed memory(bool stored) const = 0;
  /// Products that are made before the first iteration of what wants them.
  virtual int products_before() const { return 0; }
  /// True if a matrix must be symmetric.
  virtual bool requires_symmetric() const { return true; }

  /// Called once before the first way is tried that stores the matrix.
  virtual void before_storing() {}
  /// Called once a way is taken, while its elements are there.
  virtual void ask(HeldMatrix& /*matrix*/) {}
  /// True if the matrix, which has been asked, is known to be symmetric exactly.
  virtual bool is_symmetric() const { return true; }
};

/// A request to a way.
struct WayRequest {
  const RunConfig& config;
  Backend& backend;
  const Log& log;
  const Format& format;  ///< as configured, of `auto` csr
  Purpose& purpose;
  /// For an error: the spaces that would fit in such memory, or nothing.
  std::function<std::string(const MemoryAvailable&)> smaller;
  std::string operator_reason = {};     ///< why the matrix is stored or not; empty: no choice
  std::vector<std::string> notes = {};  ///< what the user should know

  Communicator& ranks() const { return backend.communicator(); }
  bool automatic() const { return config.spmv.format == "auto"; }
  bool on_gpu() const { return backend.kind() == BackendKind::cuda; }
  bool in_single() const { return config.spmv.off_diagonal == Precision::float32; }
  /// For SLEPc: the matrix is stored then, whole and in CSR, whatever would be chosen.
  bool wants_elements() const { return config.solver.slepc_matrix == SlepcMatrix::assembled; }

  MemoryPlan plan(const MemoryNeed& need, const MemoryAvailable& in_place = {}) const;
  MemoryPlan plan_of(HeldMatrix& matrix, bool stored = true) const;
  /// Logged, and one of the notes.
  void note(const std::string& sentence);
};

/// A way to multiply with the matrix of a model. A model lists its ways in the order in which they
/// are tried.
struct Way {
  bool stores = true;  ///< a matrix
  /// The matrix held so, with its plan; null where the configuration or the matrix has it
  /// otherwise, or there is no room and a later way may have. Throws InputError where the way is
  /// asked for and cannot be taken. The result must not outlive model and backend.
  std::function<std::unique_ptr<HeldMatrix>(WayRequest&)> take;
};

inline bool fits(const MemoryPlan& plan) {
  return plan.decision != MemoryDecision::nothing_fits;
}

/// Why csr stays whatever the matrix, where the format is `auto`; empty where another may be taken.
std::string why_csr_stays(const SpmvConfig& config);

/// Throws ResourceError, with spaces that have room, where the solver's vectors and a matrix of
/// determinants of the fewest nonzeros do not fit: counting those of a large space takes minutes.
void require_room(const WayRequest& request, Elements& elements);

}  // namespace cisolve
