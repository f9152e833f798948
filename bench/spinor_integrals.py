"""FCIDUMP of a molecule's complex integrals over Kramers pairs of X2C spinors, made with PySCF.

    spinor_integrals.py water|hydroxyl FILE [--spinors 34]

Water, or hydroxyl in the orbitals of its anion, in cc-pVDZ: 10 or 9 electrons in the lowest
`--spinors`; for `input.frozen: [1, 2]`. Spinor 2p + 1 is 2p turned round in time (counted from 0).
"""
import argparse
import gzip

import numpy as np
from pyscf import ao2mo, gto
from pyscf.x2c import x2c

MOLECULES = {"water": ("O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587", 0, 10),
             "hydroxyl": ("O 0 0 0; H 0 0 0.97", -1, 9)}


def turned_round(mol, c):
    """Coefficients of the spinors turned round in time."""
    turned = np.empty_like(c)
    for ao, signed in enumerate(mol.time_reversal_map()):
        turned[abs(signed) - 1] = np.sign(signed) * c[ao].conj()
    return turned


def kramers_pairs(mol, energies, c, overlap):
    """Orthonormal pairs of each degenerate level, side by side."""
    pairs = []
    level = 0
    while level < len(energies):
        end = level + np.searchsorted(energies[level:], energies[level] + 3e-6)
        of_level = []
        for j in range(level, end):
            v = c[:, j].copy()
            for _ in range(2):
                for u in of_level:
                    v -= u * (u.conj() @ overlap @ v)
            norm = np.sqrt((v.conj() @ overlap @ v).real)
            if norm > 0.1:
                v /= norm
                of_level += [v, turned_round(mol, v[:, None])[:, 0]]
        pairs += of_level
        level = end
    pairs = np.array(pairs).T
    values, u = np.linalg.eigh(pairs.conj().T @ overlap @ pairs)  # of pairs again: symmetric
    return pairs @ (u / np.sqrt(values)) @ u.conj().T


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("molecule", choices=MOLECULES)
    parser.add_argument("file")
    parser.add_argument("--spinors", type=int, default=34)
    arguments = parser.parse_args()
    atoms, charge, electrons = MOLECULES[arguments.molecule]
    mol = gto.M(atom=atoms, basis="cc-pvdz", charge=charge, verbose=0)
    mf = x2c.UHF(mol)
    mf.conv_tol = 1e-13
    mf.conv_tol_grad = 1e-6
    mf.kernel()
    assert mf.converged
    overlap = mf.get_ovlp()
    c = kramers_pairs(mol, mf.mo_energy, mf.mo_coeff, overlap)[:, :arguments.spinors]
    assert np.allclose(c.conj().T @ overlap @ c, np.eye(arguments.spinors), atol=1e-12)
    n = arguments.spinors
    h = c.conj().T @ mf.get_hcore() @ c
    eri = ao2mo.kernel(mol, c, intor="int2e_spinor").reshape(n, n, n, n)
    opened = gzip.open if arguments.file.endswith(".gz") else open
    with opened(arguments.file, "wt") as out:
        print(f" &FCI NORB={n},NELEC={electrons},MS2=0,TREL=.TRUE.,\n &END", file=out)

        def line(value, *indices):
            if abs(value) > 1e-14:
                print(f"({value.real:.15g},{value.imag:.15g})", *indices, file=out)
        for p, q, r, s in np.ndindex(n, n, n, n):
            if (p, q, r, s) == min((p, q, r, s), (r, s, p, q), (q, p, s, r), (s, r, q, p)):
                line(eri[p, q, r, s], p + 1, q + 1, r + 1, s + 1)
        for p in range(n):
            for q in range(p + 1):
                line(h[p, q], p + 1, q + 1, 0, 0)
        line(complex(mol.energy_nuc()), 0, 0, 0, 0)


main()
