"""Spin-orbit coupled hydrogen fluoride beside the energies that another program's tests have.

    spinor_references.py

H at 0, F at 2 bohr, cc-pVDZ, X2C with spin-orbit coupling (one-electron), two-electron integrals
fitted in cc-pVTZ-JKFIT, general Hartree-Fock; 1s frozen, eight electrons in the next twelve spinors.
Integrals by PySCF, with its speed of light, 137.03599967994. Energies of forte2: tests/ci/test_rel_ci.py
of its repository.
"""
import numpy as np
from pyscf import gto, lib, scf

import cisolve

FORTE2 = [-100.10065023157668, -99.7875319545, -99.7875319545, -99.7866432345]


def halves(c):
    return c[:len(c) // 2], c[len(c) // 2:]


def fluoride():
    """h, (pq|rs) and the energy of core and nuclei."""
    mol = gto.M(atom="H 0 0 0; F 0 0 2", unit="B", basis="cc-pvdz", verbose=0)
    mf = scf.GHF(mol).x2c1e().density_fit(auxbasis="cc-pvtz-jkfit")
    mf.conv_tol = 1e-11
    mf.kernel(mf.get_init_guess().astype(complex))
    assert mf.converged
    core, active = mf.mo_coeff[:, :2], mf.mo_coeff[:, 2:14]
    density, h = core @ core.conj().T, mf.get_hcore()
    coulomb, exchange = mf.get_jk(mol, density, hermi=1)
    energy = mol.energy_nuc() + np.einsum("ij,ji", h + 0.5 * (coulomb - exchange), density).real
    fit = lib.unpack_tril(mf.with_df._cderi)
    fit = sum(np.einsum("Pij,ip,jq->Ppq", fit, c.conj(), c, optimize=True) for c in halves(active))
    return (active.conj().T @ (h + coulomb - exchange) @ active,
            np.einsum("Ppq,Prs->pqrs", fit, fit, optimize=True), energy)


def main():
    h, g, core_energy = fluoride()
    found = cisolve.Hamiltonian.from_spinors(h, g, 8, core_energy).eigenstates(4)
    print("| state | forte2 | cisolve | difference |\n|---|---|---|---|")
    for i, (theirs, ours) in enumerate(zip(FORTE2, found.energies), 1):
        print(f"| {i} | {theirs:.10f} | {ours:.10f} | {ours - theirs:.0e} |")


if __name__ == "__main__":
    main()
