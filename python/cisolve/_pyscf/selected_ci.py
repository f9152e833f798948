"""PySCF's selected CI over fixed strings, solved and made into densities by cisolve."""
import numpy as np
from pyscf import lib
from pyscf.fci import selected_ci
from pyscf.fci.direct_spin1 import _unpack_nelec

from .. import _cisolve
from .._calls import keys, machine
from .._cisolve import InputError
from .._hamiltonian import Hamiltonian
from .._strings import ascending, carried, lowest_states, penalty
from .log import told_by
from .stored_solver import StoredSolver


def _strings_of(vector, strings=None):
    return ascending(getattr(vector, "_strs", strings), "ci_strs")


def _tagged(vector, strings):
    vector = np.ascontiguousarray(vector).view(selected_ci.SCIvector)
    vector._strs = strings
    return vector


class SelectedCI(StoredSolver, selected_ci.SelectedCI):
    """Full CI over all pairs of chosen alpha and beta strings, of restricted orbitals and real integrals,
    in the place of PySCF's fci.selected_ci.SelectedCI.

    kernel_fixed_space, make_rdm1, make_rdm1s, make_rdm2, make_rdm2s, make_rdm12 and make_rdm12s are
    cisolve's, with PySCF's arguments and results. The rest is PySCF's own, with kernel, which chooses
    strings. fix_spin_ adds PySCF's penalty.

    Attributes
    ----------
    backend, threads, memory_limit
        Where to solve, as cisolve.eigsh.
    verify
        The search for lower states: 'quick' (default), 'off', 'standard' or 'thorough'; `verified` says
        whether it was sufficient.
    residual_tol
        Residual norm of a converged state. None: the square root of conv_tol, at most 1e-6.
    result
        The States of the last solve.
    """

    def kernel_fixed_space(self, h1e, eri, norb, nelec, ci_strs, ci0=None, tol=None, lindep=None,
                           max_cycle=None, max_space=None, nroots=None, davidson_only=None,
                           max_memory=None, verbose=None, ecore=0, **kwargs):
        """Energies and CI vectors over all pairs of the strings, lists if nroots > 1. The strings of a vector
        (`_strs`) ascend.

        Parameters
        ----------
        h1e, eri, norb, nelec
            Integrals, orbitals and electrons, as PySCF has them.
        ci_strs
            Alpha and beta strings.
        ci0
            Start vectors; those over other strings are carried over.
        tol, max_cycle, nroots
            In the place of conv_tol, max_cycle and nroots.
        ecore
            Added to the energies.
        lindep, max_space, davidson_only, max_memory, verbose, kwargs
            Accepted, without effect.
        """
        if isinstance(h1e, (tuple, list)) or np.ndim(h1e) != 2:
            raise NotImplementedError("cisolve.pyscf.SelectedCI: integrals of unrestricted orbitals")
        nelec, nroots = _unpack_nelec(nelec, self.spin), nroots or self.nroots
        strings = ascending(ci_strs, "ci_strs")
        added = None
        if hasattr(self, "ss_penalty"):
            m = 0.5 * abs(nelec[0] - nelec[1])
            ss = m * (m + 1.0) if self.ss_value is None else self.ss_value
            added = penalty(strings, norb, nelec, ss, self.ss_penalty)
        tol = self.conv_tol if tol is None else tol
        with told_by(self):
            found = lowest_states(
                Hamiltonian(h1e, eri, norb, nelec, ecore), strings, nroots,
                self._start(ci0, strings), added, tol=self.residual_tol or min(1e-6, np.sqrt(tol)),
                maxiter=max_cycle or self.max_cycle, verify=self.verify, backend=self.backend,
                threads=self.threads, memory_limit=self.memory_limit)
        self.result, self.verified, self._strs = found, found.verified, strings
        shape = tuple(map(len, strings))
        self.eci = found.energies
        self.ci = [_tagged(x.reshape(shape), strings) for x in found.vectors.T]
        self.converged = np.array([state.converged for state in found])
        if nroots == 1:
            self.eci, self.ci, self.converged = self.eci[0], self.ci[0], bool(self.converged[0])
        return self.eci, self.ci

    def _start(self, ci0, strings):
        """Start vectors over the strings, where there are some with anything over them."""
        if ci0 is None:
            return None
        shape, vectors = tuple(map(len, strings)), []
        for vector in ci0 if isinstance(ci0, (list, tuple)) or np.ndim(ci0) == 3 else [ci0]:
            old = getattr(vector, "_strs", None)
            if old is not None:
                vector = carried(np.asarray(vector), _strings_of(vector), strings)
            elif np.size(vector) != shape[0] * shape[1]:
                raise InputError(f"ci0: found {np.size(vector)} coefficients, expected {shape[0]} x "
                                 f"{shape[1]}")
            if np.any(vector):
                vectors.append(np.ravel(vector))
        return np.array(vectors) if vectors else None

    # ---- Densities ---------------------------------------------------------------------------

    def _densities(self, vector, norb, nelec, two):
        strings = _strings_of(vector, self._strs)
        hamiltonian = Hamiltonian(np.zeros((norb, norb)),  # its integrals do not matter
                                  np.zeros((norb * (norb + 1) // 2,) * 2), norb,
                                  _unpack_nelec(nelec, self.spin))
        block = np.ascontiguousarray(np.reshape(vector, (-1, 1)), np.float64)
        settings = keys(None, **machine(self.backend, self.threads, self.memory_limit))
        return _cisolve.densities(hamiltonian._library(strings=strings), block, two, settings)

    @lib.with_doc(selected_ci.make_rdm1s.__doc__)
    def make_rdm1s(self, civec_strs, norb, nelec, link_index=None):
        return tuple(self._densities(civec_strs, norb, nelec, False)[0][0, 0])

    @lib.with_doc(selected_ci.make_rdm2s.__doc__)
    def make_rdm2s(self, civec_strs, norb, nelec, link_index=None, **kwargs):
        return tuple(self._densities(civec_strs, norb, nelec, True)[1][0])

    @lib.with_doc(selected_ci.make_rdm2.__doc__)
    def make_rdm2(self, civec_strs, norb, nelec, link_index=None, **kwargs):
        return self.make_rdm12(civec_strs, norb, nelec)[1]

    def make_rdm12s(self, civec_strs, norb, nelec, link_index=None, **kwargs):
        one, two = self._densities(civec_strs, norb, nelec, True)
        return tuple(one[0, 0]), tuple(two[0])

    def make_rdm12(self, civec_strs, norb, nelec, link_index=None, **kwargs):
        (a, b), (aa, ab, bb) = self.make_rdm12s(civec_strs, norb, nelec)
        return a + b, aa + ab + ab.transpose(2, 3, 0, 1) + bb
