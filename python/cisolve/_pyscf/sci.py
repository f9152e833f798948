"""Selected CI as a solver for PySCF."""
import numpy as np
from pyscf import lib, symm
from pyscf.fci.direct_spin1 import _unpack_nelec
from pyscf.lib import logger
from pyscf.lib.exceptions import WfnSymmetryError

from .. import _cisolve
from .._calls import keys, machine
from .._cisolve import InputError
from .._hamiltonian import Hamiltonian
from .._selection import select
from .log import told_by

#: A list is kept as long as no energy has moved by more than this part of what is outside of it.
_MOVED = 0.01


class SelectedDeterminants:
    """A list of determinants over `norb` orbitals, and what was outside when it was selected.

    alpha, beta    strings of every row, bit p for orbital p: uint64, or Python's integers beyond 64
                   orbitals
    energies       of the states that it was selected for, Hartree
    corrections    of second order, of each; zero where there is nothing outside
    complete       there is nothing outside
    """

    def __init__(self, norb, nelec, determinants, energies, corrections, complete):
        self.norb, self.nelec = norb, nelec
        self.alpha, self.beta = determinants
        self.energies, self.corrections, self.complete = energies, corrections, complete

    def __len__(self):
        return len(self.alpha)

    def is_of(self, norb, nelec, states):
        return (self.norb, self.nelec, len(self.energies)) == (norb, nelec, states)

    def is_still_good(self, energies, negligible):
        """True if its states moved little in comparison with the corrections, or these are at most
        `negligible`, Hartree."""
        outside, moved = abs(self.corrections), abs(energies - self.energies)
        return self.complete or bool(np.all((moved <= _MOVED * outside) | (outside <= negligible)))


class SelectedState:
    """A state over a list of determinants: the CI vector of SCI.

    Attributes
    ----------
    determinants
        SelectedDeterminants, with `alpha` and `beta`, the strings of every row.
    coefficients
        One for each determinant.
    s_squared
        ⟨S²⟩.
    """

    def __init__(self, determinants, coefficients, s_squared):
        self.determinants, self.coefficients = determinants, coefficients
        self.s_squared = s_squared

    def __repr__(self):
        return f"<SelectedState over {len(self.determinants)} determinants>"


class SCI(lib.StreamObject):
    """Selected CI of restricted orbitals and real integrals, any M_s, up to 128 active orbitals:
    `mc.fcisolver = cisolve.pyscf.SCI(mol, determinants=100000)`.

    kernel without ci0 selects. With ci0 the list of these states is kept if their energies have moved
    by less than a hundredth of the corrections since it was selected; else as many determinants are
    selected anew. So a CASSCF keeps its list as it converges, and the steps within an iteration
    (approx_kernel) always do. M_s and nroots choose the spin: there is no fix_spin_, since a list is
    not closed under S².

    Parameters
    ----------
    mol
        The molecule.
    determinants
        At least so many are selected.
    epsilon
        Instead: all determinants a to which a selected one i leads by |H_ai c_i| above this, Hartree.
    accuracy
        Without either: the selection ends when the uncertainty of the extrapolated energies is at most
        this, Hartree. None: 1e-3.
    deviation
        Largest standard deviation of the corrections, Hartree. None: 1e-5; 0: all of them is summed.

    Attributes
    ----------
    corrected
        True: energies are variational ones + corrections. Densities stay variational, so this is for
        CASCI: orbitals have to be optimised by the energy of their densities.
    nroots, spin, conv_tol, orbsym, wfnsym
        As PySCF has them. Without wfnsym states are of any irrep; those of linear molecules have an
        irrep of D2h or C2v.
    max_cycle
        Largest number of iterations of a solve.
    backend, threads, memory_limit
        Where to solve, as cisolve.eigsh.
    verify
        The search for lower states within the list: 'quick' (default), 'off', 'standard' or
        'thorough'; `verified` says whether it was sufficient.
    residual_tol
        Residual norm of a converged state. None: the square root of conv_tol, at most 1e-6.
    eci, ci, converged
        After kernel: energies, a SelectedState each, and whether they have converged.
    variational, corrections, deviations, totals, extrapolated, uncertainties
        After kernel, of each state, as of cisolve.Selection.
    selection, result
        The last cisolve.Selection, and the States of the last solve.
    """

    _keys = {"mol", "nroots", "spin", "conv_tol", "max_cycle", "orbsym", "wfnsym", "norb", "nelec",
             "determinants", "epsilon", "accuracy", "deviation", "corrected", "backend", "threads",
             "memory_limit", "verify", "residual_tol", "eci", "ci", "converged", "variational",
             "corrections", "deviations", "totals", "extrapolated", "uncertainties", "selection",
             "result", "verified", "_last"}

    def __init__(self, mol=None, determinants=None, epsilon=None, accuracy=None, deviation=None):
        if mol is not None:
            self.stdout, self.verbose = mol.stdout, mol.verbose
        self.mol = mol
        self.determinants, self.epsilon = determinants, epsilon
        self.accuracy, self.deviation, self.corrected = accuracy, deviation, False
        self.nroots, self.spin, self.orbsym, self.wfnsym = 1, None, None, None
        self.conv_tol, self.max_cycle = 1e-10, 100
        self.backend = self.threads = self.memory_limit = self.residual_tol = None
        self.verify = "quick"
        self.norb = self.nelec = self.eci = self.ci = self.selection = self.result = None
        self.converged = self.verified = False
        self.variational = self.corrections = self.deviations = self.totals = None
        self.extrapolated = self.uncertainties = None
        self._last = []  # states, of steps within an iteration too

    def dump_flags(self, verbose=None):
        log = logger.new_logger(self, verbose)
        log.info("******** %s ********", self.__class__)
        for name in ("determinants", "epsilon", "accuracy", "deviation", "corrected", "nroots",
                     "conv_tol", "max_cycle", "backend", "verify", "wfnsym"):
            log.info("%s = %s", name, getattr(self, name))
        return self

    @property
    def e_tot(self):
        return self.eci

    def kernel(self, h1e, eri, norb, nelec, ci0=None, tol=None, max_cycle=None, nroots=None,
               orbsym=None, wfnsym=None, ecore=0, **kwargs):
        """Energies and CI vectors (SelectedState) of the `nroots` lowest states, lists if nroots > 1.

        Parameters
        ----------
        h1e, eri, norb, nelec
            Integrals, orbitals and electrons, as PySCF has them.
        ci0
            SelectedStates, whose list may be kept. None: selects.
        tol, max_cycle, nroots, orbsym, wfnsym
            In the place of conv_tol and of the attributes of these names.
        ecore
            Added to the energies.
        kwargs
            Accepted, without effect.
        """
        problem = self._problem(h1e, eri, norb, nelec, orbsym, wfnsym, ecore)
        nroots = nroots or self.nroots
        start, small_step = self._start(ci0)
        old = self._list_of(start, nroots)
        options = self._options(tol, max_cycle)
        if old is not None and small_step:
            found = self._over(*problem, old, start, options)
            if old.is_still_good(found.energies, self.conv_tol):
                return self._take(found, old)
        size = self.determinants
        if old is not None and size is None and self.epsilon is None:
            size = len(old)
        hamiltonian, irrep = problem
        with told_by(self):
            made = select(hamiltonian, determinants=size, epsilon=self.epsilon,
                          accuracy=self.accuracy, deviation=self.deviation, k=nroots, irrep=irrep,
                          **options)
        self.selection = made
        self.deviations, self.extrapolated = made.deviations, made.extrapolated
        self.uncertainties = made.uncertainties
        return self._take(made.states, SelectedDeterminants(
            self.norb, self.nelec, made.determinants, made.energies, made.corrections,
            made.complete))

    def approx_kernel(self, h1e, eri, norb, nelec, ci0=None, tol=None, max_cycle=None, nroots=None,
                      orbsym=None, wfnsym=None, ecore=0, **kwargs):
        """kernel over the list of ci0: a step within an iteration of CASSCF."""
        problem = self._problem(h1e, eri, norb, nelec, orbsym, wfnsym, ecore)
        start = self._start(ci0)[0]
        old = self._list_of(start, nroots or self.nroots)
        if old is None:
            return self.kernel(h1e, eri, norb, nelec, ci0, tol, max_cycle, nroots, orbsym, wfnsym,
                               ecore)
        options = self._options(tol, max_cycle) | {"verify": "off", "analysis": False}
        energies, self._last = self._states_of(self._over(*problem, old, start, options), old)
        return self._of_roots(energies, self._last)

    def _problem(self, h1e, eri, norb, nelec, orbsym, wfnsym, ecore):
        """The Hamiltonian and the number of the irrep, or None."""
        if isinstance(h1e, (tuple, list)) or np.ndim(h1e) != 2:
            raise NotImplementedError("cisolve.pyscf.SCI: integrals of unrestricted orbitals")
        if hasattr(self, "ss_penalty"):
            raise NotImplementedError("cisolve.pyscf.SCI: fix_spin_; choose spins by M_s and nroots")
        self.norb, self.nelec = norb, _unpack_nelec(nelec, self.spin)
        orbsym = self.orbsym if orbsym is None else orbsym
        wfnsym = self.wfnsym if wfnsym is None else wfnsym
        if orbsym is None or wfnsym is None:
            return Hamiltonian(h1e, eri, norb, self.nelec, ecore), None
        if isinstance(wfnsym, str):
            try:
                wfnsym = symm.irrep_name2id(self.mol.groupname, wfnsym)
            except (KeyError, AttributeError):
                raise WfnSymmetryError(f"wfnsym: found {wfnsym!r}, expected an irrep of the "
                                       "molecule's group") from None
        return Hamiltonian(h1e, eri, norb, self.nelec, ecore, orbsym), int(wfnsym) % 10

    def _start(self, ci0):
        """States to begin from, and whether the orbitals are near to theirs. CASSCF says but that, True
        or False, in the place of vectors that are no arrays: they are the last ones."""
        given = list(ci0) if isinstance(ci0, (list, tuple)) else [ci0]
        if all(isinstance(x, (bool, np.bool_)) for x in given):
            return self._last, all(given)
        return given, True

    def _list_of(self, states, nroots):
        """The list of states of the same electrons and orbitals, as many; None: there is none."""
        if len(states) != nroots or not all(isinstance(x, SelectedState) for x in states):
            return None
        old = states[0].determinants
        same = all(x.determinants is old for x in states) and old.is_of(self.norb, self.nelec, nroots)
        return old if same else None

    def _options(self, tol, max_cycle):
        tol = self.conv_tol if tol is None else tol
        return {"tol": self.residual_tol or min(1e-6, np.sqrt(tol)),
                "maxiter": max_cycle or self.max_cycle, "verify": self.verify,
                "backend": self.backend, "threads": self.threads, "memory_limit": self.memory_limit}

    def _over(self, hamiltonian, irrep, old, start, options):
        v0 = np.transpose([x.coefficients for x in start])
        with told_by(self):
            return hamiltonian.eigenstates(len(start), determinants=(old.alpha, old.beta),
                                           irrep=irrep, v0=v0, **options)

    def _states_of(self, found, of_list):
        return found.energies, [SelectedState(of_list, np.ascontiguousarray(x), state.s_squared)
                                for x, state in zip(found.vectors.T, found)]

    def _of_roots(self, energies, states):
        return (energies, states) if len(states) > 1 else (energies[0], states[0])

    def _take(self, found, of_list):
        self.result, self.verified = found, found.verified
        for note in found.notes:
            logger.debug(self, "cisolve: %s", note)
        self.variational, states = self._states_of(found, of_list)
        self._last = states
        self.corrections = of_list.corrections
        self.totals = self.variational + self.corrections
        self.eci, self.ci = self._of_roots(self.totals if self.corrected else self.variational,
                                           states)
        converged = np.array([state.converged for state in found])
        self.converged = converged if len(states) > 1 else bool(converged[0])
        return self.eci, self.ci

    # ---- What is made of states --------------------------------------------------------------
    # They call each other by the class: a state average's methods of the same names are others.

    def _library(self, *states):
        """A Hamiltonian over the states' list: for densities the integrals do not matter."""
        of_list = states[0].determinants
        if any(x.determinants is not of_list for x in states):
            raise InputError("CI vectors: found states over different lists of determinants")
        empty = Hamiltonian(np.zeros((of_list.norb,) * 2),
                            np.zeros((of_list.norb * (of_list.norb + 1) // 2,) * 2), of_list.norb,
                            of_list.nelec)
        return empty._library(determinants=(of_list.alpha, of_list.beta))

    def _where(self):
        return keys(None, **machine(self.backend, self.threads, self.memory_limit))

    def _densities(self, states, two):
        vectors = np.ascontiguousarray(np.transpose([x.coefficients for x in states]))
        return _cisolve.densities(self._library(*states), vectors, two, self._where())

    def make_rdm1s(self, ci, norb, nelec, link_index=None, **kwargs):
        """γ^σ_pq = ⟨q†_σ p_σ⟩ of alpha and beta electrons."""
        return tuple(self._densities([ci], False)[0][0, 0])

    def make_rdm1(self, ci, norb, nelec, link_index=None, **kwargs):
        return sum(SCI.make_rdm1s(self, ci, norb, nelec))

    def make_rdm12s(self, ci, norb, nelec, link_index=None, **kwargs):
        """And Γ^στ_pqrs = ⟨p†_σ r†_τ s_τ q_σ⟩ of αα, αβ, ββ."""
        one, two = self._densities([ci], True)
        return tuple(one[0, 0]), tuple(two[0])

    def make_rdm12(self, ci, norb, nelec, link_index=None, **kwargs):
        (a, b), (aa, ab, bb) = SCI.make_rdm12s(self, ci, norb, nelec)
        return a + b, aa + ab + ab.transpose(2, 3, 0, 1) + bb

    def make_rdm2s(self, ci, norb, nelec, link_index=None, **kwargs):
        return SCI.make_rdm12s(self, ci, norb, nelec)[1]

    def make_rdm2(self, ci, norb, nelec, link_index=None, **kwargs):
        return SCI.make_rdm12(self, ci, norb, nelec)[1]

    def trans_rdm1s(self, bra, ket, norb, nelec, link_index=None, **kwargs):
        """⟨bra| q†_σ p_σ |ket⟩, states of one kernel."""
        return tuple(self._densities([bra, ket], False)[0][0, 1])

    def trans_rdm1(self, bra, ket, norb, nelec, link_index=None, **kwargs):
        return sum(SCI.trans_rdm1s(self, bra, ket, norb, nelec))

    def trans_rdm12s(self, bra, ket, norb, nelec, link_index=None, **kwargs):
        one, (aa, ab, bb) = _cisolve.transition_densities(
            self._library(bra, ket), bra.coefficients, ket.coefficients, self._where())
        return tuple(one), (aa, ab, ab.transpose(2, 3, 0, 1), bb)

    def trans_rdm12(self, bra, ket, norb, nelec, link_index=None, **kwargs):
        one, two = SCI.trans_rdm12s(self, bra, ket, norb, nelec)
        return sum(one), sum(two)

    def spin_square(self, ci, norb, nelec):
        """⟨S²⟩ and 2S + 1 = √(4⟨S²⟩ + 1).

        Parameters
        ----------
        ci
            A SelectedState.
        norb, nelec
            Orbitals and electrons.
        """
        if ci.s_squared is None:  # of a step within an iteration of CASSCF
            ab = SCI.make_rdm12s(self, ci, norb, nelec)[1][1]
            alpha, beta = ci.determinants.nelec
            m = 0.5 * (alpha - beta)
            # S² = S₋S₊ + M(M + 1), S₋S₊ = n_β − Σ q†_α p†_β q_β p_α
            ci.s_squared = m * (m + 1) + beta - np.einsum("qppq", ab)
        return ci.s_squared, np.sqrt(4 * ci.s_squared + 1)

    def large_ci(self, ci, norb, nelec, tol=0.1, return_strs=True):
        """The largest coefficients with their determinants: (coefficient, alpha, beta).

        Parameters
        ----------
        ci
            A SelectedState.
        norb, nelec
            Orbitals and electrons.
        tol
            Those of larger magnitude; if there is none, the largest coefficient.
        return_strs
            Strings as '0b110'; False: lists of occupied orbitals.
        """
        large = np.flatnonzero(abs(ci.coefficients) > tol)
        if not large.size:
            large = [np.argmax(abs(ci.coefficients))]

        def written(string):
            number = int(string)
            return bin(number) if return_strs else [p for p in range(norb) if number >> p & 1]
        of_list = ci.determinants
        return [(ci.coefficients[i], written(of_list.alpha[i]), written(of_list.beta[i]))
                for i in large]
