#!/usr/bin/env python3
"""CASSCF by cisolve.pyscf.FCI beside PySCF's own solver, in turns on the same cores: seconds of
each, and differences of energies (Hartree), of active densities and of one-particle densities in
atomic orbitals, which do not depend on the orbitals' phases and order. Before they are compared,
optimisations of first order get a few steps of second order, which are not timed. PySCF's solver,
too, is asked for residuals (conv_tol_residual), which its default does not do.

    python bench/casscf.py [NAME ...]     cases by name; none: all
    python bench/casscf.py --large N [--cycles M] [--backend cpu|cuda] [--threads T]
        N electrons in N orbitals of benzene in 6-31G* (96 functions), both solvers by their
        defaults, M macro-iterations at most (50). N = 12 suits a few cores, 14 a GPU beside PySCF
        on the host's cores. Prints seconds of the whole optimisation, and of the solver's kernel,
        densities and products; those of each call as they come, to the error stream.
"""
import argparse
import functools
import sys
import time

import numpy as np
import pyscf
from pyscf import gto, lib, mcscf, scf

import cisolve.pyscf

H2O = "O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469"
AVERAGE = {"weights": (0.5, 0.5)}
#: name: (atoms, basis, of the molecule, orbitals, electrons, of the calculation)
CASES = {
    "N2": ("N 0 0 0; N 0 0 1.4", "6-31g", {}, 6, 6, {}),
    "N2 D2h": ("N 0 0 0; N 0 0 1.4", "6-31g", {"symmetry": "D2h"}, 6, 6, {}),
    "N2 Dooh": ("N 0 0 0; N 0 0 1.4", "6-31g", {"symmetry": True}, 6, 6, {}),
    "N2 average": ("N 0 0 0; N 0 0 1.4", "6-31g", {}, 6, 6, AVERAGE),
    "H2O": (H2O, "6-31g*", {}, 6, 8, {}),
    "H2O C2v": (H2O, "6-31g*", {"symmetry": "C2v"}, 6, 8, {}),
    "H2O second order": (H2O, "6-31g*", {}, 6, 8, {"newton": True}),
    "O2 triplet": ("O 0 0 0; O 0 0 1.2", "6-31g", {"spin": 2}, 6, 8, {}),
    "O2 triplet D2h": ("O 0 0 0; O 0 0 1.2", "6-31g", {"spin": 2, "symmetry": "D2h"}, 6, 8, {}),
    "ScO doublet": ("Sc 0 0 0; O 0 0 1.67", "sto-3g", {"spin": 1, "symmetry": "C2v"}, 6, 7, {}),
}


def calculation(mf, own, norb, nelec, weights=None, newton=False):
    mc = mcscf.CASSCF(mf, norb, nelec)
    if own:
        mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
        mc.fcisolver.residual_tol = 1e-9
    else:  # an energy is good to the square of its vector's error
        mc.fcisolver.conv_tol_residual = 1e-8
    mc.fcisolver.conv_tol = 1e-13
    if weights:
        mc = mc.state_average_(weights)
    if newton:
        mc = mc.newton()
    mc.conv_tol, mc.conv_tol_grad = 1e-11, 1e-6
    begin = time.perf_counter()
    mc.kernel()
    seconds, converged = time.perf_counter() - begin, mc.converged
    if not newton:  # steps of first order end too early for densities to be compared
        tight = mc.newton()
        tight.conv_tol, tight.conv_tol_grad = 1e-11, 1e-7
        tight.kernel(mc.mo_coeff, mc.ci)
        mc = tight
    return mc, seconds, converged


BENZENE = "; ".join(
    f"{atom} {radius * np.sin(k * np.pi / 3):.6f} {radius * np.cos(k * np.pi / 3):.6f} 0"
    for atom, radius in (("C", 1.396), ("H", 2.479)) for k in range(6))


def clocked(solver, seconds):
    """The solver with a clock around what the optimisation calls."""
    for name in ("kernel", "make_rdm12", "contract_2e"):
        def call(*arguments, method=getattr(solver, name), name=name, **keywords):
            begin = time.perf_counter()
            found = method(*arguments, **keywords)
            took = time.perf_counter() - begin
            seconds[name] = seconds.get(name, 0.0) + took
            print(f"{type(solver).__module__} {name} {took:.3f} s", file=sys.stderr, flush=True)
            return found
        setattr(solver, name, functools.wraps(getattr(solver, name))(call))
    return solver


def large(n, cycles, backend, threads):
    if threads:
        lib.num_threads(threads)
    mf = scf.RHF(gto.M(atom=BENZENE, basis="6-31g*", verbose=0)).run(conv_tol=1e-11)
    print(f"CASSCF({n},{n}), {mf.mol.nao} functions, {lib.num_threads()} threads; PySCF "
          f"{pyscf.__version__}\n\n| solver | energy | converged | s | kernel | densities | products |"
          "\n|---|---|---|---|---|---|---|", flush=True)
    for name in ("cisolve", "PySCF"):
        mc = mcscf.CASSCF(mf, n, n)
        mc.max_cycle_macro = cycles
        if name == "cisolve":
            mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
            mc.fcisolver.backend, mc.fcisolver.threads = backend, threads
            name += f", {backend or 'auto'}"
        seconds = {}
        clocked(mc.fcisolver, seconds)
        begin = time.perf_counter()
        mc.kernel()
        whole = time.perf_counter() - begin
        parts = " | ".join(f"{seconds.get(part, 0.0):.1f}"
                           for part in ("kernel", "make_rdm12", "contract_2e"))
        print(f"| {name} | {mc.e_tot:.8f} | {'yes' if mc.converged else 'no'} | {whole:.1f} "
              f"| {parts} |", flush=True)


def small(names):
    print(f"{lib.num_threads()} threads; PySCF {pyscf.__version__}\n")
    print("| calculation | energy | difference | eigenvalues of the active density | density in "
          "atomic orbitals | cisolve, s | PySCF, s |\n|---|---|---|---|---|---|---|")
    for name in names or CASES:
        atom, basis, molecule, norb, nelec, how = CASES[name]
        mol = gto.M(atom=atom, basis=basis, verbose=0, **molecule)
        mf = (scf.ROHF if mol.spin else scf.RHF)(mol).run(conv_tol=1e-12)
        (ours, seconds, done), (theirs, their_seconds, they_done) = (
            calculation(mf, own, norb, nelec, **how) for own in (True, False))
        occupations = [np.linalg.eigvalsh(mc.fcisolver.make_rdm1(mc.ci, norb, mc.nelecas))
                       for mc in (ours, theirs)]
        converged = "" if done and they_done else " (not converged)"
        print(f"| {name}{converged} | {ours.e_tot:.10f} | {abs(ours.e_tot - theirs.e_tot):.1e} "
              f"| {abs(occupations[0] - occupations[1]).max():.1e} "
              f"| {abs(ours.make_rdm1() - theirs.make_rdm1()).max():.1e} "
              f"| {seconds:.2f} | {their_seconds:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--large", type=int, metavar="N")
    parser.add_argument("--cycles", type=int, default=50)
    parser.add_argument("--backend", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    if given.large:
        large(given.large, given.cycles, given.backend, given.threads)
    else:
        small(given.names)


if __name__ == "__main__":
    main()
