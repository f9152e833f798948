"""Densities of CI vectors in PySCF's protocol, by cisolve."""
import numpy as np
from pyscf import lib
from pyscf.fci import direct_spin1
from pyscf.fci.direct_spin1 import _unpack_nelec

from .. import _cisolve
from .._calls import enter, keys, machine
from .._cisolve import InputError
from .._gpu import in_host_memory, on_gpu
from .._hamiltonian import Hamiltonian


def columns(vectors):
    """A block of the vectors; of a single one where it lies, if it can be."""
    if len(vectors) == 1:
        return np.ascontiguousarray(np.reshape(vectors[0], (-1, 1)), np.float64)
    return np.ascontiguousarray(np.transpose([np.ravel(v) for v in vectors]), np.float64)


def flat(array):
    return np.ascontiguousarray(np.ravel(in_host_memory(array, "CI vectors")), np.float64)


class Densities(direct_spin1.FCISolver):
    """A solver of PySCF's whose densities up to the three-particle one are cisolve's.

    They call each other by the class: a state average's methods of the same names are others.
    """

    def _empty(self, norb, nelec):
        """A Hamiltonian of these electrons: for densities the integrals do not matter."""
        enter()
        return Hamiltonian(np.zeros((norb, norb)), np.zeros((norb * (norb + 1) // 2,) * 2), norb,
                           _unpack_nelec(nelec, self.spin))._library()

    def _where(self):
        return keys(None, **machine(self.backend, self.threads, self.memory_limit))

    def _densities(self, vectors, norb, nelec, two):
        """cisolve's densities of real whole vectors."""
        vectors = [np.asarray(in_host_memory(v, "CI vectors"), np.float64) for v in vectors]
        if len({v.size for v in vectors}) > 1:
            raise InputError("CI vectors: found shapes "
                             + " and ".join(str(v.shape) for v in vectors) + ", expected the same")
        return _cisolve.densities(self._empty(norb, nelec), columns(vectors), two, self._where())

    def _own(self, norb, nelec, *vectors):
        """True if cisolve takes the vectors: at least one orbital and electron. Vectors that are
        not real are refused, because PySCF would read their memory as real numbers."""
        for v in vectors:
            kind = v.dtype if on_gpu(v) else np.asarray(v).dtype
            if kind.kind not in "fiub":
                raise InputError(f"CI vectors: found elements of type {kind}, expected real numbers")
        return norb > 0 and np.sum(nelec) > 0

    @lib.with_doc(direct_spin1.make_rdm1s.__doc__)
    def make_rdm1s(self, fcivec, norb, nelec, link_index=None):
        if not self._own(norb, nelec, fcivec):
            return super().make_rdm1s(fcivec, norb, nelec, link_index)
        return tuple(self._densities([fcivec], norb, nelec, False)[0][0, 0])

    @lib.with_doc(direct_spin1.make_rdm1.__doc__)
    def make_rdm1(self, fcivec, norb, nelec, link_index=None):
        return sum(Densities.make_rdm1s(self, fcivec, norb, nelec, link_index))

    @lib.with_doc(direct_spin1.make_rdm12s.__doc__)
    def make_rdm12s(self, fcivec, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, nelec, fcivec):
            return super().make_rdm12s(fcivec, norb, nelec, link_index, reorder)
        one, two = self._densities([fcivec], norb, nelec, True)
        return tuple(one[0, 0]), tuple(two[0])

    @lib.with_doc(direct_spin1.make_rdm12.__doc__)
    def make_rdm12(self, fcivec, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, nelec, fcivec):
            return super().make_rdm12(fcivec, norb, nelec, link_index, reorder)
        (a, b), (aa, ab, bb) = Densities.make_rdm12s(self, fcivec, norb, nelec)
        return a + b, aa + ab + ab.transpose(2, 3, 0, 1) + bb

    @lib.with_doc(direct_spin1.make_rdm12.__doc__)
    def make_rdm2(self, fcivec, norb, nelec, link_index=None, reorder=True):
        return Densities.make_rdm12(self, fcivec, norb, nelec, link_index, reorder)[1]

    @lib.with_doc(direct_spin1.make_rdm123.__doc__)
    def make_rdm123(self, fcivec, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, nelec, fcivec):
            return super().make_rdm123(fcivec, norb, nelec, link_index, reorder)
        one, two = Densities.make_rdm12(self, fcivec, norb, nelec)
        three = _cisolve.three_particle_density(self._empty(norb, nelec), flat(fcivec), self._where())
        return one, two, three.reshape((norb,) * 6).transpose(0, 3, 1, 4, 2, 5)

    def _contracted_rdm4(self, fcivec, norb, nelec, integrals):
        """⟨i†_σ j†_τ k†_υ l_σ m_τ V_cυ⟩ at [i, j, k, l, m, c], summed over spins;
        V_c = Σ_edf (ce|df) a_e E_df of integrals[c, e, d, f]."""
        return _cisolve.contracted_four_particle_density(
            self._empty(norb, nelec), flat(fcivec), flat(integrals), self._where()
        ).reshape((norb,) * 6)

    @lib.with_doc(direct_spin1.trans_rdm1s.__doc__)
    def trans_rdm1s(self, cibra, ciket, norb, nelec, link_index=None):
        if not self._own(norb, nelec, cibra, ciket):
            return super().trans_rdm1s(cibra, ciket, norb, nelec, link_index)
        return tuple(self._densities([cibra, ciket], norb, nelec, False)[0][0, 1])

    @lib.with_doc(direct_spin1.trans_rdm1.__doc__)
    def trans_rdm1(self, cibra, ciket, norb, nelec, link_index=None):
        return sum(Densities.trans_rdm1s(self, cibra, ciket, norb, nelec, link_index))

    @lib.with_doc(direct_spin1.trans_rdm12s.__doc__)
    def trans_rdm12s(self, cibra, ciket, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, nelec, cibra, ciket):
            return super().trans_rdm12s(cibra, ciket, norb, nelec, link_index, reorder)
        bra, ket = flat(cibra), flat(ciket)
        one, (aa, ab, bb) = _cisolve.transition_densities(self._empty(norb, nelec), bra, ket,
                                                          self._where())
        return tuple(one), (aa, ab, ab.transpose(2, 3, 0, 1), bb)

    @lib.with_doc(direct_spin1.trans_rdm12.__doc__)
    def trans_rdm12(self, cibra, ciket, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, nelec, cibra, ciket):
            return super().trans_rdm12(cibra, ciket, norb, nelec, link_index, reorder)
        one, two = Densities.trans_rdm12s(self, cibra, ciket, norb, nelec)
        return sum(one), sum(two)
