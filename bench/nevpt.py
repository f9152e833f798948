#!/usr/bin/env python3
"""NEVPT2 over cisolve's densities beside PySCF's, of the same CASCI states, in turns on the same
cores: correlation energies (Hartree), their difference, seconds of each.

    python bench/nevpt.py [NAME ...] [--threads T] [--backend cpu|cuda]
        cases by name; none: all
    python bench/nevpt.py --large N [--threads T] [--backend cpu|cuda]
        N electrons in N orbitals of benzene in 6-31G* (96 functions), by cisolve alone: seconds of
        the CASCI state, of its three-particle density, of the contracted four-particle density, and
        of NEVPT2 as a whole with both.

Molecules have no degenerate orbitals: strongly contracted NEVPT2 depends on the rotation of such
orbitals, PySCF's own in its eighth digit.
"""
import argparse
import time

from pyscf import gto, lib, mcscf, mrpt, scf

import cisolve.pyscf

H2O = "O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469"
H2CO = "C 0 0 -0.53; O 0 0 0.68; H 0 0.94 -1.12; H 0 -0.94 -1.12"
#: name: (atoms, basis, spin, orbitals, electrons, root)
CASES = {
    "H2O (4,4)": (H2O, "6-31g*", 0, 4, 4, 0),
    "H2O (6,8), second state": (H2O, "6-31g*", 0, 6, 8, 1),
    "H2O+ (6,7) doublet": (H2O, "6-31g*", 1, 6, 7, 0),
    "H2O (8,8)": (H2O, "6-31g*", 0, 8, 8, 0),
    "H2CO (8,8) triplet": (H2CO, "6-31g*", 2, 8, 8, 0),
    "H2CO (10,10)": (H2CO, "6-31g*", 0, 10, 10, 0),
    "H2CO (12,12)": (H2CO, "6-31g*", 0, 12, 12, 0),
}


def state(name):
    atoms, basis, spin, norb, nelec, root = CASES[name]
    mol = gto.M(atom=atoms, basis=basis, spin=spin, charge=int("+" in name), verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-12)

    def casci():
        mc = mcscf.CASCI(mf, norb, nelec)
        mc.fcisolver = cisolve.pyscf.FCI(mol)
        mc.fcisolver.backend = arguments.backend
        mc.fcisolver.conv_tol, mc.fcisolver.nroots = 1e-14, root + 1
        mc.kernel()
        return mc
    return casci, root


def timed(f):
    begin = time.perf_counter()
    value = f()
    return value, time.perf_counter() - begin


def compare(name):
    casci, root = state(name)
    # PySCF turns the vector of the root where it lies: each has a solution of its own.
    own, theirs = casci(), casci()
    ours, seconds = timed(lambda: cisolve.pyscf.NEVPT(own, root=root).kernel())
    reference, their_seconds = timed(lambda: mrpt.NEVPT(theirs, root=root).kernel())
    print(f"| {name} | {ours:.12f} | {abs(ours - reference):.1e} | {seconds:.2f} | "
          f"{their_seconds:.2f} |", flush=True)


def large(n):
    mol = gto.M(atom=benzene(), basis="6-31g*", verbose=0)
    mf = scf.RHF(mol).run()
    mc = mcscf.CASCI(mf, n, n)
    mc.fcisolver = cisolve.pyscf.FCI(mol)
    mc.fcisolver.backend = arguments.backend
    _, solve = timed(mc.kernel)
    nevpt = cisolve.pyscf.NEVPT(mc)
    spent = {}

    def watch(name):
        method = getattr(mc.fcisolver, name)

        def watched(*args, **kwargs):
            value, seconds = timed(lambda: method(*args, **kwargs))
            spent[name] = spent.get(name, 0.0) + seconds
            return value
        setattr(mc.fcisolver, name, watched)
    watch("make_rdm123")
    watch("_contracted_rdm4")
    energy, whole = timed(nevpt.kernel)
    print(f"CASCI({n},{n}): {solve:.1f} s\nNEVPT2: {energy:.10f}, {whole:.1f} s, of which 3-RDM "
          f"{spent['make_rdm123']:.2f} s, contracted 4-RDM {spent['_contracted_rdm4']:.2f} s")


def benzene():
    from math import cos, pi, sin
    return [[atom, (r * cos(k * pi / 3), r * sin(k * pi / 3), 0.0)]
            for atom, r in (("C", 1.396), ("H", 2.479)) for k in range(6)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--large", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--backend")
    arguments = parser.parse_args()
    if arguments.threads:
        lib.num_threads(arguments.threads)
    if arguments.large:
        large(arguments.large)
    else:
        print("| calculation | correlation energy | difference | cisolve, s | PySCF, s |\n"
              "|---|---|---|---|---|")
        for case in arguments.names or CASES:
            compare(case)
