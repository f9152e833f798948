#pragma once

#include <filesystem>
#include <optional>

#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "hamiltonian/integrals/fcidump/namelist.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

struct FcidumpOptions {
  /// Replaces NELEC; needed when the file says 0 or nothing.
  std::optional<int> electrons;
  /// Replaces MS2.
  std::optional<int> ms2;
  /// Take a file in which an orbital has no diagonal one-electron integral h_pp as it stands
  /// (with a warning) instead of refusing it.
  bool allow_missing_diagonal = false;
  /// From where the labels of ORBSYM count.
  OrbsymLabels labels = OrbsymLabels::automatic;
  /// Orbitals that NORB counts.
  OrbitalKind kind = OrbitalKind::automatic;
};

/// Reads an FCIDUMP file (Knowles, Handy, Comput. Phys. Commun. 1989, 54, 75), plain or gzip.
/// docs/file-formats.md lists the dialects it takes: restricted, Psi4's interleaved spin orbitals
/// (UHF=.TRUE.), Molpro's six sections (IUHF=1) and general spin orbitals.
/// Throws InputError with file, line, what was found and what was expected.
Integrals read_fcidump(const std::filesystem::path& path, const FcidumpOptions& options = {});

/// Reads a text already in memory.
Integrals read_fcidump(const NamedText& source, const FcidumpOptions& options = {});

}  // namespace cisolve
