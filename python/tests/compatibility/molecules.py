"""Small molecules with their SCF, each computed once and left as it is."""
from functools import lru_cache

import numpy as np
from pyscf import gto, scf

GEOMETRY = {
    "n2": "N 0 0 0; N 0 0 1.2",
    "o2": "O 0 0 0; O 0 0 1.21",
    "water": "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587",
    "lih": "Li 0 0 0; H 0 0 1.6",
    "ch2": "C 0 0 0; H 0 0.99 0.37; H 0 -0.99 0.37",
    "oh": "O 0 0 0; H 0 0 0.97",
    "hof": "O 0 0 0; H 0.97 0 0; F -0.2 1.42 0",
    "h4": "H 0 0 0; H 0 0 1.2; H 0 1.3 0; H 0 1.4 1.25",
    "ethylene": "C 0 0 0.67; C 0 0 -0.67; H 0 0.92 1.24; H 0 -0.92 1.24; "
                "H 0 0.92 -1.24; H 0 -0.92 -1.24",
}
SPIN = {"o2": 2, "ch2": 2, "oh": 1}


def molecule(name, basis="sto-3g", **options):
    return gto.M(atom=GEOMETRY[name], basis=basis, verbose=0, spin=SPIN.get(name, 0), **options)


@lru_cache(None)
def hartree_fock(name, basis="sto-3g", method="RHF", **options):
    mol = molecule(name, basis, **options)
    if method == "RHF" and mol.spin:
        method = "ROHF"
    return getattr(scf, method)(mol).run(conv_tol=1e-11)


def occupations(mc):
    """Occupations of natural orbitals, ascending: mirror images of a solution have equal ones."""
    overlap = mc.mol.intor("int1e_ovlp")
    return np.sort(np.linalg.eigvals(mc.make_rdm1() @ overlap).real)
