#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/model.hpp"
#include "app/prepare/context.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "app/solve/outcome/row_determinants.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/select/expansion.hpp"
#include "hamiltonian/select/growth.hpp"

namespace cisolve {

/// The lowest states over a list of determinants that grows: each list's are begun from those of
/// the list before.
class GrowingStates {
 public:
  /// Model and context must outlive it. Throws InputError where the model has no determinants.
  GrowingStates(const RunContext& context, const Model& model);

  /// The first list. Throws InputError where it is smaller than the number of states.
  void begin();
  /// The first list of one irrep, of about so many determinants, or of fewer that there are. Throws
  /// InputError where none has it.
  void begin_in(int irrep, std::size_t size);
  /// Determinants of a first list.
  std::size_t first_size() const;
  /// One that is there already, with its states.
  void go_on(std::shared_ptr<const AnySpace> space, HostMatrix coefficients);
  /// The states of the list. `config`: of that solve, of Task::eigen.
  void solve(const RunConfig& config, const Observers& observers, const Log& log);
  /// And which of those before each continues, by overlap, from 0; −1: none. Empty where there were
  /// none before.
  std::vector<int> solve_and_follow(const RunConfig& config, const Observers& observers,
                                    const Log& log);
  /// The list grows; its states are those of the list before until it is solved. `epsilon`: the
  /// search begins there. The list stays if the growth is cancelled. Throw as the functions of
  /// growth.hpp.
  Growth grow_to_size(std::size_t size, double epsilon, const GoesOn& goes_on);
  Growth grow_by_importance(double epsilon, const GoesOn& goes_on);
  /// `undo` comes back to the states as they are; so it does to those before each growth. Until
  /// they are solved anew there is no `last`.
  void mark();
  /// Back to the list that was marked and its states; false: there is none.
  bool undo();

  const Integrals& integrals() const { return integrals_; }
  /// Number of the irrep that the determinants have; −1: all.
  int irrep() const { return determinants_.irrep().value_or(-1); }
  const std::shared_ptr<const AnySpace>& space() const { return space_; }
  std::int64_t size() const { return space_->size(); }
  const HostMatrix& coefficients() const { return coefficients_; }
  EigenOutcome& last() { return last_; }
  RowDeterminants determinants() const { return row_determinants(determinants_.over(space_, {})); }
  /// The states as they are.
  Expansion expansion() const {
    return {integrals_, *space_->of_list(), coefficients_, last_.result.energies};
  }
  /// Memory for growth and corrections: half of the host's, and most of what a device has left.
  Workplace place() const;

 private:
  Growth take(Growth grown);
  std::size_t limit() const;

  const RunContext& context_;
  const Model& model_;
  const Determinants& determinants_;
  const Integrals integrals_;  ///< over active orbitals, those that irreps allow
  std::size_t host_bytes_;
  std::shared_ptr<const AnySpace> space_;
  HostMatrix coefficients_;  ///< of the states over the list
  struct Marked {
    std::shared_ptr<const AnySpace> space;
    HostMatrix coefficients;
    EigenOutcome last;
  };
  std::optional<Marked> marked_;
  EigenOutcome last_;
};

/// Solves the list and those that it grows to, until one has `size` determinants or no others are
/// led to. False where it was cancelled, or `ends`, asked after each solve, says yes.
bool grow_to(GrowingStates& states, const RunConfig& config, std::int64_t size,
             const GoesOn& goes_on, const std::function<bool()>& ends = {});

/// The configuration of a solve over one of the lists, as of the whole.
RunConfig config_of_list(const RunConfig& config);
/// Configuration of a list of which nothing is said and written.
RunConfig config_of_quiet_list(const RunConfig& config);

}  // namespace cisolve
