#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/choice/format_chooser.hpp"
#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"
#include "app/memory/memory_plan.hpp"
#include "app/solve/context.hpp"
#include "formats/choice/format_search.hpp"

namespace cisolve {

/// How the matrix of a run is held, and in which format it becomes an operator.
struct HeldMatrix {
  std::unique_ptr<MatrixSource> source;
  const Format* format = nullptr;
  MemoryPlan plan = {};
  bool on_device = false;                    ///< rows are made there, not whole on the host
  std::optional<FormatChoice> settled = {};  ///< of `auto`, where no search is to follow
};

/// The operator of a run with its plan of memory, revised.
struct MadeOperator {
  std::unique_ptr<LinearOperator> a;
  MemoryPlan plan;
  bool on_device = false;  ///< HeldMatrix::on_device
  std::optional<FormatChoice> settled;
  std::vector<std::string> notes;
};

/// From what a run is about to its operator. There may be several ways: rows made on a GPU, a
/// file's packed arrays, CSR on the host, half of that; the first is taken that the configuration
/// allows and that has room. Over several ranks there is one: every rank has its rows.
class OperatorStage {
 public:
  /// Throws InputError where the configuration names an unknown format or contradicts itself,
  /// ResourceError where the format is unavailable on the backend.
  explicit OperatorStage(const RunContext& context);
  OperatorStage(const OperatorStage&) = delete;
  OperatorStage& operator=(const OperatorStage&) = delete;

  /// How the source is to hold a matrix that it reads.
  Storage storage() const { return format_->symmetric ? Storage::upper : Storage::full; }
  /// Rows of the source. Throws InputError where they are too many, with the spaces that would fit.
  Index rows_of(HamiltonianSource& source) const;
  /// Throws InputError on options that do not fit so many rows.
  void check_rows(Index rows) const;
  /// Throws ResourceError where the solver's vectors and a matrix of one element a row do not fit:
  /// counting the nonzeros of a large space takes minutes.
  void require_room(HamiltonianSource& source, const MemoryNeed& solver) const;

  /// Full CI without a matrix, where it is asked for, is expected to be faster, or has room and a
  /// matrix has not. Else none: `hold` is to follow. Throws as `hold`.
  std::optional<HeldMatrix> hold_direct(HamiltonianSource& source, const MemoryNeed& solver,
                                        int columns);
  /// The matrix, if it, the operator, what its products with up to `columns` vectors need and the
  /// solver's own need fit; else ResourceError. It must not outlive the source.
  HeldMatrix hold(HamiltonianSource& source, const MemoryNeed& solver, int columns);
  /// Its operator for blocks of `columns` vectors, mostly, tuned where asked for; the host matrix
  /// dies unless the operator keeps it. `symmetric`: the matrix is known to be so. It must not
  /// outlive this stage.
  MadeOperator make(HeldMatrix held, HamiltonianSource& source, const MemoryNeed& solver,
                    int columns, bool symmetric);

  /// How the format was chosen, where it was, once the solve is over.
  std::optional<FormatChoice> choice(const MadeOperator& made);
  /// Why the matrix is stored, or not; empty where there was no choice.
  const std::string& operator_reason() const { return operator_reason_; }
  /// What the user should know, said since the last call.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  using Way = std::optional<HeldMatrix> (OperatorStage::*)(HamiltonianSource&, const MemoryNeed&,
                                                           int columns);
  std::optional<HeldMatrix> over_ranks(HamiltonianSource& source, const MemoryNeed& solver,
                                       int columns);
  std::optional<HeldMatrix> as_product(HamiltonianSource& source, const MemoryNeed& solver,
                                       int columns);
  std::optional<HeldMatrix> on_device(HamiltonianSource& source, const MemoryNeed& solver,
                                      int columns);
  std::optional<HeldMatrix> as_packed_file(HamiltonianSource& source, const MemoryNeed& solver,
                                           int columns);
  std::optional<HeldMatrix> on_host(HamiltonianSource& source, const MemoryNeed& solver,
                                    int columns);
  static const Way ways_[];
  bool requires_symmetric() const;
  bool made_on_devices(HamiltonianSource& source);
  std::string why_not_direct(HamiltonianSource& source) const;

  MemoryPlan plan(const MemoryNeed& need, const MemoryAvailable& in_place = {}) const;
  MemoryPlan plan_of(MatrixSource& a, const MemoryNeed& solver, const Format& format,
                     int columns) const;
  bool keeps_host_matrix(HeldMatrix& held, const MemoryNeed& solver, int columns);
  void count(HamiltonianSource& source, const MemoryNeed& solver) const;
  void take_half(HeldMatrix& held, HamiltonianSource& source, const MemoryNeed& solver,
                 int columns);
  MemoryPlan revised(const MemoryPlan& plan, const OperatorInfo& made) const;
  void note(const std::string& sentence);
  Communicator& ranks() const { return context_.backend.communicator(); }
  /// For SLEPc; then the matrix is stored, whole and in CSR, whatever would be chosen.
  bool wants_elements() const { return config_.solver.slepc_matrix == SlepcMatrix::assembled; }
  bool in_single() const { return config_.spmv.off_diagonal == Precision::float32; }

  const RunContext& context_;
  const RunConfig& config_;
  const Format* format_;                    ///< configured, of `auto` the first
  std::unique_ptr<FormatChooser> chooser_;  ///< where spmv.format is auto
  std::string operator_reason_;
  std::vector<std::string> notes_;
};

}  // namespace cisolve
