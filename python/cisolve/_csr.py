"""Matrices as the library reads them: CSR of real numbers, complex ones, quaternions."""
from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from . import _cisolve
from ._calls import aligned, real_array
from ._cisolve import InputError
from ._gpu import in_host_memory


def _require_within(a):
    """Raises InputError where indices lead out of the arrays or the matrix, as SciPy's conversions
    would follow them; columns of CSR are the library's to check."""
    wide = a.format == "csr" and a.indices.dtype.itemsize > 4  # what is cut to 32 bits it cannot see
    kinds = {"csr": a.shape[1] if wide else None, "csc": a.shape[0], "bsr": None}
    if a.format in kinds:
        offsets, bounds = a.indptr, [(a.indices, kinds[a.format])]
        if a.format == "bsr":
            bounds = [(a.indices, a.shape[1] // a.blocksize[1])]
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] > len(a.indices) or (
                np.diff(offsets) < 0).any():
            raise InputError("A: indptr does not ascend from 0 to the number of indices")
    else:
        bounds = list(zip(a.coords, a.shape)) if a.format == "coo" else []
    for indices, bound in bounds:
        if bound is not None and indices.size and (indices.min() < 0 or indices.max() >= bound):
            raise InputError(f"A: found indices from {indices.min()} to {indices.max()}, expected 0 "
                             f"to {bound - 1}")


def as_csr(a):
    """A SciPy sparse or a dense matrix as sorted CSR without duplicates; itself where it is one."""
    a = in_host_memory(a, "A")
    if not sp.issparse(a):
        a = sp.csr_array(real_array(a, "A", (2,), complex_too=True))
    if a.dtype.kind not in "fiubc":
        raise InputError(f"A: found elements of type {a.dtype}, expected numbers")
    if a.ndim != 2 or 0 in a.shape:
        raise InputError(f"A: found a matrix of shape {a.shape}, expected rows and columns")
    _require_within(a)
    element = np.complex128 if a.dtype.kind == "c" else np.float64
    if a.dtype != element:  # of the other byte order too, and of half precision, as files have it
        a = a.astype(element)
    a = a.tocsr()
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    return a


def components_of(a):
    """Real numbers of an element."""
    return 2 if np.dtype(a.dtype or float).kind == "c" else 1


def library_arrays(a):
    """CSR as the library reads it: float64, or pairs of them if complex, with 64-bit offsets and
    32-bit columns. Arrays that are so already are not copied."""
    values = aligned(a.data, a.dtype).view(np.float64)
    return aligned(a.indptr, np.int64), aligned(a.indices, np.int32), values


def of_quaternions(parts):
    """The Hamiltonian, and its rows, of the quaternions w + xi + yj + zk in four real matrices."""
    parts = [as_csr(part) for part in parts]
    shapes = {part.shape for part in parts}
    if len(shapes) > 1 or any(part.dtype.kind == "c" for part in parts):
        raise InputError("A: four matrices are the real parts of quaternions, of one shape")
    rows, columns = shapes.pop()
    places = [part.indices + np.int64(columns) * np.repeat(np.arange(rows), np.diff(part.indptr))
              for part in parts]
    every = np.unique(np.concatenate(places))
    values = np.zeros((len(every), 4))
    for c, (part, place) in enumerate(zip(parts, places)):
        values[np.searchsorted(every, place), c] = part.data
    offsets = np.searchsorted(every, np.int64(columns) * np.arange(rows + 1))
    made = _cisolve.Hamiltonian.from_csr(rows, columns, aligned(offsets, np.int64),
                                         aligned(every % columns, np.int32), values.reshape(-1), 4)
    return made, rows


def own_copies(arrays, a):
    """Copies of those that are a's."""
    theirs = [x for x in getattr(a, "__dict__", {}).values() if isinstance(x, np.ndarray)]
    return tuple(array.copy() if any(np.may_share_memory(array, x) for x in theirs) else array
                 for array in arrays)
