"""A full CI solver for PySCF: `mc.fcisolver = cisolve.pyscf.FCI(mol)`; SCI, selected CI, in
_pyscf.sci; SelectedCI, over chosen strings, in _pyscf.selected_ci; SpinorFCI, of complex integrals,
in _pyscf.spinor_fci.

States, products of larger spaces, spin-resolved one- and two-particle densities, transition
densities and the three-particle density (_pyscf.densities) come from cisolve. The rest of PySCF's
protocol (absorb_h1e, make_hdiag, pspace, spin_square, large_ci, transform_ci_for_orbital_rotation,
make_rdm123s, densities of fourth order) is PySCF's own, on the same vectors: coefficients are those
of fci.direct_spin1.
"""
import numpy as np
from pyscf import ao2mo, lib, symm
from pyscf.fci import addons, direct_spin1, direct_spin1_symm
from pyscf.fci.direct_spin1 import _unpack_nelec
from pyscf.lib import logger
from pyscf.lib.exceptions import PointGroupSymmetryError, WfnSymmetryError
from pyscf.scf.hf_symm import map_degeneracy
from pyscf.symm.basis import linearmole_irrep2momentum

from . import _cisolve
from ._calls import enter, keys, machine
from ._gpu import in_host_memory
from ._hamiltonian import Hamiltonian
from ._pyscf.densities import Densities, columns
from ._pyscf.log import told_by
from ._pyscf.nevpt import NEVPT  # noqa: F401 -- found here
from ._pyscf.recipes import recipe, unpickled
from ._pyscf.rows import Rows
from ._pyscf.sci import SCI  # noqa: F401
from ._pyscf.selected_ci import SelectedCI  # noqa: F401
from ._pyscf.spinor_fci import SpinorFCI  # noqa: F401
from ._pyscf.symmetry import AxialMomentum, StateCount, kind_of_states


#: Determinants from which on products are cisolve's; PySCF's take no time in smaller spaces.
_LARGE = 10000
#: Hartree by which integrals of a linear molecule may differ from its symmetry.
_OFF_AXIS = 1e-6
#: Norm squared that a converged state may have of other Λ.
_OTHER_SHARE = 1e-6


def _same_spin(ss):
    """2S + 1 of ⟨S²⟩ = S(S + 1)."""
    return int(round(np.sqrt(4.0 * ss + 1.0)))


class FCI(Densities):
    """Full CI of restricted orbitals and real integrals, any M_s:
    `mc.fcisolver = cisolve.pyscf.FCI(mol)`.

    fix_spin_ takes the states of that spin alone, by a projector and without a shift. With symmetry
    (mol.symmetry) states are those of wfnsym, or where it is None, as in PySCF, of the irrep of the
    start vector, else of the open shells of the first orbitals. Those of linear molecules have the
    right Λ too. If a space has fewer such states than `nroots`, all of them are returned, with a
    warning.

    Parameters
    ----------
    mol
        The molecule; None: `orbsym` gives the irreps of the orbitals, if there are any.

    Attributes
    ----------
    nroots, spin, conv_tol, max_cycle, orbsym, wfnsym, converged
        As fci.direct_spin1 has them.
    backend, threads, memory_limit
        Where to solve, as cisolve.eigsh.
    operator
        'auto' (default), 'direct' (without a stored matrix) or 'stored'.
    verify
        The search for lower states: 'quick' (default: a quarter of the solve's time or products, at
        least 0.1 s), 'off', 'standard' or 'thorough'.
    verified
        Whether the search was sufficient.
    residual_tol
        Residual norm of a converged state. None: the square root of conv_tol, at most 1e-6.
    pspace_size
        Spaces of up to so many determinants (400) are diagonalised whole, as PySCF does.
    spin_inversion
        'even' (spins 0, 2 …) or 'odd': half the work, for as many alpha as beta electrons.
    result
        The States of the last solve.

    Raises
    ------
    NotImplementedError
        The orbitals are unrestricted.
    WfnSymmetryError, PointGroupSymmetryError
        PySCF's, RuntimeErrors: there is no state of that symmetry; the orbitals are not the group's.
    """

    _keys = {"backend", "threads", "memory_limit", "operator", "verify", "residual_tol",
             "spin_inversion", "verified", "result", "wfnsym", "_product"}

    def __init__(self, mol=None):
        super().__init__(mol)
        self.backend = self.threads = self.memory_limit = None
        self.operator = self.residual_tol = self.spin_inversion = None
        self.verify = "quick"
        self.wfnsym = None
        self.verified = False
        self.result = None
        self._product = (None, None)  # the last integrals and their operator

    def __reduce_ex__(self, protocol):
        # Data on a device stays with the original; stdout is this process's, as with PySCF.
        state = super().__getstate__() | {"_product": (None, None)}
        return unpickled, (recipe(type(self)),), state

    def dump_flags(self, verbose=None):
        super().dump_flags(verbose)
        log = logger.new_logger(self, verbose)
        if isinstance(self.wfnsym, (int, np.integer)) and getattr(self.mol, "symmetry", False):
            try:
                symm.irrep_id2name(self.mol.groupname, self.wfnsym)
            except (KeyError, IndexError):
                raise WfnSymmetryError(f"wfnsym: the group {self.mol.groupname} has no irrep "
                                       f"{self.wfnsym}") from None
        log.info("cisolve: backend %s, operator %s, verify %s, wfnsym %s", self.backend or "auto",
                 self.operator or "auto", self.verify, self.wfnsym)
        return self

    def _linear(self):
        """True if irreps are those of a linear molecule, several of which are one of D2h's."""
        return getattr(self.mol, "groupname", None) in ("Dooh", "Coov")

    def _irrep(self, norb, nelec, orbsym, wfnsym, ci0=None):
        """PySCF's number of the irrep of the states, or None: of all. Orbitals' irreps are left alone
        where the molecule is built without symmetry and none is asked for."""
        if orbsym is None or (wfnsym is None and self.mol is not None and not self.mol.symmetry):
            return None
        if wfnsym is None and ci0 is not None and not callable(ci0):
            return int(addons.guess_wfnsym(ci0, norb, nelec, np.asarray(orbsym) % 10))
        try:
            return int(direct_spin1_symm._id_wfnsym(self, norb, nelec, orbsym, wfnsym))
        except (LookupError, AttributeError, TypeError, ValueError, PointGroupSymmetryError):
            group = getattr(self.mol, "groupname", None) or "of no molecule"
            raise WfnSymmetryError(f"wfnsym: found {wfnsym!r}, expected an irrep of the group {group}, "
                                   "by PySCF's name or number") from None

    def _paired(self, orbsym, h1e):
        """The orbitals' irreps; of a linear molecule with the partner of each, as PySCF has them."""
        if orbsym is None or not self._linear():
            return orbsym
        if not hasattr(orbsym, "degen_mapping"):
            try:
                mapping = map_degeneracy(np.diagonal(h1e), np.asarray(orbsym))
            except PointGroupSymmetryError:
                mapping = [len(orbsym)]  # of no use
            orbsym = lib.tag_array(np.asarray(orbsym), degen_mapping=mapping)
        if not direct_spin1_symm._validate_degen_mapping(orbsym.degen_mapping, len(orbsym)):
            raise PointGroupSymmetryError("the active space has but one of two degenerate orbitals: "
                                          "add the other, or build the molecule with the group D2h "
                                          "or C2v")
        return orbsym

    def _multiplicity(self, nelec):
        """2S + 1 that fix_spin_ asks for; None: it was not called."""
        if not hasattr(self, "ss_penalty"):
            return None
        if self.ss_value is not None:
            return _same_spin(self.ss_value)
        return abs(nelec[0] - nelec[1]) + 1

    def _options(self, tol, max_cycle, size, pspace_size):
        tol = self.conv_tol if tol is None else tol
        residual = self.residual_tol or min(1e-6, np.sqrt(tol))
        whole = {"solver.p_space": size} if size <= (pspace_size or self.pspace_size) else None
        # A cycle of PySCF's is an iteration here.
        return {"tol": residual, "maxiter": max_cycle or self.max_cycle, "verify": self.verify,
                "operator": self.operator, "backend": self.backend, "threads": self.threads,
                "memory_limit": self.memory_limit, "analysis": False, "options": whole}

    def kernel(self, h1e, eri, norb, nelec, ci0=None, tol=None, lindep=None, max_cycle=None,
               max_space=None, nroots=None, davidson_only=None, pspace_size=None, orbsym=None,
               wfnsym=None, ecore=0, **kwargs):
        """Energies and CI vectors of the `nroots` lowest states, lists if nroots > 1.

        Parameters
        ----------
        h1e, eri, norb, nelec
            Integrals, orbitals and electrons, as PySCF has them.
        ci0
            Start vectors.
        tol, max_cycle, nroots, pspace_size, orbsym, wfnsym
            In the place of conv_tol and of the attributes of these names.
        ecore
            Added to the energies.
        lindep, max_space, davidson_only, kwargs
            Accepted, without effect.
        """
        if isinstance(h1e, (tuple, list)) or np.ndim(h1e) != 2:
            raise NotImplementedError("cisolve.pyscf.FCI: integrals of unrestricted orbitals")
        nroots = nroots or self.nroots
        self.norb, self.nelec = norb, (nelec := _unpack_nelec(nelec, self.spin))
        if norb == 0 or sum(nelec) == 0:
            return self._vacuum(ecore, nroots)
        orbsym = self._paired(self.orbsym if orbsym is None else orbsym, h1e)
        asked_for = self.wfnsym if wfnsym is None else wfnsym
        wfnsym = self._irrep(norb, nelec, orbsym, asked_for, ci0)
        irrep = None if wfnsym is None else wfnsym % 10
        axis, momentum, exact, off = None, None, False, 0.0
        if irrep is not None and self._linear():
            axis = AxialMomentum(orbsym, nelec)
            momentum = self._momentum(axis, wfnsym, asked_for, ci0)
            h1e, eri, off = axis.averaged_within(_OFF_AXIS, h1e, eri)
            exact = off <= _OFF_AXIS
        symmetry = {"irrep": irrep, "multiplicity": self._multiplicity(nelec),
                    "spin_inversion": self.spin_inversion}
        there_are, kind = self._states_there_are(norb, nelec, orbsym, symmetry,
                                                 axis if exact else None, momentum)
        hamiltonian = Hamiltonian(h1e, eri, norb, nelec, ecore, orbsym if irrep is not None else None)
        rows = Rows(hamiltonian, norb, nelec, irrep)
        options = self._options(tol, max_cycle, rows.size, pspace_size) | symmetry

        def project(x):
            return np.transpose([rows.part(axis.part(rows.whole(v), momentum)) for v in x.T])

        start = self._start(ci0, rows, project if exact else None)
        def solve(onto):
            with told_by(self):
                return hamiltonian.eigenstates(min(nroots, there_are), project=onto, v0=start,
                                               **options)
        found = solve(None)
        if axis is not None:
            share = min(axis.share(rows.whole(x), momentum) for x in found.vectors.T)
            if not exact:
                self._require_momentum(share, off, asked_for)
            elif share < 1 - _OTHER_SHARE:
                # The lowest states of the irrep of D2h or C2v are of this Λ as a rule; a projector,
                # which takes longer than a product, is for those that lie among others.
                found = solve(project)
        return self._keep(found, rows, nroots, there_are, kind)

    def _states_there_are(self, norb, nelec, orbsym, symmetry, axis, momentum):
        """Number of states of the symmetry in the space, at least one, and their description; axis:
        None if Λ does not count."""
        irrep, multiplicity = symmetry["irrep"], symmetry["multiplicity"]
        if axis is None:
            momentum = None
        count = StateCount([0] * norb if irrep is None else orbsym,
                           [0] * norb if axis is None else axis.momenta)
        there_are = count.states(nelec, irrep or 0, momentum, multiplicity, self.spin_inversion)
        kind = kind_of_states(getattr(self.mol, "groupname", None), irrep, momentum, multiplicity,
                              self.spin_inversion)
        if there_are == 0:
            raise WfnSymmetryError(f"wfnsym, nelec: no state{kind} exists in this space")
        return there_are, kind

    def _keep(self, found, rows, nroots, there_are, kind):
        """Energies and vectors, as kernel returns them, and in the attributes; a warning where the
        space has fewer states than were asked for."""
        if there_are < nroots:
            found.notes.append(f"nroots: {nroots} asked for, and the space has {there_are} "
                               f"state{'s' * (there_are > 1)}{kind}")
            logger.warn(self, "cisolve: %s", found.notes[-1])
        for note in found.notes:
            logger.debug(self, "cisolve: %s", note)
        self.result, self.verified = found, found.verified
        self.eci, self.ci = found.energies, [rows.whole(x) for x in found.vectors.T]
        self.converged = np.array([state.converged for state in found])
        if nroots == 1:
            self.eci, self.ci = self.eci[0], self.ci[0]
            self.converged = bool(self.converged[0])
        return self.eci, self.ci

    def _momentum(self, axis, wfnsym, asked_for, ci0):
        """Λ of the states: the irrep's, or where none is given what the start vector has most of."""
        if asked_for is None and ci0 is not None and not callable(ci0):
            first = ci0[0] if isinstance(ci0, (list, tuple)) or np.ndim(ci0) == 3 else ci0
            return axis.main_momentum(first, wfnsym % 10)
        return abs(linearmole_irrep2momentum(wfnsym))

    def _require_momentum(self, share, off, asked_for):
        """States over orbitals that are not quite those of the molecule have an irrep of D2h or
        C2v. If they are not mostly of Λ: an error if Λ was asked for, else a warning."""
        if share > 0.5:
            return
        said = (f"the orbitals are not those of a linear molecule: integrals that should be equal "
                f"differ by up to {off:.0e} Hartree")
        if asked_for is not None:
            raise PointGroupSymmetryError(f"wfnsym: {said}; build the molecule with the group D2h "
                                          "or C2v")
        logger.warn(self, "cisolve: %s; states are of one irrep of D2h or C2v", said)

    def _vacuum(self, ecore, nroots):
        """The one state without electrons or without orbitals."""
        self.result, self.verified = None, True
        self.eci, self.converged = ecore, True
        self.ci = np.ones((1, 1)).view(direct_spin1.FCIvector)
        if nroots > 1:
            self.eci, self.ci, self.converged = np.array([ecore]), [self.ci], np.array([True])
        return self.eci, self.ci

    def _start(self, ci0, rows, project):
        """Start vectors, where there are some that can be used: real ones with something in the
        irrep, and of Λ."""
        if ci0 is None or callable(ci0):
            return None
        vectors = ci0 if isinstance(ci0, (list, tuple)) or np.ndim(ci0) == 3 else [ci0]
        vectors = [np.asarray(in_host_memory(v, "ci0")).ravel() for v in vectors]
        if any(v.dtype.kind == "c" for v in vectors):
            return None
        vectors = columns([rows.part(v) for v in vectors])
        if not np.isfinite(vectors).all():
            return None
        if project is None:
            return vectors if vectors.any(0).all() else None
        kept = project(vectors)
        there = np.linalg.norm(kept, axis=0) > 1e-6 * np.linalg.norm(vectors, axis=0)
        return kept if there.all() else None

    @lib.with_doc(direct_spin1_symm.guess_wfnsym.__doc__)
    def guess_wfnsym(self, norb, nelec, fcivec=None, orbsym=None, wfnsym=None, **kwargs):
        orbsym = self.orbsym if orbsym is None else orbsym
        if orbsym is None:
            return None
        return direct_spin1_symm.guess_wfnsym(self, norb, nelec, fcivec, orbsym, wfnsym, **kwargs)

    # PySCF's solvers with symmetry take an irrep; products have that of the vector in any case.

    @lib.with_doc(direct_spin1.contract_1e.__doc__)
    def contract_1e(self, f1e, fcivec, norb, nelec, link_index=None, orbsym=None, wfnsym=None,
                    **kwargs):
        return super().contract_1e(f1e, fcivec, norb, nelec, link_index, **kwargs)

    @lib.with_doc(direct_spin1.contract_2e.__doc__)
    def contract_2e(self, eri, fcivec, norb, nelec, link_index=None, orbsym=None, wfnsym=None,
                    **kwargs):
        nelec = _unpack_nelec(nelec, self.spin)
        eri, fcivec = in_host_memory(eri, "eri"), in_host_memory(fcivec, "fcivec")
        product = None
        if np.size(fcivec) >= _LARGE and self._own(norb, nelec, fcivec):
            product = self._operator(ao2mo.restore(4, eri, norb), norb, nelec)
        if product is None:
            return super().contract_2e(eri, fcivec, norb, nelec, link_index, **kwargs)
        return product.apply(columns([fcivec])).reshape(np.shape(fcivec)).view(direct_spin1.FCIvector)

    def _operator(self, eri, norb, nelec):
        """Σ (pq|rs) E_pq E_rs of integrals packed by pairs, as absorb_h1e makes them; kept as long as
        it is asked for. None where (pq|rs) is not (rs|pq): a Hamiltonian has both."""
        key = (norb, nelec, self.backend, self.threads, self.operator, eri.tobytes())
        if self._product[0] != key:
            if abs(eri - eri.T).max() > 1e-12 * abs(eri).max():
                return None
            # E_pq E_rs has a one-electron part, δ_qr E_ps.
            h1 = np.einsum("pqqs->ps", ao2mo.restore(1, eri, norb))
            enter()
            hamiltonian = Hamiltonian(h1, eri + eri.T, norb, nelec)._library()
            settings = keys(None, operator=self.operator,
                            **machine(self.backend, self.threads, self.memory_limit))
            self._product = key, _cisolve.Product(hamiltonian, settings, 1)
        return self._product[1]
