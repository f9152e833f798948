#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"
#include "hamiltonian/integrals/fcidump/namelist.hpp"

namespace cisolve {

/// Spatial ones of a file: 545 MB of (pq|rs).
inline constexpr int most_orbitals_of_file = 128;

/// Numbering of a file's orbitals and spins.
enum class FcidumpLayout {
  restricted,   ///< spatial orbitals, one set for both spins
  interleaved,  ///< UHF=.TRUE.: spin orbitals, odd numbers alpha, even ones beta
  blocks,       ///< spin orbitals, the lower half of the numbers alpha, the upper half beta
  sections  ///< IUHF=1: spatial orbitals, (αα|αα) (ββ|ββ) (αα|ββ) h_α h_β core in this order
};

/// From where the labels of ORBSYM count: from 1 as Molpro writes them, from 0 as PySCF does, or
/// from 0 where one of them is 0.
enum class OrbsymLabels { automatic, molpro, pyscf };

/// Orbitals that NORB counts: spatial orbitals (spin orbitals in pairs if the header says
/// UHF=.TRUE.), general spin orbitals, or as header and integrals show.
enum class OrbitalKind { automatic, spatial, spin };

/// True if the header says that NORB counts general spin orbitals. IGENERAL=1, of block2, leaves it
/// open: it says that no permutation of an integral's orbitals is left out. Without a key it is
/// `unsaid`.
enum class GeneralOrbitals { no, unsaid, perhaps, yes };

/// Contents of the namelist at the head of an FCIDUMP file.
struct FcidumpHeader {
  FcidumpLayout layout = FcidumpLayout::restricted;
  GeneralOrbitals general = GeneralOrbitals::no;
  int norb = 0;                  ///< largest number of the lines: of spin orbitals when interleaved
  int orbitals = 0;              ///< spatial, or general spin orbitals
  std::optional<int> electrons;  ///< none when NELEC is absent or 0
  std::optional<int> ms2;
  std::vector<int> irreps;        ///< from 0, of each of the norb orbitals; empty without symmetry
  bool irreps_from_zero = false;  ///< the labels are the irreps; else these are the labels − 1
  std::vector<std::pair<std::string, std::string>> other_keys;
  std::vector<std::string> warnings;
  std::size_t line = 1;      ///< the namelist opens on this line
  std::size_t end = 0;       ///< offset in the text of the end of the namelist's last line
  std::size_t end_line = 1;  ///< number of that line
};

/// The namelist that opens the text. Throws InputError where there is none.
Namelist scan_fcidump_header(const NamedText& source);

/// True when the first word of the text opens an FCIDUMP namelist (&FCI or &FCIDUMP, any case).
bool opens_fcidump_header(std::string_view text);

/// Most bytes of a file with this beginning. Throws InputError where it opens no FCIDUMP namelist.
double longest_fcidump(const NamedText& beginning);

/// Throws InputError on a missing or open header, on values that mean nothing, and on keys that are
/// not known or say what cannot be solved (fcidump_keys.hpp). NORB of integrals of fourfold
/// symmetry counts spinors, as general spin orbitals, unless they have momenta or `kind` is
/// spatial; a header of orbitals of one spin each is an error.
FcidumpHeader parse_fcidump_header(const NamedText& source,
                                   OrbsymLabels labels = OrbsymLabels::automatic,
                                   OrbitalKind kind = OrbitalKind::automatic,
                                   IntegralValues values = IntegralValues::real);

/// Number of electrons: the header's, or the one given in its place. Throws InputError where there
/// is neither, or it is below 1.
int electrons_of(const NamedText& source, const FcidumpHeader& header, std::optional<int> given);

/// The header with NORB counting `orbitals` spatial ones, or spin orbitals in pairs. Throws
/// InputError where these are more than a file may have.
void set_orbitals(const NamedText& source, FcidumpHeader& header, int orbitals);

}  // namespace cisolve
