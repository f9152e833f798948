"""Rows of a solve in PySCF's CI vectors."""
import numpy as np
from pyscf.fci import cistring, direct_spin1

from .. import _cisolve


class Rows:
    """All determinants, or those of one irrep, which the library has in an order of its own."""

    def __init__(self, hamiltonian, norb, nelec, irrep):
        self._shape = tuple(cistring.num_strings(norb, n) for n in nelec)
        self._places = None
        self.size = self._shape[0] * self._shape[1]
        if irrep is not None:
            masks = _cisolve.determinants(hamiltonian._library(irrep=irrep))
            a, b = (cistring.strs2addr(norb, n, masks[spin].astype(np.int64))
                    for n, spin in zip(nelec, ("alpha", "beta")))
            self._places = a * self._shape[1] + b
            self.size = self._places.size

    def part(self, whole):
        """The rows of one of PySCF's vectors."""
        flat = np.ravel(whole)
        return flat if self._places is None else flat[self._places]

    def whole(self, x):
        """PySCF's vector of these rows."""
        if self._places is not None:
            x, part = np.zeros(self._shape[0] * self._shape[1]), x
            x[self._places] = part
        return np.ascontiguousarray(x).reshape(self._shape).view(direct_spin1.FCIvector)
