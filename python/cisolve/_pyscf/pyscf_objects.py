"""Integrals of PySCF's objects."""
from __future__ import annotations

import numpy as np
from pyscf import ao2mo, symm

from .._cisolve import InputError

#: Linear molecules and atoms have irreps that are parts of these groups'.
_SUBGROUP = {"Dooh": "D2h", "SO3": "D2h", "Coov": "C2v"}


def restricted_orbitals(method):
    """The orbitals' coefficients of an object of PySCF's. Raises InputError, which names the object,
    where there are none yet, or others for each spin."""
    name = type(method).__name__
    if not hasattr(method, "mol") or not hasattr(method, "mo_coeff"):
        raise InputError(f"method: found {name}, expected an SCF, CASCI or CASSCF object of PySCF's")
    coefficients = method.mo_coeff
    if coefficients is None:
        raise InputError(f"method: this {name} has no orbitals yet: call its run() before")
    if hasattr(method, "max_cycle_macro") and coefficients is method._scf.mo_coeff:
        raise InputError(f"method: this {name} has the orbitals of the SCF: call its run() before, "
                         "or take a CASCI object")
    if np.ndim(coefficients) != 2 or np.shape(coefficients)[0] != method.mol.nao:
        raise InputError(f"method: found {name}, of orbitals that differ by spin; expected restricted "
                         "ones: an RHF or ROHF object, or method.to_rhf() of these orbitals")
    if np.iscomplexobj(coefficients):
        raise InputError(f"method: this {name} has complex orbitals, expected real ones")
    return np.asarray(coefficients)


def integrals_of(method):
    """Arguments of Hamiltonian, and the point group of the orbitals' irreps or None."""
    coefficients, mol = restricted_orbitals(method), method.mol
    if hasattr(method, "ncas"):
        h1, ecore = method.get_h1eff()
        coefficients = coefficients[:, method.ncore:method.ncore + method.ncas]
        eri, norb, nelec = method.get_h2eff(), method.ncas, method.nelecas
    else:
        h1 = coefficients.T @ method.get_hcore() @ coefficients
        eri = ao2mo.kernel(mol if method._eri is None else method._eri, coefficients)
        norb, nelec, ecore = coefficients.shape[1], mol.nelec, method.energy_nuc()
    if not mol.symmetry:
        return (h1, eri, norb, nelec, ecore), None
    orbsym = symm.label_orb_symm(mol, mol.irrep_id, mol.symm_orb, coefficients)
    return (h1, eri, norb, nelec, ecore, orbsym), _SUBGROUP.get(mol.groupname, mol.groupname)
