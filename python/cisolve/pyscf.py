"""A full CI solver for PySCF: `mc.fcisolver = cisolve.pyscf.FCI(mol)`.

States, spin-resolved one- and two-particle densities and transition densities come from cisolve;
what else PySCF's protocol has (contract_2e, absorb_h1e, make_hdiag, pspace, spin_square, large_ci,
transform_ci_for_orbital_rotation, densities of third and fourth order, transition two-particle
densities) is PySCF's own, on the same vectors: coefficients are those of fci.direct_spin1.
"""
import numpy as np
from pyscf import lib, symm
from pyscf.fci import addons, cistring, direct_spin1
from pyscf.fci.direct_spin1 import _unpack_nelec
from pyscf.lib import logger

from . import _cisolve
from ._calls import enter, keys, machine
from ._hamiltonian import Hamiltonian


def _same_spin(ss):
    """2S + 1 of ⟨S²⟩ = S(S + 1)."""
    return int(round(np.sqrt(4.0 * ss + 1.0)))


class FCI(direct_spin1.FCISolver):
    """Full CI of restricted orbitals and real integrals, any M_s.

    Attributes beside those of fci.direct_spin1 (nroots, spin, conv_tol, max_cycle, orbsym, wfnsym,
    converged, …):

    backend, threads, memory_limit   where, as cisolve.eigsh has them
    operator        'auto', 'direct', 'stored'
    verify          the search for lower states: 'quick' (default: a quarter of the solve's time,
                    0.1 s at least), 'off', 'default', 'thorough'; what it says is in `verified`
    residual_tol    residual norm of a converged state; None: the square root of conv_tol, at most
                    1e-6
    spin_inversion  'even' (spins 0, 2 …), 'odd': half the work, of as many alpha as beta electrons
    result          the last solve's States

    fix_spin_ takes the states of that spin alone, by a projector and without a shift. With
    symmetry (mol.symmetry) states are those of wfnsym, or where it is None, as in PySCF, of the
    irrep of the open shells of the first orbitals.
    """

    _keys = {"backend", "threads", "memory_limit", "operator", "verify", "residual_tol",
             "spin_inversion", "verified", "result", "wfnsym"}

    def __init__(self, mol=None):
        super().__init__(mol)
        self.backend = self.threads = self.memory_limit = None
        self.operator = self.residual_tol = self.spin_inversion = None
        self.verify = "quick"
        self.wfnsym = None
        self.verified = False
        self.result = None

    def dump_flags(self, verbose=None):
        super().dump_flags(verbose)
        log = logger.new_logger(self, verbose)
        log.info("cisolve: backend %s, operator %s, verify %s, wfnsym %s", self.backend or "auto",
                 self.operator or "auto", self.verify, self.wfnsym)
        return self

    def _irrep(self, nelec, orbsym, wfnsym):
        """Number from 0 of the irrep of the states, or None: of all."""
        if orbsym is None or (wfnsym is None and not getattr(self.mol, "symmetry", False)):
            return None
        if wfnsym is None:
            wfnsym = 0
            for irrep in orbsym[min(nelec):max(nelec)]:
                wfnsym ^= irrep % 10
        elif isinstance(wfnsym, str):
            wfnsym = symm.irrep_name2id(self.mol.groupname, wfnsym)
        return int(wfnsym) % 10

    def _multiplicity(self, nelec):
        """2S + 1 that fix_spin_ asks for; None: it was not called."""
        if not hasattr(self, "ss_penalty"):
            return None
        if self.ss_value is not None:
            return _same_spin(self.ss_value)
        return abs(nelec[0] - nelec[1]) + 1

    def _options(self, tol, max_cycle):
        tol = self.conv_tol if tol is None else tol
        residual = self.residual_tol or min(1e-6, np.sqrt(tol))
        # A cycle of PySCF's is an iteration here.
        return {"tol": residual, "maxiter": max_cycle or self.max_cycle, "verify": self.verify,
                "operator": self.operator, "backend": self.backend, "threads": self.threads,
                "memory_limit": self.memory_limit, "analysis": False}

    def kernel(self, h1e, eri, norb, nelec, ci0=None, tol=None, lindep=None, max_cycle=None,
               max_space=None, nroots=None, davidson_only=None, pspace_size=None, orbsym=None,
               wfnsym=None, ecore=0, **kwargs):
        """Energies and CI vectors of the `nroots` lowest states, lists where nroots > 1."""
        if isinstance(h1e, (tuple, list)) or np.ndim(h1e) != 2:
            raise NotImplementedError("cisolve.pyscf.FCI: integrals of unrestricted orbitals")
        nroots = nroots or self.nroots
        self.norb, self.nelec = norb, _unpack_nelec(nelec, self.spin)
        nelec = self.nelec
        orbsym = self.orbsym if orbsym is None else orbsym
        irrep = self._irrep(nelec, orbsym, self.wfnsym if wfnsym is None else wfnsym)
        hamiltonian = Hamiltonian(h1e, eri, norb, nelec, ecore, orbsym if irrep is not None else None)
        shape = tuple(cistring.num_strings(norb, n) for n in nelec)
        places = None if irrep is None else self._places(hamiltonian, norb, nelec, irrep)
        nroots = min(nroots, shape[0] * shape[1] if places is None else places.size)
        found = hamiltonian.eigenstates(
            nroots, irrep=irrep, spin_inversion=self.spin_inversion,
            multiplicity=self._multiplicity(nelec), v0=self._start(ci0, places),
            **self._options(tol, max_cycle))
        for note in found.notes:
            logger.debug(self, "cisolve: %s", note)
        self.result, self.verified = found, found.verified
        converged = np.array([state.converged for state in found])
        energies = found.energies
        vectors = [self._whole(x, places, shape) for x in found.vectors.T]
        self.eci, self.ci, self.converged = energies, vectors, converged
        if nroots == 1:
            self.eci, self.ci, self.converged = energies[0], vectors[0], bool(converged[0])
        return self.eci, self.ci

    def _places(self, hamiltonian, norb, nelec, irrep):
        """Where the determinants of an irrep lie in a whole vector, in the library's order."""
        masks = _cisolve.determinants(hamiltonian._library(irrep=irrep))
        a, b = (cistring.strs2addr(norb, n, masks[spin].astype(np.int64))
                for n, spin in zip(nelec, ("alpha", "beta")))
        return a * cistring.num_strings(norb, nelec[1]) + b

    def _whole(self, x, places, shape):
        if places is not None:
            x, part = np.zeros(shape[0] * shape[1]), x
            x[places] = part
        return np.ascontiguousarray(x).reshape(shape).view(direct_spin1.FCIvector)

    def _start(self, ci0, places):
        """Start vectors, where there are some that can be used: real ones with something in the
        irrep."""
        if ci0 is None or callable(ci0):
            return None
        vectors = ci0 if isinstance(ci0, (list, tuple)) or np.ndim(ci0) == 3 else [ci0]
        vectors = [np.asarray(v).ravel() for v in vectors]
        if any(v.dtype.kind == "c" or not np.isfinite(v).all() for v in vectors):
            return None
        start = np.transpose(vectors if places is None else [v[places] for v in vectors])
        return np.ascontiguousarray(start) if np.linalg.norm(start, axis=0).all() else None

    def guess_wfnsym(self, norb, nelec, fcivec=None, orbsym=None, wfnsym=None, **kwargs):
        if fcivec is None:
            return self._irrep(_unpack_nelec(nelec, self.spin),
                               self.orbsym if orbsym is None else orbsym, wfnsym)
        return addons.guess_wfnsym(fcivec, norb, nelec, self.orbsym if orbsym is None else orbsym)

    # ---- Densities ---------------------------------------------------------------------------
    # They call each other by the class: a state average's methods of the same names are others.

    def _densities(self, vectors, norb, nelec, two):
        """cisolve's densities of real whole vectors; the integrals do not matter."""
        enter()
        nelec = _unpack_nelec(nelec, self.spin)
        empty = Hamiltonian(np.zeros((norb, norb)), np.zeros((norb * (norb + 1) // 2,) * 2), norb,
                            nelec)._library()
        columns = np.ascontiguousarray(np.transpose([np.asarray(v).ravel() for v in vectors]))
        return _cisolve.densities(empty, columns, two,
                                  keys(None, **machine(self.backend, self.threads,
                                                       self.memory_limit)))

    def _own(self, norb, *vectors):
        """Whether cisolve takes them: real, and not empty."""
        return norb > 0 and all(np.asarray(v).dtype == np.float64 for v in vectors)

    @lib.with_doc(direct_spin1.make_rdm1s.__doc__)
    def make_rdm1s(self, fcivec, norb, nelec, link_index=None):
        if not self._own(norb, fcivec):
            return super().make_rdm1s(fcivec, norb, nelec, link_index)
        return tuple(self._densities([fcivec], norb, nelec, False)[0][0, 0])

    @lib.with_doc(direct_spin1.make_rdm1.__doc__)
    def make_rdm1(self, fcivec, norb, nelec, link_index=None):
        return sum(FCI.make_rdm1s(self, fcivec, norb, nelec, link_index))

    @lib.with_doc(direct_spin1.make_rdm12s.__doc__)
    def make_rdm12s(self, fcivec, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, fcivec):
            return super().make_rdm12s(fcivec, norb, nelec, link_index, reorder)
        one, two = self._densities([fcivec], norb, nelec, True)
        return tuple(one[0, 0]), tuple(two[0])

    @lib.with_doc(direct_spin1.make_rdm12.__doc__)
    def make_rdm12(self, fcivec, norb, nelec, link_index=None, reorder=True):
        if not reorder or not self._own(norb, fcivec):
            return super().make_rdm12(fcivec, norb, nelec, link_index, reorder)
        (a, b), (aa, ab, bb) = FCI.make_rdm12s(self, fcivec, norb, nelec)
        return a + b, aa + ab + ab.transpose(2, 3, 0, 1) + bb

    @lib.with_doc(direct_spin1.make_rdm12.__doc__)
    def make_rdm2(self, fcivec, norb, nelec, link_index=None, reorder=True):
        return FCI.make_rdm12(self, fcivec, norb, nelec, link_index, reorder)[1]

    @lib.with_doc(direct_spin1.trans_rdm1s.__doc__)
    def trans_rdm1s(self, cibra, ciket, norb, nelec, link_index=None):
        if not self._own(norb, cibra, ciket):
            return super().trans_rdm1s(cibra, ciket, norb, nelec, link_index)
        return tuple(self._densities([cibra, ciket], norb, nelec, False)[0][0, 1])

    @lib.with_doc(direct_spin1.trans_rdm1.__doc__)
    def trans_rdm1(self, cibra, ciket, norb, nelec, link_index=None):
        return sum(FCI.trans_rdm1s(self, cibra, ciket, norb, nelec, link_index))
