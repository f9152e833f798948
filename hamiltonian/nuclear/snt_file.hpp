#pragma once

#include <string>
#include <string_view>

#include "hamiltonian/nuclear/shell_interaction.hpp"

namespace cisolve {

/// An interaction file of KSHELL (.snt), in the form without a dependence on ħω:
///
///     proton orbits, neutron orbits, core protons, core neutrons
///     number  n  l  2j  2t_z          for every orbit; t_z −1 of protons, 1 of neutrons
///     count  0                        of one-body terms
///     a  b  ⟨a|h|b⟩
///     count  0, or count  1  A₀  p    of two-body terms; the second are scaled by (A/A₀)^p
///     a  b  c  d  J  ⟨ab; J|V|cd; J⟩
///
/// Comments follow ! or #. A term may be repeated, also with (ab) and (cd), a and b
/// exchanged. Throws InputError, with file and line, on anything else, and on terms that break the
/// symmetries of a Hamiltonian: charge, parity, angular momentum, exchange.
/// Source: Shimizu, Mizusaki, Utsuno, Tsunoda, Comput. Phys. Commun. 244, 372 (2019).
ShellInteraction read_snt(const std::string& name, std::string_view text);

}  // namespace cisolve
