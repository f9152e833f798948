#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/log.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/any_space.hpp"
#include "hamiltonian/space/determinant_label.hpp"

namespace cisolve {

/// A space in the place of the configured one; what is none stays.
struct SpaceChoice {
  std::optional<int> irrep, ms2;
  std::optional<SpinInversion> spin_inversion;
};

/// A key that chooses among nucleons; empty: there is none.
std::string nucleon_key(const InputConfig& config);

/// Integrals and the determinants over them that a configuration chooses. Orbitals are restricted
/// and determinants made when they are first asked for.
class Determinants {
 public:
  /// `config` chooses the determinants or names a list of them; its file is how messages name the
  /// integrals. Throws InputError where its keys contradict each other or the integrals.
  Determinants(Integrals integrals, const InputConfig& config, Log log);
  /// Other determinants over the same integrals, which are shared, and the same frozen orbitals.
  Determinants of(const SpaceChoice& choice, Log log) const;
  /// Determinants over the orbitals in the columns of C, which leaves frozen ones as they are
  /// (rotated). Throws InputError where orbitals are not restricted.
  Determinants over_orbitals(const HostMatrix& c, Log log) const;
  /// The determinants of a list over the active orbitals of the same integrals.
  Determinants over(std::shared_ptr<const AnySpace> list, Log log) const;

  const InputConfig& config() const { return config_; }
  std::string name() const { return config_.file.string(); }
  /// All integrals, as they were given.
  const Integrals& integrals() const { return *integrals_; }
  /// The integrals over the active orbitals, with the frozen ones folded in. Throws InputError
  /// where orbitals are frozen that cannot be.
  const Integrals& active_integrals() const;
  /// The restricted active space asked for, over the active orbitals. Throws InputError where it
  /// cannot be.
  std::optional<RestrictedActiveSpace> ras() const;
  /// True if the determinants are listed.
  bool listed() const { return list_ != nullptr || (space_ && space_->of_list() != nullptr); }
  /// The irrep of the determinants by its number, where the configuration has one.
  std::optional<int> irrep() const;

  /// The determinants. Throws as make_ci_space and make_listed_space.
  const AnySpace& space() const;
  /// The space where its determinants are pairs of strings in ranges; null for others.
  const CiSpace* ranges() const { return space().of_ranges(); }
  bool has_space() const { return space_ != nullptr; }
  /// Rows of a vector over them: determinants, or functions of the parity that is wanted. Throws
  /// InputError where there is no parity, and as `space`.
  Index rows() const;
  /// Rows of a vector over the functions of that parity, or over all. Throws the same.
  Index rows_of(SpinInversion parity) const;
  /// Throws InputError where functions of one parity are wanted, which no matrix is stored over.
  void require_stored() const;

  /// Notation of the determinants over the file's orbitals.
  DeterminantLabels labels() const;
  /// Orbitals of the file, from 0: those doubly occupied, and those that the space is over.
  std::pair<std::vector<int>, std::vector<int>> frozen_and_active() const;
  /// Notes for the user, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Determinants() = default;
  /// Logged, and one of the notes from here on.
  void note(const std::string& sentence);
  void freeze();
  AnySpace made_space() const;

  InputConfig config_;
  Log log_;
  std::shared_ptr<const Integrals> integrals_;
  std::shared_ptr<const DeterminantList> list_;
  mutable std::shared_ptr<const Integrals> active_integrals_;
  mutable std::shared_ptr<const AnySpace> space_;
  mutable std::optional<Index> rows_;
  mutable std::vector<std::string> notes_;
};

}  // namespace cisolve
