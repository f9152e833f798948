#pragma once

#include <memory>

#include "app/prepare/context.hpp"
#include "app/prepare/run_facts.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// The operator of a run, and what its rows are.
struct Prepared {
  std::unique_ptr<HeldMatrix> held;  ///< its elements are spent; states are read by it
  std::shared_ptr<LinearOperator> a;
  std::shared_ptr<const Basis> basis;
  MemoryPlan plan;  ///< revised with the operator in place
};

/// Storage of the matrix for the configured format. Throws InputError of an unknown one.
Storage storage_of(const SpmvConfig& config);
/// True if the configured format can be taken on cores. Throws InputError of an unknown one.
bool runs_on_cores(const SpmvConfig& config);

/// The sequence from a model to its operator: the first of the model's ways that the configuration
/// allows and that has room. Vectors, options and questions of what the operator is for come from a
/// Purpose.
class Preparation {
 public:
  /// Throws InputError where the configuration names an unknown format or contradicts itself,
  /// ResourceError where the format is unavailable on the backend.
  Preparation(const RunContext& context, RunFacts& facts);
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  /// The model, its matrix held as the format needs it. Throws InputError where it has too many
  /// rows, with the spaces that would fit, or options do not fit these.
  std::unique_ptr<Model> open(const OpenModel& open) const;
  /// Opens a model whose matrix has to be square. Throws InputError as `open`, and where it is not.
  std::unique_ptr<Model> open_square(const OpenModel& open) const;
  /// The operator, tuned where asked for. Throws ResourceError where nothing fits.
  Prepared prepare(Model& model, Purpose& purpose);

 private:
  std::unique_ptr<HeldMatrix> take(const Way& way, WayRequest& request) const;
  void tune(const MadeOperator& made, int columns);
  MemoryPlan revised(const MemoryPlan& plan, const OperatorInfo& made) const;

  const RunContext& context_;
  const RunConfig& config_;
  RunFacts& facts_;
  const Format& format_;  ///< configured, of `auto` csr
};

}  // namespace cisolve
