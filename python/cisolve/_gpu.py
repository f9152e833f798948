"""Arrays in a GPU's memory. They are CuPy's, or what CuPy takes without a copy: objects with
__cuda_array_interface__ or DLPack (PyTorch, Numba, JAX)."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ._cisolve import InputError, cuda_unavailable_reason

_CUDA = (2, 13)  # DLPack's numbers of CUDA memory, its own and managed


def on_gpu(a: Any) -> bool:
    """True if an array, or a sparse matrix of CuPy's, is in a GPU's memory."""
    if isinstance(a, np.ndarray):
        return False
    if type(a).__module__.split(".")[0] in ("cupy", "cupyx") and hasattr(a, "get"):
        return True
    try:
        if hasattr(a, "__cuda_array_interface__"):
            return True
    except Exception:  # as PyTorch's tensors in host memory do
        return False
    device = getattr(a, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in _CUDA


def operator_class_on_gpu(a: Any) -> Any:
    """CuPy's class LinearOperator if a is one of those; else None."""
    return next((c for c in type(a).__mro__
                 if c.__module__.split(".")[0] == "cupyx" and c.__name__ == "LinearOperator"), None)


def takes_blocks(operator: Any, base: type) -> bool:
    """True if a LinearOperator, of SciPy's or CuPy's class `base`, has its own product with several
    vectors. Otherwise that class makes it of products with n × 1, which functions of flat vectors
    may take wrongly and without an error."""
    if getattr(operator, "_CustomLinearOperator__matmat_impl", operator) is None:
        return False
    parts = [a for a in getattr(operator, "args", ()) if isinstance(a, base)]
    return (type(operator)._matmat is not base._matmat
            and all(takes_blocks(part, base) for part in parts))


def host_operator(a: Any) -> Any:
    """SciPy's LinearOperator with the products of one of CuPy's, whose vectors go through host
    memory; another object itself."""
    base = operator_class_on_gpu(a)
    if base is None:
        return a
    cupy = cupy_for("A")

    def through(product):
        return lambda x: product(cupy.asarray(x)).get()
    blocks = takes_blocks(a, base)
    return LinearOperator(a.shape, through(a.matvec), matmat=through(a.matmat) if blocks else None,
                          dtype=a.dtype)


def cupy_for(name: str) -> Any:
    """CuPy. Raises InputError where it or a GPU is missing."""
    reason = cuda_unavailable_reason()
    if reason:
        raise InputError(f"{name}: found an array in a GPU's memory, which cannot be used here: "
                         f"{reason}")
    try:
        import cupy
    except ImportError:
        raise InputError(f"{name}: found an array in a GPU's memory, which is read by CuPy: "
                         "pip install cupy-cuda13x (or cupy-cuda12x)") from None
    return cupy


def as_cupy(a: Any, name: str) -> Any:
    """The array's memory as CuPy's array; sparse matrices of CuPy as they are."""
    cupy = cupy_for(name)
    if type(a).__module__.split(".")[0] in ("cupy", "cupyx"):
        return a
    try:
        return cupy.asarray(a) if hasattr(a, "__cuda_array_interface__") else cupy.from_dlpack(a)
    except Exception as error:
        raise InputError(f"{name}: CuPy does not take it: {error}") from error


def in_host_memory(a: Any, name: str) -> Any:
    """A copy in host memory of what is on a GPU, as NumPy's or SciPy's; else the object itself."""
    return as_cupy(a, name).get() if on_gpu(a) else a


def block_on_gpu(x: Any, name: str, rows: int) -> Any:
    """rows × k numbers of float64, row by row, without a copy where they are so already."""
    cupy = cupy_for(name)
    x = as_cupy(x, name)
    if x.ndim not in (1, 2):
        raise InputError(f"{name}: found {x.ndim} dimensions, expected 1 or 2")
    if x.shape[0] != rows:
        raise InputError(f"{name}: found {x.shape[0]} rows, expected {rows}")
    if x.dtype.kind not in "fiub":
        raise InputError(f"{name}: found elements of type {x.dtype}, expected real numbers")
    return cupy.ascontiguousarray(x.reshape(rows, -1), dtype=cupy.float64)
