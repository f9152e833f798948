#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/checkpoint/checkpoint.hpp"
#include "app/checkpoint/checkpoint_file.hpp"
#include "app/choice/format_chooser.hpp"
#include "app/config/config.hpp"
#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"
#include "app/memory/memory.hpp"
#include "app/report/report.hpp"
#include "app/states/spin_projection.hpp"
#include "app/states/state_analysis.hpp"
#include "core/timer.hpp"
#include "io/atomic_file.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// The stages that eigenproblems and linear systems share, in the order they happen.
class Pipeline {
  const Timer total_;  // begins before everything else

 public:
  Output output;
  std::unique_ptr<Backend> backend;
  RunFacts facts;

  /// Throws InputError where the configuration contradicts itself, names an unknown format or a
  /// file to restart from that cannot be, ResourceError where the backend or the format is
  /// unavailable.
  explicit Pipeline(const RunConfig& config);

  /// The integrals or the matrix; returns the number of its rows. Throws InputError when the file
  /// to restart from has another.
  Index read();

  /// Throws ResourceError where vectors and a matrix of one element a row do not fit: counting the
  /// nonzeros of a large space takes minutes.
  void require_room(const MemoryNeed& need);

  /// The projector onto the multiplicity asked for, of blocks of up to `columns` vectors; empty
  /// where all states are.
  std::function<void(View)> projector(int columns);

  /// The matrix, if it, the operator, what its products with up to `columns` vectors need and the
  /// solver's own `need` fit, as facts.memory then says. Of an eigenproblem of determinants, where
  /// `packed` is to be made on a GPU, its rows there; of one that a file holds packed, that; else
  /// the host matrix.
  std::unique_ptr<MatrixSource> build(int columns, MemoryNeed need);

  /// What tells the matrix from others, where a checkpoint is to be written or read; and the state
  /// to restart from.
  void identify(const MatrixSource& a);
  const SolverState* begin_from() const { return begin_from_ ? &*begin_from_ : nullptr; }
  CheckpointHook checkpoint_hook();

  /// As large as pays for a solve on that backend.
  PSpace p_space(const MatrixSource& a, BackendKind solves_on);

  /// The operator; the host matrix dies here unless the operator keeps it. `symmetric`: the matrix
  /// is known to be so. Where asked for, its kernel is tuned for blocks of `columns` vectors.
  std::unique_ptr<LinearOperator> convert(std::unique_ptr<MatrixSource> a, int columns,
                                          bool symmetric);

  /// The operator as the solve left it, and how its format was chosen.
  void note_operator(const LinearOperator& a);
  /// What the solve left to say: on checkpoints and precision.
  void note_solve(const EigenResult& result);

  /// What the states are; their vectors may change, as analyse_states says.
  EigenAnalysis analyse(EigenResult& result, std::unique_ptr<LinearOperator> a);

  /// Logs what the user should know and keeps it for the report.
  void warn(const std::string& note);

  void write_vectors(ConstView vectors);
  void finish(double solve_seconds);

 private:
  /// What a matrix of so many bytes as CSR comes to.
  MemoryPlan plan(MemoryNeed need, std::size_t csr, std::size_t scratch) const;
  MemoryAvailable available() const;
  MemoryPlan plan_for(const MemoryNeed& need, int columns);
  MemoryPlan plan_on_device(MemoryNeed need, Offset nonzeros, int columns) const;
  bool may_build_on_device() const;
  std::unique_ptr<MatrixSource> build_on_device(const MemoryNeed& need, int columns);
  std::unique_ptr<LinearOperator> convert_on_device(std::unique_ptr<MatrixSource>& a, int columns);
  bool may_take_packed() const;
  std::unique_ptr<MatrixSource> take_packed(MemoryNeed need, int columns);
  std::shared_ptr<const CsrMatrix> build_on_host(const MemoryNeed& need, int columns);
  void take(const std::string& format, const std::string& reason);
  bool take_half(const MemoryNeed& need);
  void keep_host_matrix(const MemoryNeed& need, int columns);
  void revise_plan();
  bool single_precision() const { return config_.spmv.off_diagonal == Precision::float32; }

  const RunConfig& config_;
  std::unique_ptr<AtomicFile> vectors_file_;
  CheckpointWriter checkpoints_;
  Fingerprint fingerprint_;
  std::optional<RestartFile> restart_;
  std::optional<SolverState> begin_from_;
  MemoryNeed configured_need_;              ///< the solver's own
  std::string format_;                      ///< that the operator is made in, at first
  std::unique_ptr<FormatChooser> chooser_;  ///< where spmv.format is auto
  bool keeps_host_matrix_ = false;          ///< on a GPU, for another format to be made of it
  std::unique_ptr<HamiltonianSource> source_;
  RequestedMultiplicity multiplicity_;
};

}  // namespace cisolve
