#pragma once

#include <filesystem>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// True if the first integral of an FCIDUMP file is complex, `re im i j k l` with a whole im
/// included where the header has ICMPLX, IGENERAL or TREL: read_spinor_fcidump reads the file then,
/// read_fcidump refuses it. Throws InputError where no FCIDUMP header opens the text or it is never
/// closed.
bool has_complex_integrals(const NamedText& source);

/// Reads an FCIDUMP file of complex integrals, plain or gzip. Complex integrals are those of
/// spinors: NORB counts them, with TREL=.TRUE., IGENERAL=1 or without a key, and MS2 and ORBSYM say
/// nothing. Lines are `(re,im) i j k l` or `re im i j k l`, (ij|kl) in chemists' order and h_ij,
/// one to all of the permutations of each, which agree where several are given (are_repeats). The
/// options `ms2`, `kind` spatial and labels of ORBSYM make no sense; the first two are errors.
/// Throws InputError with file, line, what was found and what was expected; ResourceError where the
/// host has no room for the integrals.
SpinorIntegrals read_spinor_fcidump(const std::filesystem::path& path,
                                    const FcidumpOptions& options = {});

/// Reads a text already in memory.
SpinorIntegrals read_spinor_fcidump(const NamedText& source, const FcidumpOptions& options = {});

}  // namespace cisolve
