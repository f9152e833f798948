"""Strongly contracted NEVPT2 over cisolve's three- and four-particle densities.

PySCF's mrpt.NEVPT does all but those, which take most of its time from ten orbitals on.
Angeli, Cimiraglia and Malrieu, J. Chem. Phys. 2002, 117, 9138.
"""
import numpy as np
from pyscf import ao2mo
from pyscf.fci import cistring
from pyscf.mcscf.addons import StateAverageFCISolver
from pyscf.mrpt import nevpt2

from .._cisolve import InputError


def _einsum(subscripts, *operands):
    return np.einsum(subscripts, *operands, optimize=True)


def _behind_two(one, two, three):
    """⟨E_ij E_kl a†_m X_c⟩ at [i, j, k, l, m, c], summed over spins, from
        one[i, c] = ⟨i† X_c⟩,  two[i, k, l, c] = ⟨i†_σ k†_τ l_σ X_cτ⟩,
        three[i, k, m, j, l, c] = ⟨i†_σ k†_τ m†_υ j_σ l_τ X_cυ⟩.
    """
    unit = np.eye(len(one))
    made = -three.transpose(0, 3, 1, 4, 2, 5)
    made += _einsum("jk,lm,ic->ijklmc", unit, unit, one)
    made -= _einsum("jk,imlc->ijklmc", unit, two)
    made -= _einsum("lm,ikjc->ijklmc", unit, two)
    made -= _einsum("jm,kilc->ijklmc", unit, two)
    return made


def excitations(one, two, three):
    """⟨E_ij⟩, ⟨E_ij E_kl⟩ and ⟨E_ij E_kl E_mn⟩, PySCF's densities before they are reordered, from
    ⟨i† j⟩, ⟨i† k† l j⟩ and ⟨i† k† m† n l j⟩, PySCF's after."""
    pairs = two + _einsum("jk,il->ijkl", np.eye(len(one)), one)
    return one, pairs, _behind_two(one, -two.transpose(0, 2, 1, 3), -three.transpose(0, 2, 4, 1, 3, 5))


def contracted(h2, left, pairs, triples, electrons):
    """Contractions of the four-particle density that NEVPT2 needs, PySCF's f3ca and f3ac:
        f3ca[i, j, k, l, a, c] = Σ_edf (ce|df) ⟨E_ij E_kl E_ae E_df⟩,
        f3ac[i, j, k, l, a, c] = Σ_edf (ae|df) ⟨E_ij E_kl E_ec E_df⟩.
    h2[c, e, d, f] = (ce|df); left[i, k, m, j, l, c] = ⟨i†_σ k†_τ m†_υ j_σ l_τ V_cυ⟩ with
    V_c = Σ_edf (ce|df) a_e E_df; pairs and triples are those of `excitations`; at least three
    electrons. f3ac is ⟨E_ij E_kl V†_a a_c⟩. In its conjugate V_a is brought to the right; the
    commutators with E_lk and E_ji leave three-particle terms only."""
    two = _einsum("ikmjkc->imjc", left) / (electrons - 2)
    one = -_einsum("imic->mc", two) / (electrons - 1)
    unit = np.eye(len(one))
    ca = _behind_two(one, two, left)

    single = _einsum("jk,ic->ijkc", unit, one) - two.transpose(0, 2, 1, 3)  # ⟨E_ij k† V_c⟩
    ac = ca.transpose(3, 2, 1, 0, 5, 4).copy()  # ⟨E_lk E_ji c† V_a⟩ at [i, j, k, l, a, c]
    ac -= _einsum("ic,lkja->ijklac", unit, single)
    ac -= _einsum("kc,jila->ijklac", unit, single)
    ac += _einsum("kc,il,ja->ijklac", unit, unit, one)
    # c† E_lk [V_a, E_ji]
    ac += _einsum("ajdf,cilkdf->ijklac", h2, triples)
    ac -= _einsum("li,ajdf,ckdf->ijklac", unit, h2, pairs)
    ac += _einsum("aedj,celkdi->ijklac", h2, triples) - _einsum("aldj,ckdi->ijklac", h2, pairs)
    ac -= _einsum("aeif,celkjf->ijklac", h2, triples) - _einsum("alif,ckjf->ijklac", h2, pairs)
    # c† [V_a, E_lk] E_ji
    ac += _einsum("aldf,ckdfji->ijklac", h2, triples)
    ac += _einsum("aedl,cedkji->ijklac", h2, triples)
    ac -= _einsum("aekf,celfji->ijklac", h2, triples)
    # E_ec E_df in the order of V†_a a_c
    ac += _einsum("aecf,ijklef->ijklac", h2, triples)
    ac -= _einsum("aede,ijkldc->ijklac", h2, triples)
    return ca, ac


class _Intermediates:
    """The questions of nevpt2 to a solver with its own densities, for a NEVPT object."""

    def __init__(self, nevpt, solver):
        self._nevpt, self._solver = nevpt, solver
        self.nroots = nevpt.fcisolver.nroots
        self._triples = self._contracted = None

    def _make_dm123(self, ci, ncas, nelecas, link_index):
        self._pairs, self._triples = excitations(*self._solver.make_rdm123(ci, ncas, nelecas))[1:]
        return np.einsum("ijkk->ij", self._pairs) / sum(nelecas), self._pairs, self._triples

    def nevpt_intermediate(self, kind, ncas, nelecas, ci):
        nevpt = self._nevpt
        if self._contracted is None:
            active = nevpt.mo_coeff[:, nevpt.ncore:nevpt.ncore + ncas]
            h2 = ao2mo.restore(1, nevpt._mc.get_h2eff(active), ncas)
            self._integrals = nevpt.h1e_for_cas(nevpt.mo_coeff)[0], h2
            left = self._solver._contracted_rdm4(ci, ncas, nelecas, h2)
            self._contracted = contracted(h2, left, self._pairs, self._triples, sum(nelecas))
        h1, h2 = self._integrals
        make = {"A16": nevpt2.make_a16, "A22": nevpt2.make_a22}[kind]
        dms = {"1": None, "2": self._pairs, "3": self._triples,
               "f3ca": self._contracted[0], "f3ac": self._contracted[1]}
        return make(h1, h2.transpose(0, 2, 1, 3), dms, ci, ncas, nelecas)


class NEVPT(nevpt2.NEVPT):
    """pyscf.mrpt.NEVPT(mc, root) of a CASCI or CASSCF object, any real CI solver, whose densities are
    made by cisolve: with the backend, threads and memory_limit of mc.fcisolver where that is
    cisolve's. Use and results are PySCF's: `NEVPT(mc).kernel()` is the correlation energy in
    Hartree. Fewer than three active electrons are left to PySCF. Complex vectors raise InputError."""

    def kernel(self):
        from ..pyscf import FCI

        vectors = np.asarray(self.load_ci())
        solver = self.fcisolver if isinstance(self.fcisolver, FCI) else FCI(self.mol)
        if isinstance(self.fcisolver, StateAverageFCISolver):
            return super().kernel()  # which refuses
        if vectors.dtype.kind == "c":
            raise InputError("NEVPT: found a complex CI vector, expected a real one")
        if sum(self.nelecas) < 3:
            return super().kernel()
        expected = tuple(cistring.num_strings(self.ncas, n) for n in self.nelecas)
        if vectors.shape != expected:
            raise InputError(f"NEVPT: found a CI vector of shape {vectors.shape}, expected that of "
                             f"full CI, {expected}")
        own, self.fcisolver = self.fcisolver, _Intermediates(self, solver)
        try:
            return super().kernel()
        finally:
            self.fcisolver = own
