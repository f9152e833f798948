"""Selected CI: lists of determinants that grow by the most important ones."""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _cisolve
from ._calls import called, keys, machine, report, spoken
from ._cisolve import InputError
from ._hamiltonian import Hamiltonian
from ._lists import integers_of
from ._matrix import Path, Vectors
from ._states import States


class SelectionStep(NamedTuple):
    """A list and its states; arrays have an element of each, in Hartree.

    determinants      how many
    epsilon           importance |H_ai c_i| of the least important one that the list added; 0 of the
                      first list
    converged         whether the solve is
    energies          variational
    corrections       of second order (Epstein–Nesbet), to be added
    deviations        standard deviations of these, where part of them was sampled
    extrapolated      energies of all determinants, from this list and those before; NaN: too few
    uncertainties     of these; estimates, and no bounds
    seconds
    natural           whether it is over natural orbitals
    continues         of each state the one of the list before that it continues, by overlap, from 0;
                      -1: none. Empty of the first list
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
    """What came of a selection.

    states         of the last list: States, as of eigenstates(determinants=)
    determinants   that list, of every row, over all orbitals of the Hamiltonian: (alpha, beta) as
                   eigenstates takes them, uint64, or Python's integers beyond 64 orbitals
    steps          of every list a SelectionStep
    energies, corrections, deviations, totals, extrapolated, uncertainties   of the last step
    complete       the Hamiltonian leads from the list to no other determinant
    ended          why no more were selected, a sentence
    rotation       with natural=True: natural orbitals as columns over those of the Hamiltonian, m × m;
                   else None
    hamiltonian    that over these orbitals, to which states and determinants refer; else the one given
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
        return self._last("energies")

    @property
    def corrections(self) -> Vectors:
        return self._last("corrections")

    @property
    def deviations(self) -> Vectors:
        return self._last("deviations")

    @property
    def totals(self) -> Vectors:
        return self._last("totals")

    @property
    def extrapolated(self) -> Vectors:
        return self._last("extrapolated")

    @property
    def uncertainties(self) -> Vectors:
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

    determinants    so many are selected, at least; else
    epsilon         all that a selected one leads to by |H_ai c_i| above this, Hartree; else
    accuracy        until the uncertainty of the extrapolated energies is at most this (1e-3)
    deviation       standard deviation that the corrections may have, Hartree (1e-5); 0: none
    natural         once a list has a tenth of what is wanted, begin anew over the natural orbitals of
                    its states, which need fewer determinants
    callback        called with a SelectionStep after each list; the selection ends where it returns
                    False
    checkpoint      file that is written after each list; restart: one to go on from

    Where there is no room to go on, the result is of the last list that had it; `ended` and the
    states' notes say why. The rest as Hamiltonian.eigenstates. Returns a Selection; Ctrl-C ends with what there is, the
    states' status `interrupted`.
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
