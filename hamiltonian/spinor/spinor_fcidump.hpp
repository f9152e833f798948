#pragma once

#include <filesystem>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Numbers that the integrals of an FCIDUMP file are: complex if its first one is, `re im i j k l`
/// with a whole im included where the header has ICMPLX, IGENERAL or TREL; of fourfold symmetry if
/// the header says that orbitals have momenta. read_spinor_fcidump reads the file then,
/// read_fcidump refuses it. Throws InputError where no FCIDUMP header opens the text or it is never
/// closed.
IntegralValues integral_values(const NamedText& source);

/// Reads an FCIDUMP file of integrals of fourfold symmetry, plain or gzip. NORB counts spinors;
/// where the header has momenta (SYMLZ, KSYM, NPROP) and no TREL, or `kind` is spatial, it counts
/// spatial orbitals, each of which becomes two spinors (with_both_spins). MS2 and ORBSYM say
/// nothing. Lines are `(re,im) i j k l` or `re im i j k l`, of orbitals on an axis or ring also
/// `value i j k l`; (ij|kl) in chemists' order and h_ij, one to all of the permutations of each,
/// which agree where several are given (are_repeats). Integrals vanish as SYMLZ and KSYM say. The
/// option `ms2` and labels of ORBSYM make no sense; the first is an error. Throws InputError with
/// file, line, what was found and what was expected; ResourceError where the host has no room for
/// the integrals.
SpinorIntegrals read_spinor_fcidump(const std::filesystem::path& path,
                                    const FcidumpOptions& options = {});

/// Reads a text already in memory.
SpinorIntegrals read_spinor_fcidump(const NamedText& source, const FcidumpOptions& options = {});

}  // namespace cisolve
