#!/usr/bin/env python3
"""Prints where CASSCF of LiH in a ddCOSMO solvent ends, by its start orbitals and the solver:
energies that depend on the start are not the solver's fault.

    python python/tests/compatibility/solvent.py
"""
import cisolve.pyscf
import numpy as np
from molecules import hartree_fock
from pyscf import mcscf, solvent
from scipy.linalg import expm


def run(mf, ours, orbitals, ci=None):
    mc = mcscf.CASSCF(mf, 5, 2)
    if ours:
        mc.fcisolver = cisolve.pyscf.FCI(mc.mol).set(residual_tol=1e-9)
    else:
        mc.fcisolver.conv_tol_residual = 1e-9
    mc.fcisolver.conv_tol = 1e-14
    mc = solvent.ddCOSMO(mc)
    mc.conv_tol, mc.max_cycle_macro = 1e-12, 100
    mc.kernel(orbitals, ci)
    return mc


def main():
    mf = hartree_fock("lih")
    first = run(mf, False, mf.mo_coeff)
    starts = {"Hartree-Fock": (mf.mo_coeff, None),
              "where PySCF ended": (first.mo_coeff, first.ci)}
    for seed in (1, 2):
        turn = 1e-3 * np.random.default_rng(seed).standard_normal(mf.mo_coeff.shape)
        turned = mf.mo_coeff @ expm(turn - turn.T)
        starts[f"Hartree-Fock, turned by 1e-3, seed {seed}"] = turned, None
    print("| start orbitals | PySCF | cisolve | difference |\n|---|---|---|---|")
    for name, start in starts.items():
        theirs, ours = (run(mf, which, *start).e_tot for which in (False, True))
        print(f"| {name} | {theirs:.9f} | {ours:.9f} | {abs(ours - theirs):.0e} |")


if __name__ == "__main__":
    main()
