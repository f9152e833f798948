"""Full CI over spinors for PySCF."""
import numpy as np
from pyscf import ao2mo
from pyscf.fci import cistring, direct_spin1, fci_dhf_slow
from pyscf.lib import logger

from .. import _cisolve
from .._calls import enter, keys, machine
from .._hamiltonian import Hamiltonian
from .log import told_by
from .stored_solver import StoredSolver


class SpinorFCI(StoredSolver, fci_dhf_slow.FCI):
    """Full CI of complex integrals over spinors or general spin orbitals (GHF, X2C, Dirac–Hartree–Fock),
    in the place of PySCF's fci.fci_dhf_slow.FCI. Integrals, coefficients and densities (make_rdm1,
    make_rdm12) are as there: ci has one complex number for each of cistring's strings. spin_square
    raises NotImplementedError, because spinors have no spin.

    Attributes
    ----------
    nroots, conv_tol, max_cycle, converged
        As fci.fci_dhf_slow has them.
    backend, threads, memory_limit, verify, residual_tol, pspace_size, verified, result
        As FCI.
    """

    def kernel(self, h1e, eri, norb, nelec, ci0=None, tol=None, lindep=None, max_cycle=None,
               max_space=None, nroots=None, davidson_only=None, pspace_size=None, orbsym=None,
               wfnsym=None, ecore=0, **kwargs):
        """Energies and CI vectors of the `nroots` lowest states, lists if nroots > 1.

        Parameters
        ----------
        h1e, eri
            norb × norb and norb⁴, chemists' order; real ones may be packed.
        norb
            Number of spinors.
        nelec
            Number of electrons.
        ci0
            Start vectors.
        tol, max_cycle, nroots, pspace_size
            In the place of conv_tol, max_cycle, nroots and pspace_size.
        ecore
            Added to the energies.
        lindep, max_space, davidson_only, orbsym, wfnsym, kwargs
            Accepted, without effect.
        """
        nelec = int(np.sum(nelec))
        self.norb, self.nelec = norb, nelec
        nroots = nroots or self.nroots
        if np.size(eri) != norb**4:
            eri = ao2mo.restore(1, eri, norb)
        strings = cistring.num_strings(norb, nelec)
        if nelec == 0:
            found, vectors, energies = None, np.ones((1, 1), complex), np.array([ecore])
        else:
            hamiltonian = Hamiltonian.from_spinors(h1e, np.reshape(eri, (norb,) * 4), nelec, ecore)
            found = self._solve(hamiltonian, strings, min(nroots, strings), ci0, tol, max_cycle,
                                pspace_size)
            vectors, energies = found.ci, found.energies
        self.result, self.verified = found, found is None or found.verified
        self.eci = energies
        self.ci = [vector.view(direct_spin1.FCIvector) for vector in vectors]
        self.converged = np.array([True] if found is None else [s.converged for s in found])
        if nroots == 1:
            self.eci, self.ci = self.eci[0], self.ci[0]
            self.converged = bool(self.converged[0])
        return self.eci, self.ci

    def _solve(self, hamiltonian, strings, nroots, ci0, tol, max_cycle, pspace_size):
        tol = self.conv_tol if tol is None else tol
        small = strings <= (pspace_size or self.pspace_size)
        start = None
        if ci0 is not None and not callable(ci0):
            start = np.reshape(ci0, (-1, strings)).T
        with told_by(self):
            found = hamiltonian.eigenstates(
                nroots, v0=start, tol=self.residual_tol or min(1e-6, np.sqrt(tol)),
                maxiter=max_cycle or self.max_cycle, verify=self.verify, backend=self.backend,
                threads=self.threads, memory_limit=self.memory_limit, analysis=False,
                options={"solver.p_space": strings} if small else None)
        for note in found.notes:
            logger.debug(self, "cisolve: %s", note)
        return found

    def contract_2e(self, eri, fcivec, norb, nelec, link_index=None, **kwargs):
        """PySCF's, also of real integrals and a complex vector."""
        element = np.result_type(eri, fcivec)
        return super().contract_2e(np.asarray(eri, element), np.asarray(fcivec, element), norb, nelec,
                                   link_index, **kwargs)

    def contract_1e(self, f1e, fcivec, norb, nelec, link_index=None, **kwargs):
        raise NotImplementedError("cisolve.pyscf.SpinorFCI: contract_1e; absorb_h1e and contract_2e "
                                  "have h1e in eri")

    def _densities(self, fcivec, norb, nelec, two):
        """⟨p† q⟩ and, if `two`, ⟨p† r† s q⟩ of a vector; real if it is."""
        enter()
        vector = np.ascontiguousarray(np.ravel(fcivec), complex).view(float)
        where = keys(None, **machine(self.backend, self.threads, self.memory_limit))
        one, pairs = _cisolve.spinor_string_densities(norb, nelec, vector, two, where)
        made = one[0, 0].T, pairs[0] if two else None
        return made if np.iscomplexobj(fcivec) else tuple(x if x is None else x.real for x in made)

    def make_rdm1(self, fcivec, norb, nelec, link_index=None):
        """⟨p† q⟩, norb × norb.

        Parameters
        ----------
        fcivec
            A CI vector.
        norb, nelec
            Numbers of spinors and of electrons.
        link_index
            Accepted, without effect.
        """
        nelec = int(np.sum(nelec))
        if nelec == 0:
            return np.zeros((norb, norb), np.asarray(fcivec).dtype)
        return self._densities(fcivec, norb, nelec, False)[0]

    def make_rdm12(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """⟨p† q⟩ and ⟨p† r† s q⟩, in the order p, q, r, s.

        Parameters
        ----------
        fcivec, norb, nelec, link_index
            As make_rdm1 has them.
        reorder
            False: PySCF's own code gives ⟨p† q r† s⟩.
        """
        nelec = int(np.sum(nelec))
        if not reorder or nelec == 0:
            return super().make_rdm12(fcivec, norb, nelec, link_index, reorder)
        return self._densities(fcivec, norb, nelec, True)

    def make_rdm2(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """The second of make_rdm12."""
        return self.make_rdm12(fcivec, norb, nelec, link_index, reorder)[1]

    def spin_square(self, fcivec, norb, nelec):
        raise NotImplementedError("cisolve.pyscf.SpinorFCI: spinors have no spin")
