"""Sample-based diagonalisation: solvers as qiskit-addon-sqd takes them.

    diagonalize_fermionic_hamiltonian(h1, h2, samples, …, sci_solver=cisolve.sqd.solve_sci_batch)

The lowest state over all pairs of lists of alpha and beta strings, with its densities. Results are
qiskit-addon-sqd's SCIResult and SCIState where that is installed, else classes with their fields.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._calls import real_array
from ._cisolve import InputError
from ._hamiltonian import Hamiltonian
from ._strings import ascending, lowest_states, penalty

try:
    from qiskit_addon_sqd.fermion import SCIResult, SCIState
except ImportError:
    @dataclass(frozen=True)
    class SCIState:  # type: ignore[no-redef]
        """A state over all pairs of alpha and beta strings.

        Attributes
        ----------
        amplitudes
            alpha × beta strings.
        ci_strs_a, ci_strs_b
            The strings, bit p for orbital p, ascending.
        norb, nelec
            Orbitals; alpha and beta electrons.
        """

        amplitudes: NDArray[np.float64]
        ci_strs_a: NDArray[Any]
        ci_strs_b: NDArray[Any]
        norb: int
        nelec: tuple[int, int]

    @dataclass(frozen=True)
    class SCIResult:  # type: ignore[no-redef]
        """The lowest state with its energy and densities.

        Attributes
        ----------
        energy
            Hartree, without nuclear repulsion.
        sci_state
            The state.
        orbital_occupancies
            Of alpha and beta electrons.
        rdm1, rdm2
            Summed over spins: E = Σ h_pq rdm1_pq + ½ Σ (pq|rs) rdm2_pqrs.
        carryover
            None: strings to go on with are chosen by the amplitudes.
        """

        energy: float
        sci_state: SCIState
        orbital_occupancies: tuple[NDArray[np.float64], NDArray[np.float64]]
        rdm1: NDArray[np.float64] | None = None
        rdm2: NDArray[np.float64] | None = None
        carryover: tuple[NDArray[Any], NDArray[Any]] | None = None

__all__ = ["SCIResult", "SCIState", "solve_sci", "solve_sci_batch"]


#: Hartree by which PySCF's fix_spin_, as qiskit-addon-sqd calls it, shifts S².
_SHIFT = 0.1


def _result(strings, hamiltonian, h1, h2, nelec, spin_sq, settings):
    norb = len(h1)
    strings = ascending(strings, "ci_strings")
    added = None if spin_sq is None else penalty(strings, norb, nelec, spin_sq, _SHIFT)
    states = lowest_states(hamiltonian, strings, 1, added=added, **settings)
    if not states[0].converged:
        raise RuntimeError(f"cisolve.sqd: the solve ended as {states.status}, residual "
                           f"{states[0].residual:.1e} Hartree")
    rdm2, by_spin = states[0].rdm2(), states.densities(True)[0][0, 0]  # made together
    rdm1 = by_spin.sum(0)
    energy = float(np.vdot(rdm1, h1) + 0.5 * np.vdot(rdm2, h2))
    state = SCIState(states.ci[0], *strings, norb=norb, nelec=nelec)
    return SCIResult(energy, state, tuple(np.diagonal(spin).copy() for spin in by_spin), rdm1=rdm1,
                     rdm2=rdm2)


def _by_all(comm, solves):
    """Results of the functions, each called by one of the communicator's processes; an error of one
    is raised by all."""
    found, error = [], None
    try:
        found = [solve() for solve in solves[comm.Get_rank()::comm.Get_size()]]
    except Exception as raised:  # the others wait for this process
        error = raised
    gathered = comm.allgather((found, error))
    for _, error in gathered:
        if error is not None:
            raise error
    results = [None] * len(solves)
    for rank, (found, _) in enumerate(gathered):
        results[rank::comm.Get_size()] = found
    return results


def solve_sci_batch(ci_strings: Sequence[tuple[ArrayLike, ArrayLike]], one_body_tensor: ArrayLike,
                    two_body_tensor: ArrayLike, norb: int, nelec: tuple[int, int], *,
                    spin_sq: float | None = None, tol: float = 1e-6, verify: str = "quick",
                    backend: str | None = None, threads: int | None = None,
                    memory_limit: int | None = None, comm: Any = None) -> list[SCIResult]:
    """The lowest state over all pairs of two lists of strings, for each of several pairs of lists.

    Parameters
    ----------
    ci_strings
        Pairs of lists (alpha strings, beta strings). A string is an integer, bit p for orbital p; lists
        have any order. Beyond 63 orbitals: Python's integers in an object array.
    one_body_tensor
        One-electron integrals, norb × norb, Hartree.
    two_body_tensor
        Two-electron integrals (pq|rs), chemists' order: norb⁴.
    norb
        Number of orbitals.
    nelec
        Alpha and beta electrons.
    spin_sq
        ⟨S²⟩ of the state. As PySCF's fix_spin_, 0.1 (S² − spin_sq), or its square above the lowest
        spin, is added to H; S² as far as it leads to pairs of these strings.
    tol
        Residual norm, Hartree; the error of an energy is of the order of its square.
    verify
        How long to search for lower states, as cisolve.eigsh.
    backend, threads, memory_limit
        As cisolve.eigsh.
    comm
        An MPI communicator (mpi4py's), all of whose processes call: each solves for some of the pairs,
        and all have all results. None: every process solves for all.

    Returns
    -------
    list[SCIResult]
        One for each pair of lists.

    Raises
    ------
    InputError
        Strings, electrons and integrals contradict each other.
    RuntimeError
        A solve does not converge.
    """
    h1 = real_array(one_body_tensor, "one_body_tensor", (2,))
    h2 = real_array(two_body_tensor, "two_body_tensor", (4,))
    if h2.shape != (norb,) * 4:
        raise InputError(f"two_body_tensor: found shape {h2.shape}, expected {(norb,) * 4}")
    if np.shape(nelec) != (2,):
        raise InputError(f"nelec: found {nelec}, expected (alpha, beta)")
    nelec = int(nelec[0]), int(nelec[1])
    hamiltonian = Hamiltonian(h1, h2, norb, nelec)
    settings = {"tol": tol, "verify": verify, "backend": backend, "threads": threads,
                "memory_limit": memory_limit}
    solves = [partial(_result, strings, hamiltonian, h1, h2, nelec, spin_sq, settings)
              for strings in ci_strings]
    return [solve() for solve in solves] if comm is None else _by_all(comm, solves)


def solve_sci(ci_strings: tuple[ArrayLike, ArrayLike], one_body_tensor: ArrayLike,
              two_body_tensor: ArrayLike, norb: int, nelec: tuple[int, int], *,
              spin_sq: float | None = None, **kwargs: Any) -> SCIResult:
    """The lowest state over all pairs of two lists of strings.

    Parameters
    ----------
    ci_strings
        Alpha strings and beta strings.
    one_body_tensor, two_body_tensor, norb, nelec, spin_sq
        As solve_sci_batch.
    kwargs
        Further keyword arguments of solve_sci_batch.

    Returns
    -------
    SCIResult
        Energy, state, occupancies and densities.
    """
    return solve_sci_batch([ci_strings], one_body_tensor, two_body_tensor, norb, nelec,
                           spin_sq=spin_sq, **kwargs)[0]
