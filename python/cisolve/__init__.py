"""The lowest eigenpairs of configuration interaction (CI) Hamiltonians and other sparse matrices, on
CPU cores or a GPU, and linear systems with them.

    eigsh(A, k)                 lowest eigenpairs of a matrix, as scipy.sparse.linalg.eigsh
    solve(A, b)                 a linear system
    Matrix(A)                   a matrix converted to its format, kept on its device: `@`
    Hamiltonian(h1, eri, …)     integrals: states, densities
    select(hamiltonian)         selected CI: the important determinants, corrected, extrapolated
    PositionIntegrals(r)        their dipole moments and oscillator strengths
    cisolve.pyscf.FCI           a solver for PySCF's CASCI and CASSCF; SCI, of selected CI
    cisolve.sqd                 solvers over sampled strings, for qiskit-addon-sqd

    InputError                  wrong input, a ValueError
    ResourceError               what the machine lacks, a MemoryError and RuntimeError

Energies are in Hartree where a Hamiltonian is of integrals, else in the matrix's unit.
"""
from ._cisolve import InputError, ResourceError, cuda_unavailable_reason
from ._cisolve import version as _version
from ._hamiltonian import Hamiltonian
from ._matrix import Matrix, eigsh, solve
from ._results import EigenResult, LinearResult
from ._selection import Selection, SelectionStep, select
from ._states import PositionIntegrals, State, States

for _error in (InputError, ResourceError):
    _error.__module__ = __name__  # where they are found, by pickle too

__version__ = _version()
__all__ = ["EigenResult", "Hamiltonian", "InputError", "LinearResult", "Matrix", "PositionIntegrals",
           "ResourceError", "Selection", "SelectionStep", "State", "States", "cuda_unavailable_reason",
           "eigsh", "select", "solve"]
