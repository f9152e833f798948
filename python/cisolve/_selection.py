"""Selected CI: lists of determinants that grow by the most important ones."""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _cisolve
from ._calls import called, keys, machine, report
from ._cisolve import InputError
from ._hamiltonian import Hamiltonian
from ._lists import integers_of
from ._matrix import Path
from ._results import Vectors
from ._states import States
from ._words import spoken


class SelectionStep(NamedTuple):
    """A list of determinants and its states; arrays have an element for each state, in Hartree.

    Attributes
    ----------
    determinants
        How many.
    epsilon
        Importance |H_ai c_i| of the least important determinant that the list added; 0 for the first.
    converged
        Whether the solve has.
    energies
        Variational energies.
    corrections
        Second-order corrections (Epstein–Nesbet), to be added.
    deviations
        Their standard deviations, where part of them was sampled.
    extrapolated
        Energies of all determinants, from this list and those before; NaN: too few lists.
    uncertainties
        Of these; estimates, no bounds.
    seconds
        Of selection, solve and corrections.
    natural
        Whether the list is over natural orbitals.
    continues
        For each state the one of the list before that it continues, by overlap, from 0; -1: none.
        Empty for the first list.
    """

    determinants: int
    epsilon: float
    converged: bool
    energies: Vectors
    corrections: Vectors
    deviations: Vectors
    extrapolated: Vectors
    uncertainties: Vectors
    seconds: float
    natural: bool
    continues: NDArray[Any]

    @property
    def totals(self) -> Vectors:
        """energies + corrections."""
        return self.energies + self.corrections


def _step(facts):
    return SelectionStep(**{name: np.array(value) if isinstance(value, list) else value
                            for name, value in facts.items()})


class Selection:
    """States over selected determinants.

    Attributes
    ----------
    states
        Over the last list, as of eigenstates(determinants=).
    determinants
        That list, of every row, over all orbitals of the Hamiltonian: (alpha, beta) as eigenstates
        takes them, uint64, or Python's integers for more than 64 orbitals.
    steps
        A SelectionStep for every list.
    complete
        Whether the Hamiltonian leads from the list to no other determinant.
    ended
        Why no more were selected, a sentence.
    rotation
        With natural=True: natural orbitals as columns over those of the Hamiltonian, m × m; else None.
    hamiltonian
        The Hamiltonian to which states and determinants refer: over the natural orbitals if there are
        any, else the one given.
    """

    states: States
    determinants: Tuple[NDArray[Any], NDArray[Any]]
    steps: list[SelectionStep]
    complete: bool
    ended: str
    rotation: Vectors | None
    hamiltonian: Hamiltonian

    def __init__(self, states, found, hamiltonian):
        self.rotation, self.hamiltonian = found.get("rotation"), hamiltonian
        self.states, self.complete, self.ended = states, found["complete"], found["ended"]
        self.determinants = integers_of(found["alpha"]), integers_of(found["beta"])
        self.steps = [_step(facts) for facts in found["lists"]]

    def _last(self, name):
        if not self.steps:  # it ended within the first list
            return np.full(len(self.states), np.nan)
        return getattr(self.steps[-1], name)

    @property
    def energies(self) -> Vectors:
        """Variational energies of the last list, Hartree: upper bounds."""
        return self._last("energies")

    @property
    def corrections(self) -> Vectors:
        """Second-order corrections of the last list, Hartree."""
        return self._last("corrections")

    @property
    def deviations(self) -> Vectors:
        """Standard deviations of the corrections, Hartree; 0 if all was summed."""
        return self._last("deviations")

    @property
    def totals(self) -> Vectors:
        """energies + corrections; no bounds."""
        return self._last("totals")

    @property
    def extrapolated(self) -> Vectors:
        """Energies of all determinants, Hartree; NaN with fewer than three lists."""
        return self._last("extrapolated")

    @property
    def uncertainties(self) -> Vectors:
        """Uncertainties of `extrapolated`, Hartree; estimates, no bounds."""
        return self._last("uncertainties")

    def __repr__(self):
        return (f"<Selection: {self.states.status}, {len(self.determinants[0])} determinants, "
                f"{self.energies}>")


@spoken()
def select(hamiltonian: Hamiltonian, determinants: int | None = None,
           epsilon: float | None = None, accuracy: float | None = None,
           deviation: float | None = None, k: int = 1, *, natural: bool = False,
           irrep: int | str | None = None,
           point_group: str | None = None, ms2: int | None = None,
           frozen: Sequence[int] | None = None, active: Sequence[int] | None = None,
           freeze: int | None = None,
           tol: float | None = None, maxiter: int | None = None, method: str | None = None,
           backend: str | None = None, verify: str | None = None, threads: int | None = None,
           memory_limit: int | None = None, seed: int | None = None, restart: Path | None = None,
           checkpoint: Path | None = None, analysis: bool = True,
           callback: Callable[[SelectionStep], Any] | None = None,
           options: Mapping[str, Any] | None = None) -> Selection:
    """The k lowest states over the most important determinants (selected CI), their second-order
    corrections, and energies extrapolated to all determinants.

    Parameters
    ----------
    hamiltonian
        Of real integrals.
    determinants
        At least so many are selected.
    epsilon
        Instead: all determinants a to which a selected one i leads by |H_ai c_i| above this, Hartree.
    accuracy
        Without either: the selection ends when the uncertainty of the extrapolated energies is at most
        this, Hartree. None: 1e-3.
    deviation
        Largest standard deviation of the corrections, Hartree: part of them is sampled. None: 1e-5; 0:
        all is summed.
    k
        Number of states.
    natural
        True: once a list has a tenth of the determinants that are wanted, lists begin anew over the
        natural orbitals of its states, which need fewer determinants.
    irrep, point_group, ms2, frozen, active, freeze
        As Hamiltonian.eigenstates.
    tol, maxiter, method, backend, verify, threads, memory_limit, seed, analysis
        As Hamiltonian.eigenstates, for the solve of every list.
    restart
        A checkpoint of a selection, to go on from.
    checkpoint
        File that is written after each list.
    callback
        Called with a SelectionStep after each list; the selection ends where it returns False.
    options
        Further keys of the configuration.

    Returns
    -------
    Selection
        Of the last list for which there was room; `ended` and the notes of the states say why no more
        were selected. Ctrl-C ends the selection with what there is.

    Raises
    ------
    InputError
        The input is wrong.
    ResourceError
        There is no room for the first list.
    """
    if not isinstance(hamiltonian, Hamiltonian):
        raise InputError(f"hamiltonian: found {type(hamiltonian).__name__}, expected a "
                         "cisolve.Hamiltonian: determinants are of integrals")
    over = {"irrep": irrep, "point_group": point_group, "ms2": ms2, "frozen": frozen,
            "active": active, "freeze": freeze}
    as_read = hamiltonian._as_read([])
    library = hamiltonian._library(**over)
    where = machine(backend, threads, memory_limit)
    settings = keys(options, selection__determinants=determinants, selection__epsilon=epsilon,
                    selection__accuracy=accuracy, selection__deviation=deviation,
                    selection__natural=natural or None,
                    solver__states=k, solver__tolerance=tol, solver__max_iterations=maxiter,
                    solver__method=method, solver__verify=verify, solver__seed=seed,
                    solver__restart=restart,
                    checkpoint__file=checkpoint, output__analysis=None if analysis else False,
                    **where)
    heard = called(callback)
    found = _cisolve.select(library, settings,
                            None if heard is None else lambda facts: heard(_step(facts)))
    listed = over | {"determinants": (found["alpha"], found["beta"])}
    if "integrals" in found:
        as_read = hamiltonian = Hamiltonian(*found["integrals"])
        for name in ("irrep", "point_group", "ms2"):  # the list and the integrals have them
            listed.pop(name)
        if listed.pop("freeze"):  # those of lowest energy may be others now
            listed["frozen"] = found["frozen"]
    states = States(as_read, listed, None, report(found["states"]), keys(None, **where))
    return Selection(states, found, hamiltonian)
