#pragma once

#include <optional>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/nuclear/shell_interaction.hpp"
#include "hamiltonian/nuclear/shell_space.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// ⟨x|J²|x⟩ of normalised vectors over all determinants of a sector: ‖J₊x‖² + M(M + 1). J₊x lies
/// over the determinants with M + 1, each of which gathers what single raised nucleons bring it:
/// time follows determinants times nucleons; bytes 4 a determinant, and 32 while it is made.
class AngularMomentum {
 public:
  /// `space`: the sector's determinants over these integrals, which must outlive it.
  AngularMomentum(const ShellInteraction& interaction, const Integrals& integrals,
                  ShellSector sector, const ListedSpace& space);

  double j_squared(const HostVector& x) const;

 private:
  /// A string of M that becomes one of M + 1 when a nucleon is raised from m.
  struct Lowered {
    Index string;
    double factor;  ///< √(j(j + 1) − m(m + 1))
  };
  /// A string of M + 1, by what it has among those of M.
  struct Origins {
    Index same = -1;  ///< itself; −1: it is none
    std::vector<Lowered> lowered;
  };
  std::vector<Origins> origins(const ShellInteraction& interaction, Spin kind) const;
  double raised(const HostVector& x, const Origins& protons, const Origins& neutrons) const;

  const ListedSpace& space_;
  double m_;
  std::optional<AnySpace> above_;  ///< with M + 1; none: M is the largest J
  std::vector<Origins> of_protons_, of_neutrons_;
};

}  // namespace cisolve
