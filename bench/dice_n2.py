#!/usr/bin/env python3
"""Integrals of an example that is published with its output: N2 at 2.5 bohr in 6-31G, all electrons,
canonical orbitals (Dice's examples/DQMC/n2_631g in github.com/sanshar/Dice, n2.py and dice.out).

    python3 bench/dice_n2.py FCIDUMP

Orbitals belong to irreps of D2h: pairs of equal energy are then along the axes, as in that output;
which determinants are selected depends on it. Needs PySCF.
"""
import sys

from pyscf import gto, scf, tools

molecule = gto.M(atom="N -1.25 0 0; N 1.25 0 0", unit="Bohr", basis="6-31g", symmetry="D2h",
                 verbose=0)
field = scf.RHF(molecule).run(conv_tol=1e-12)
print(f"restricted Hartree-Fock {field.e_tot:.10f}")
tools.fcidump.from_scf(field, sys.argv[1], tol=1e-14)
