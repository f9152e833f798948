"""States over all pairs of two lists of strings, for programs that have such lists."""
from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from . import _cisolve
from ._calls import keys, machine, report
from ._cisolve import InputError
from ._hamiltonian import start_vectors
from ._lists import words_of
from ._states import States


def ascending(strings, name):
    """Both lists in ascending order: int64, or Python's integers in an object array where they were
    given so or do not fit. Raises InputError for what is no pair of lists of integers."""
    try:
        alpha, beta = strings
    except (TypeError, ValueError):
        raise InputError(f"{name}: found {type(strings).__name__}, expected (alpha, beta)") from None
    made = []
    for spin, given in (("alpha", alpha), ("beta", beta)):
        words_of(given, f"{name}, {spin}")
        array = given if isinstance(given, np.ndarray) else np.asarray(given, object)
        if array.ndim != 1:
            raise InputError(f"{name}, {spin}: found {array.ndim} dimensions, expected 1")
        numbers = sorted(map(int, array))
        kept = isinstance(given, np.ndarray) and given.dtype == object
        fits = not numbers or numbers[-1] < 1 << 63
        made.append(np.array(numbers, object if kept or not fits else np.int64))
    return tuple(made)


def carried(vector, old, new):
    """A vector over all pairs of the old strings as one over those of the new: their coefficients
    where there are some, else zero. Strings ascend."""
    made = np.zeros(tuple(map(len, new)))
    (_, a_old, a_new), (_, b_old, b_new) = (np.intersect1d(x, y, True, True)
                                            for x, y in zip(old, new))
    made[np.ix_(a_new, b_new)] = np.reshape(vector, tuple(map(len, old)))[np.ix_(a_old, b_old)]
    return made


def _bits(strings, norb):
    return np.array([[number >> p & 1 for p in range(norb)] for number in map(int, strings)], bool)


def spin_squared(strings, norb, nelec):
    """S² over all pairs of ascending strings, alpha × beta, as far as it leads to such pairs: of a part
    of full CI that S² leads out of, P S² P. CSR.

    S² = S₋S₊ + M(M + 1), and S₊ = Σ_p p†_α p_β is a product of strings for each orbital.
    """
    alpha, beta = (_bits(each, norb) for each in strings)
    raised, lowered = {}, {}  # numbers of the strings that S₊ leads to
    parts = []
    for p in range(norb):
        factors = []
        for spin, bits, movable, numbers in ((0, alpha, ~alpha[:, p], raised),
                                             (1, beta, beta[:, p], lowered)):
            columns = np.flatnonzero(movable)
            rows = [numbers.setdefault(int(strings[spin][i]) ^ (1 << p), len(numbers))
                    for i in columns]
            signs = 1.0 - 2.0 * (bits[columns, :p].sum(axis=1) % 2)
            factors.append((signs, np.array(rows, np.int64), columns))
        parts.append(factors)
    shapes = (len(raised), len(alpha)), (len(lowered), len(beta))
    plus = sp.csr_array((shapes[0][0] * shapes[1][0], shapes[0][1] * shapes[1][1]))
    for factors in parts:
        a, b = (sp.coo_array((signs, (rows, columns)), shape)
                for (signs, rows, columns), shape in zip(factors, shapes))
        plus = plus + sp.kron(a, b, format="csr")
    m = 0.5 * (nelec[0] - nelec[1])
    return (plus.T @ plus + m * (m + 1.0) * sp.eye_array(plus.shape[1])).tocsr()


def penalty(strings, norb, nelec, ss, shift):
    """Term that raises states of other spins, as PySCF's fix_spin_: shift (S² − ss), or the square
    of S² − ss if ss is not that of the lowest possible spin. CSR."""
    m = 0.5 * abs(nelec[0] - nelec[1])
    off = spin_squared(strings, norb, nelec)
    off = off - ss * sp.eye_array(off.shape[0])
    return (shift * (off if ss < m * (m + 1.0) + 0.1 else off @ off)).tocsr()


def lowest_states(hamiltonian, strings, k, v0=None, added=None, *, tol=None, maxiter=None,
                  verify=None, backend=None, threads=None, memory_limit=None):
    """The k lowest states over all pairs of ascending strings; `added`: of H + that matrix over the
    pairs, CSR. Returns States; energies are those of the sum."""
    where = machine(backend, threads, memory_limit)
    if added is None:
        return hamiltonian.eigenstates(k, strings=strings, v0=v0, tol=tol, maxiter=maxiter,
                                       verify=verify, analysis=False, backend=backend,
                                       threads=threads, memory_limit=memory_limit)
    library = hamiltonian._library(strings=strings)
    added.sum_duplicates()
    start = None if v0 is None else start_vectors(v0, added.shape[0])
    matrix = _cisolve.Hamiltonian.from_csr(*added.shape, added.indptr.astype(np.int64),
                                           added.indices.astype(np.int32), added.data, 1)
    settings = keys(None, solver__states=k, solver__tolerance=tol, solver__max_iterations=maxiter,
                    solver__verify=verify, output__analysis=False, **where)
    found = report(_cisolve.eigen(library + matrix, settings, start, None, None))
    return States(hamiltonian, {"strings": strings}, library, found, keys(None, **where))
