"""States of a Hamiltonian of integrals, and what is made of them."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _cisolve
from ._calls import EigenFacts, enter, over_elements, real_array
from ._cisolve import InputError
from ._results import Vectors


class PositionIntegrals:
    """Integrals of which dipole moments are made, in atomic units; copies that do not change.

    Parameters
    ----------
    position
        ⟨p|x|q⟩, ⟨p|y|q⟩, ⟨p|z|q⟩ of the electron, without its charge, over all orbitals of the
        Hamiltonian, frozen ones included: 3 × m × m, symmetric.
    nuclear
        Σ_A Z_A R_A; if the Hamiltonian's ecore includes electrons, minus their dipole integrals.
    """

    def __init__(self, position: ArrayLike, nuclear: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.position = np.array(real_array(position, "position", (3,)))
        self.nuclear = np.array(real_array(nuclear, "nuclear", (1,)))
        if len(self.position) != 3 or self.position.shape[1] != self.position.shape[2]:
            raise InputError(f"position: found shape {self.position.shape}, expected (3, m, m)")
        if self.nuclear.shape != (3,):
            raise InputError(f"nuclear: found shape {self.nuclear.shape}, expected (3,)")
        self.position.flags.writeable = self.nuclear.flags.writeable = False

    @classmethod
    def from_pyscf(cls, method: Any) -> PositionIntegrals:
        """Over the orbitals that Hamiltonian.from_pyscf takes from the same object.

        Parameters
        ----------
        method
            An SCF, CASCI or CASSCF object that was run. For the latter two `nuclear` includes the
            electrons of the core.
        """
        mol, coefficients = method.mol, method.mo_coeff
        with mol.with_common_origin((0.0, 0.0, 0.0)):  # as the nuclei have it
            ao = mol.intor_symmetric("int1e_r").reshape(3, mol.nao, mol.nao)
        nuclear = mol.atom_charges() @ mol.atom_coords()
        if hasattr(method, "ncas"):
            core = coefficients[:, :method.ncore]
            nuclear = nuclear - 2.0 * np.einsum("xpq,pi,qi", ao, core, core, optimize=True)
            coefficients = coefficients[:, method.ncore:method.ncore + method.ncas]
        return cls(coefficients.T @ ao @ coefficients, nuclear)


class State:
    """An eigenstate. Attributes that do not apply to it are None. States of spinors have complex densities
    and no spin: densities by spin, rdm3 and dipole moments of them raise InputError.

    Attributes
    ----------
    energy
        Hartree, core energy included; of nucleons MeV.
    residual
        ‖Hx − Ex‖₂, recomputed from the vector.
    converged
        Whether the residual is within the tolerance.
    irrep, irrep_name
        Number from 0, and name; None and "" for a mixture.
    s_squared
        ⟨S²⟩.
    multiplicity
        2S + 1; None for a mixture of spins.
    natural_occupations
        Of the active orbitals, descending.
    rank_weights
        Sums of squared coefficients by excitation rank from the reference determinant: rank 0, 1, 2 …
    twice_j, j_squared, parity
        Of nucleons: 2J, None for a mixture; ⟨J²⟩; 1 or -1. None for electrons.
    orbit_occupations
        Of nucleons: the number in every orbit, by names such as 'p 0d5/2'. None for electrons.
    """

    energy: float
    residual: float
    converged: bool
    irrep: int | None
    irrep_name: str
    s_squared: float | None
    multiplicity: int | None
    natural_occupations: Vectors
    rank_weights: Vectors
    twice_j: int | None
    j_squared: float | None
    parity: int | None
    orbit_occupations: dict[str, float] | None

    def __init__(self, states, index, facts):
        self._states, self._index, self._facts = states, index, facts
        for name in ("energy", "converged", "irrep", "irrep_name", "s_squared", "multiplicity"):
            setattr(self, name, facts[name])
        for name in ("twice_j", "j_squared", "parity", "orbit_occupations"):
            setattr(self, name, facts.get(name))
        self.residual = facts["residual_norm"]
        self.natural_occupations = np.array(facts["natural_occupations"])
        self.rank_weights = np.array(facts["rank_weights"])

    @property
    def ci(self) -> Vectors:
        """Coefficients: alpha × beta strings in PySCF's order for full CI of all irreps, else one for each
        determinant; complex for spinors.
        """
        return self._states.ci[self._index]

    def leading(self, n: int = 5) -> list[tuple[float, str, str]]:
        """The determinants with the largest coefficients.

        Parameters
        ----------
        n
            At most so many.

        Returns
        -------
        list[tuple[float, str, str]]
            (coefficient, occupation, excitation); for spinors |coefficient|, and no excitation.
        """
        return [tuple(row[1:]) for row in self._facts["leading"][:n]]

    def rdm1s(self) -> Vectors:
        """γ^σ_pq = ⟨q†_σ p_σ⟩ of alpha and beta electrons over the active orbitals: 2 × m × m."""
        return self._states.densities(False)[0][self._index, self._index]

    def rdm1(self) -> Vectors:
        """γ_pq = ⟨q† p⟩ summed over spins, as PySCF's make_rdm1: m × m. Over spinors it is Hermitian, and
        PySCF's fci_dhf_slow has the transpose."""
        return self._states._one_density(self._index, self._index)

    def rdm2s(self) -> Vectors:
        """Γ^αα, Γ^αβ, Γ^ββ: [p, q, r, s] = ⟨p†_σ r†_τ s_τ q_σ⟩, 3 × m⁴."""
        return self._states.densities(True)[1][self._index]

    def rdm2(self) -> Vectors:
        """Γ_pqrs = Σ ⟨p† r† s q⟩ over both spins, as PySCF's make_rdm12: m⁴. The energy is
        Σ h_pq γ_qp + ½ Σ (pq|rs) Γ_pqrs, over spinors too."""
        return self._states._two_density(self._index, self._index)

    def rdm3(self) -> Vectors:
        """Γ_pqrstu = Σ ⟨p† r† t† u s q⟩ over all spins, as PySCF's make_rdm123: m⁶. The orbitals are
        restricted; irreps are not used: time and memory are those of all strings of either spin."""
        return self._states.three_particle(self._index)

    def transition_rdm1(self, ket: State) -> Vectors:
        """⟨self| q† p |ket⟩ summed over spins, as PySCF's trans_rdm1: m × m.

        Parameters
        ----------
        ket
            A state of the same solve.
        """
        self._require_same_solve(ket, "transition_rdm1")
        return self._states._one_density(self._index, ket._index)

    def transition_rdm2s(self, ket: State) -> Vectors:
        """Γ^αα, Γ^αβ, Γ^ββ of a transition: [p, q, r, s] = ⟨self| p†_σ r†_τ s_τ q_σ |ket⟩, 3 × m⁴.

        Parameters
        ----------
        ket
            A state of the same solve.
        """
        self._require_same_solve(ket, "transition_rdm2s")
        return self._states.transition(self._index, ket._index)[1]

    def transition_rdm2(self, ket: State) -> Vectors:
        """Γ_pqrs = Σ ⟨self| p† r† s q |ket⟩ over both spins, as PySCF's trans_rdm12: m⁴.

        Parameters
        ----------
        ket
            A state of the same solve.
        """
        self._require_same_solve(ket, "transition_rdm2")
        return self._states._two_density(self._index, ket._index)

    def natural_orbitals(self) -> tuple[Vectors, Vectors]:
        """Occupations, descending, and coefficients over the active orbitals as columns."""
        values, vectors = np.linalg.eigh(self.rdm1())
        return values[::-1], vectors[:, ::-1]

    def dipole(self, integrals: PositionIntegrals) -> Vectors:
        """⟨self|μ|self⟩ in e Bohr, x y z, with the nuclei and frozen electrons.

        Parameters
        ----------
        integrals
            Position integrals over the orbitals of the Hamiltonian.
        """
        return self._states.dipoles(integrals)[self._index, self._index]

    def transition_dipole(self, ket: State, integrals: PositionIntegrals) -> Vectors:
        """⟨self|μ|ket⟩ = −Σ ⟨p|r|q⟩ γ_pq in e Bohr, x y z. Its sign is that of the two vectors.

        Parameters
        ----------
        ket
            Another state of the same solve.
        integrals
            Position integrals over the orbitals of the Hamiltonian.
        """
        self._require_same_solve(ket, "transition_dipole")
        return self._states.dipoles(integrals)[self._index, ket._index]

    def oscillator_strength(self, ket: State, integrals: PositionIntegrals) -> float:
        """f = 2/3 (E_ket − E_self) |⟨self|μ|ket⟩|², in length gauge, energies in Hartree; below 0 if ket is
        the lower state.

        Parameters
        ----------
        ket
            Another state of the same solve.
        integrals
            Position integrals over the orbitals of the Hamiltonian.
        """
        moment = self.transition_dipole(ket, integrals)
        return float(2.0 / 3.0 * (ket.energy - self.energy) * (moment @ moment))

    def _require_same_solve(self, ket, name):
        if ket._states is not self._states:
            raise InputError(f"{name}: the states are of different solves")

    def __repr__(self):
        spin = "" if self.multiplicity is None else f", 2S+1 = {self.multiplicity}"
        irrep = f", {self.irrep_name}" if self.irrep_name else ""
        if self.parity is not None:
            j = "mixed" if self.twice_j is None else f"{self.twice_j}/2"
            return f"<State {self.energy:.10f} MeV, J = {j}, parity {self.parity:+d}>"
        return f"<State {self.energy:.10f} Hartree{irrep}{spin}>"


class States(EigenFacts):
    """The states of a solve, by energy: a sequence of State.

    Attributes
    ----------
    states : list[State]
        Each state.
    energies : numpy.ndarray
        Of all states, Hartree, core energy included.
    vectors : numpy.ndarray
        rows × states, orthonormal columns.
    status, verified, excluded_gap, iterations, products, search_products, seconds, notes, report
        As EigenResult.
    """

    def __init__(self, hamiltonian, determinants, library, found, settings):
        super().__init__(found)
        self._of, self._library, self._settings = (hamiltonian, determinants), library, settings
        self._densities = {}
        self.vectors = over_elements(found["vectors"], found["components"])
        self.states = [State(self, i, facts) for i, facts in enumerate(found["states"])]
        self.energies = np.array([state.energy for state in self.states])
        self._determinants = None
        self._dipoles = (None, None)  # of the last integrals

    @property
    def _hamiltonian(self):
        if self._library is None:
            hamiltonian, determinants = self._of
            self._library = hamiltonian._library(**determinants)
        return self._library

    def __getstate__(self):
        if self._of[0]._read:
            self.determinants  # and with them `ci`, where the files are not
        return super().__getstate__() | {"_library": None}  # made again when it is asked for

    @property
    def determinants(self) -> dict[str, Any]:
        """The determinants of the rows, a dict: `norb`, `nelec`, `alpha`, `beta`, `strings` (numbers of alpha
        and beta strings if every pair is a row, else 0, 0) and `ecore`.
        """
        if self._determinants is None:
            enter()
            self._determinants = _cisolve.determinants(self._hamiltonian)
        return self._determinants

    @property
    def alpha(self) -> NDArray[np.uint64]:
        """Alpha string of every row, bit p for active orbital p; for more than 64 orbitals rows × 2, bit
        p % 64 of word p // 64. Strings of spinors are alpha ones.
        """
        return self.determinants["alpha"]

    @property
    def beta(self) -> NDArray[np.uint64]:
        """Beta string of every row, likewise."""
        return self.determinants["beta"]

    @property
    def ci(self) -> Vectors:
        """States first: k × alpha × beta strings of full CI, else k × rows; of spinors k × rows,
        complex, strings ascending as numbers."""
        states = np.ascontiguousarray(self.vectors.T)
        if self._over_spinors:
            return states
        na, nb = self.determinants["strings"]
        return states.reshape(-1, na, nb) if na else states

    @property
    def _over_spinors(self):
        return self.vectors.dtype.kind == "c"

    def _require_real(self):
        if self._over_spinors:
            raise InputError("the states are of spinors, which have no alpha and beta: their densities "
                             "are rdm1 and rdm2; rdm3 and dipole moments are of real integrals")

    def _vector(self, state):
        return np.ascontiguousarray(self.vectors[:, state])

    def _spinor_densities(self, two):
        """Of all pairs of states, k × k × n × n, and if `two` k × n⁴ of the states; kept."""
        if two not in self._densities:
            enter()
            states = np.ascontiguousarray(self.vectors.T).view(float)
            self._densities[two] = _cisolve.spinor_densities(self._hamiltonian, states, two,
                                                             self._settings)
        return self._densities[two]

    def _one_density(self, bra, ket):
        if self._over_spinors:
            return self._spinor_densities(False)[0][bra, ket].copy()
        return self.densities(False)[0][bra, ket].sum(0)

    def _two_density(self, bra, ket):
        if not self._over_spinors:
            aa, ab, bb = (self.densities(True)[1][bra] if bra == ket else
                          self.transition(bra, ket)[1])
            return aa + ab + ab.transpose(2, 3, 0, 1) + bb
        if bra == ket:
            return self._spinor_densities(True)[1][bra].copy()
        enter()
        found = _cisolve.spinor_transition_density(
            self._hamiltonian, self._vector(bra).view(float), self._vector(ket).view(float),
            self._settings)
        return found.reshape((round(found.size ** 0.25),) * 4)

    def densities(self, two: bool) -> tuple[Vectors, Vectors | None]:
        """One-particle densities of all pairs of states, k × k × 2 × m × m, and two-particle ones of each
        state, k × 3 × m⁴; kept for later calls.

        Parameters
        ----------
        two
            False: the two-particle densities are None.
        """
        self._require_real()
        if two not in self._densities:
            enter()
            self._densities[two] = _cisolve.densities(self._hamiltonian, self.vectors, two,
                                                      self._settings)
        return self._densities[two]

    def transition(self, bra: int, ket: int) -> tuple[Vectors, Vectors]:
        """One- and two-particle densities by spin of a transition: 2 × m × m and 3 × m⁴.

        Parameters
        ----------
        bra, ket
            Numbers of the states, from 0.
        """
        self._require_real()
        enter()
        return _cisolve.transition_densities(self._hamiltonian, self._vector(bra), self._vector(ket),
                                             self._settings)

    def three_particle(self, state: int) -> Vectors:
        """The three-particle density of the state of this number: m⁶, as State.rdm3."""
        self._require_real()
        enter()
        found = _cisolve.three_particle_density(self._hamiltonian, self._vector(state),
                                                self._settings)
        return found.reshape((self.determinants["norb"],) * 6).transpose(0, 3, 1, 4, 2, 5)

    def dipoles(self, integrals: PositionIntegrals) -> Vectors:
        """⟨i|μ|j⟩ of all pairs of states in e Bohr, with the nuclei and frozen electrons where i = j:
        k × k × 3.

        Parameters
        ----------
        integrals
            Position integrals over the orbitals of the Hamiltonian.
        """
        self._require_real()
        if not isinstance(integrals, PositionIntegrals):
            raise InputError(f"integrals: found {type(integrals).__name__}, expected "
                             "PositionIntegrals")
        if self._dipoles[0] is not integrals:
            enter()
            self._dipoles = integrals, _cisolve.dipoles(self._hamiltonian, self.vectors,
                                                        integrals.position, integrals.nuclear,
                                                        self._settings)
        return self._dipoles[1].copy()

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, index: int) -> State:
        return self.states[index]

    def __repr__(self):
        word = "verified" if self.verified else "not verified"
        return f"<States: {self.status}, {word}, {self.energies}>"
