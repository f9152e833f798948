"""Matrices: eigsh, solve, Matrix."""
from __future__ import annotations

from os import PathLike
from typing import Any, Callable, Literal, Mapping, Union

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from . import _cisolve
from ._calls import block, block_function, called, enter, keys, machine, over_elements, product_of, \
    real_array, report
from ._cisolve import InputError
from ._csr import as_csr, components_of, library_arrays, of_quaternions, own_copies
from ._gpu import (block_on_gpu, cupy_for, host_operator, on_gpu, operator_class_on_gpu,
                   takes_blocks)
from ._results import EigenResult, LinearResult
from ._scipy import EIGSH, SOLVE, WHICH, lacks
from ._words import spoken

Path = Union[str, PathLike]
#: Facts of an iteration by name; False ends the solve.
Callback = Callable[[dict], Any]


def _flat_by_flat(operator):
    """Products with a block as SciPy's solvers make them, with one flat vector each."""
    # SciPy's own matvec reshapes what comes, and says nothing of whose it is.
    given = type(operator).matvec is not LinearOperator.matvec
    product = product_of(operator.matvec if given else operator._matvec, "A", flat=True,
                         complex_too=components_of(operator) == 2)

    def multiply(x):
        return np.stack([product(np.ascontiguousarray(column)) for column in x.T], axis=1)
    return multiply


def _of_function(multiply, rows, diagonal, components=1):
    if diagonal is not None and np.iscomplexobj(diagonal) and not np.any(np.imag(diagonal)):
        diagonal = np.real(diagonal)  # a Hermitian matrix has a real one
    diagonal = np.empty(0) if diagonal is None else real_array(diagonal, "diagonal", (1,))
    if diagonal.size not in (0, rows):
        raise InputError(f"diagonal: found {diagonal.size} elements, expected {rows}, one a row of A")
    return _cisolve.Hamiltonian.from_product(
        rows, diagonal, block_function(multiply, "A", components), components)


def _is_function(a):
    return isinstance(a, LinearOperator) or operator_class_on_gpu(a) is not None or (
        callable(a) and not isinstance(a, Matrix) and not sp.issparse(a) and not on_gpu(a))


def _hamiltonian(a, diagonal):
    """The library's Hamiltonian for whatever is taken as a matrix, its rows, and the real numbers of
    an element."""
    a = host_operator(a)
    if isinstance(a, LinearOperator):
        if a.shape[0] != a.shape[1] or 0 in a.shape:
            raise InputError(f"A: found shape {a.shape}, expected a square one")
        if np.dtype(a.dtype or float).kind not in "fiubc":
            raise InputError(f"A: found a LinearOperator of type {a.dtype}, expected numbers")
        multiply, components = a.matmat, components_of(a)
        if not takes_blocks(a, LinearOperator):
            multiply = _flat_by_flat(a)
        return _of_function(multiply, a.shape[0], diagonal, components), a.shape[0], components
    if _is_function(a):
        if diagonal is None or np.size(diagonal) == 0:
            raise InputError("A is a function: give its diagonal elements as `diagonal`, or make it a "
                             "LinearOperator, which has a shape")
        return _of_function(a, np.size(diagonal), diagonal), np.size(diagonal), 1
    if diagonal is not None:
        raise InputError("diagonal: A is a matrix, which has its own")
    if isinstance(a, Matrix):
        return a._hamiltonian, a.shape[0], components_of(a)
    if isinstance(a, tuple) and len(a) == 4 and all(np.ndim(part) == 2 for part in a):
        return *of_quaternions(a), 4
    a = as_csr(a)
    components = components_of(a)
    return _cisolve.Hamiltonian.from_csr(*a.shape, *library_arrays(a), components), a.shape[0], components


@lacks(EIGSH)
@spoken()
def eigsh(A: Any, k: int = 6, *, which: Literal["SA"] = "SA", v0: ArrayLike | None = None,
          tol: float | None = None, maxiter: int | None = None, return_eigenvectors: bool = True,
          diagonal: ArrayLike | None = None, method: str | None = None, backend: str | None = None,
          format: str | None = None, verify: str | None = None, threads: int | None = None,
          memory_limit: int | None = None, time_limit: float | None = None,
          seed: int | None = None, restart: Path | None = None, checkpoint: Path | None = None,
          callback: Callback | None = None,
          options: Mapping[str, Any] | None = None) -> EigenResult | Any:
    """The k lowest eigenpairs of a real symmetric or a complex Hermitian matrix.

    Parameters
    ----------
    A
        A sparse array or matrix of any SciPy format, a dense array or a cisolve.Matrix, in host memory
        or on a GPU (CuPy), from which it is copied through host memory once. Or products alone: a
        LinearOperator, or with `diagonal` a function of a block X (n × m) that returns AX.
        Self-adjoint quaternions w + xi + yj + zk are a tuple of four real matrices (W, X, Y, Z): W
        symmetric, the others antisymmetric.
    k
        Number of eigenpairs.
    which
        'SA', the smallest eigenvalues; there is no other choice. The largest are the negatives of those
        of -A.
    v0
        Start vectors, n or n × m.
    tol
        Residual norm ‖Av − λv‖₂ of every pair, absolute: an eigenvalue is then good to about tol²
        over its distance from the others. None: 1e-6 of the typical size of A's rows, which the report
        has as `scale`. (SciPy's tol is relative to the eigenvalue.)
    maxiter
        Largest number of iterations, each with one product for every vector of a block.
    return_eigenvectors
        False: the eigenvalues alone are returned, as an array.
    diagonal
        For products alone: A's diagonal elements, n. None: ten products estimate them.
    method
        'davidson' (default), 'lobpcg' or 'lanczos'.
    backend
        'auto' (default), 'cpu' or 'cuda'.
    format
        Storage format: 'auto' (default), or a name that `cisolve formats` lists.
    verify
        How long to search for missed lower eigenvalues: 'off', 'quick', 'standard' (default) or
        'thorough'.
    threads
        Number of OpenMP threads.
    memory_limit
        Bytes that the solve may plan with, of the device or, on the CPU, of the host.
    time_limit
        Seconds after which the solve ends with what it has.
    seed
        Of random start vectors.
    restart
        File to start from: a checkpoint, or vectors in .npy or .npz.
    checkpoint
        File for the state of the solve, from which `restart` goes on.
    callback
        Called after every iteration with a dict: iteration, basis, energies, residual_norms,
        converged, products, seconds. False ends the solve.
    options
        Further keys of the configuration, {"solver.guard": 2}.

    Returns
    -------
    EigenResult
        Also of a solve that did not converge: `status` says so. Ctrl-C ends the solve and returns what
        there is.

    Raises
    ------
    InputError
        The input is wrong. Products alone are first tested with two random vectors x and y: xᵀ(Ay)
        and yᵀ(Ax) must agree.
    ResourceError
        Memory or a device is missing.
    """
    enter()
    if which != "SA":
        remedy = f"; {WHICH[which]}" if isinstance(which, str) and which in WHICH else ""
        raise InputError(f"which: found {which!r}, expected 'SA', the smallest eigenvalues{remedy}")
    hamiltonian, rows, components = _hamiltonian(A, diagonal)
    settings = keys(options, solver__states=k, solver__tolerance=tol,
                    solver__max_iterations=maxiter, solver__method=method, solver__verify=verify,
                    solver__time_limit=time_limit, solver__seed=seed, solver__restart=restart,
                    checkpoint__file=checkpoint, spmv__format=format,
                    **machine(backend, threads, memory_limit))
    if components == 4 and v0 is not None:
        raise InputError("v0: not of quaternions")
    start = None if v0 is None else block(v0, "v0", rows, components)
    module = cupy_for("A") if on_gpu(A) or operator_class_on_gpu(A) else np
    found = report(_cisolve.eigen(hamiltonian, settings, start, called(callback)))
    made = EigenResult(found, return_eigenvectors, module)
    return made if return_eigenvectors else made.eigenvalues


@lacks(SOLVE)
@spoken()
def solve(A: Any, b: ArrayLike, *, x0: ArrayLike | None = None, shift: float | None = None,
          method: str | None = None, tol: float = 1e-10, maxiter: int | None = None,
          backend: str | None = None, format: str | None = None, threads: int | None = None,
          memory_limit: int | None = None, time_limit: float | None = None,
          callback: Callback | None = None,
          options: Mapping[str, Any] | None = None) -> LinearResult:
    """Solves (A − shift) x = b for one or several columns of b.

    Parameters
    ----------
    A
        As eigsh takes it, but no LinearOperator or function and no quaternions. It need not be
        symmetric.
    b
        Right-hand sides, n or n × m.
    x0
        Start vectors, of the shape of b. None: zero.
    shift
        Subtracted from the diagonal.
    method
        'auto' (default), 'jacobi', 'jor', 'block_jacobi', 'srj', 'chebyshev_jacobi',
        'anderson_jacobi', 'cg', 'minres' or 'bicgstab'. 'auto': conjugate gradients; minres where
        A − shift is indefinite, bicgstab where it is not symmetric.
    tol
        Largest ‖b − (A − shift)x‖₂ / ‖b‖₂ of a column.
    maxiter
        Largest number of iterations.
    backend, format, threads, memory_limit, time_limit
        As eigsh.
    callback
        Called after every iteration with a dict: iteration, relative_residual, seconds. False ends the
        solve.
    options
        Further keys of the configuration, {"linear.forecast": True}.

    Returns
    -------
    LinearResult
        Also of a solve that did not converge.

    Raises
    ------
    InputError
        The input is wrong.
    ResourceError
        Memory or a device is missing.
    """
    enter()
    if _is_function(A):
        raise InputError("A: linear systems are solved with matrices, not with functions")
    hamiltonian, rows, components = _hamiltonian(A, None)
    module = cupy_for("b") if on_gpu(b) else np
    shape = np.shape(b) if module is np else tuple(b.shape)
    settings = keys(options, linear__method=method, linear__shift=shift, linear__tolerance=tol,
                    linear__max_iterations=maxiter, linear__time_limit=time_limit,
                    spmv__format=format, **machine(backend, threads, memory_limit))
    if components == 4:
        raise InputError("A: linear systems are of real and complex matrices")
    right = block(b, "b", rows, components)
    start = None if x0 is None else block(x0, "x0", rows, components)
    if start is not None and start.shape != right.shape:
        raise InputError(f"x0: found {start.shape[1]} columns, expected {right.shape[1]} as of b")
    found = _cisolve.linear(hamiltonian, right, settings, start,
                            called(callback))
    found["x"] = over_elements(found["x"], components)
    return LinearResult(report(found), shape, module)


class Matrix:
    """A matrix that is converted to its storage format once and kept on its device: `Matrix(A) @ x`.

    The product is in host memory if x is. If x is on the GPU that the matrix is on (CuPy's, or what
    CuPy takes), it is read where it lies and the product is CuPy's. eigsh and solve take a Matrix as
    the A that it was made of; SciPy takes it as a LinearOperator (`matvec`, `matmat`, `dot`). Copies
    and unpickled ones are converted anew from the CSR arrays. Not from several threads at once.

    Parameters
    ----------
    A
        A sparse or dense matrix, symmetric or not.
    columns
        Number of vectors that most products are with.
    backend, format, threads, memory_limit
        As eigsh.
    copy
        False: sorted CSR arrays of float64 are used where they lie. They must not change as long as the
        Matrix exists: columns that change would lead out of memory and end the process.
    options
        Further keys of the configuration, {"spmv.tune": True}.

    Attributes
    ----------
    shape : tuple[int, int]
        Rows and columns.
    dtype : numpy.dtype
        float64 or complex128.
    nnz : int
        Number of nonzeros.
    format : str
        The storage format.
    nbytes : int
        Bytes that are stored for the matrix.
    notes : list[str]
        Remarks, one sentence each.
    device : int
        Number of the GPU; -1: the CPU.
    """

    @spoken()
    def __init__(self, A: Any, *, columns: int = 1, backend: str | None = None,
                 format: str | None = None, threads: int | None = None,
                 memory_limit: int | None = None, copy: bool = True,
                 options: Mapping[str, Any] | None = None) -> None:
        enter()
        settings = keys(options, spmv__format=format, **machine(backend, threads, memory_limit))
        csr = as_csr(A)
        arrays = own_copies(library_arrays(csr), A) if copy else library_arrays(csr)
        self._convert(csr.shape, arrays, settings, columns, csr.dtype)

    def _convert(self, shape, arrays, settings, columns, dtype):
        self._made_of = shape, arrays, settings, columns, dtype
        self.shape: tuple[int, int] = shape
        self.dtype = np.dtype(dtype)
        self._hamiltonian = _cisolve.Hamiltonian.from_csr(*shape, *arrays, components_of(self))
        self._product = _cisolve.Product(self._hamiltonian, settings, columns)
        self.nnz: int = self._product.nonzeros
        self.format: str = self._product.format
        self.nbytes: int = self._product.bytes
        self.notes: list[str] = self._product.notes
        self.device: int = self._product.device

    def __getstate__(self):
        return self._made_of

    def __setstate__(self, made_of):
        enter()
        self._convert(*made_of)

    def _on_gpu(self, x):
        cupy = cupy_for("x")
        if components_of(self) == 2:
            raise InputError("x: products of complex matrices take vectors in host memory")
        block = block_on_gpu(x, "x", self.shape[1])
        if self.device != block.device.id:
            where = "the CPU" if self.device < 0 else f"GPU {self.device}"
            raise InputError(f"x: found an array on GPU {block.device.id}, and the matrix is on "
                             f"{where}")
        with block.device:
            y = cupy.empty((self.shape[0], block.shape[1]))
        self._product.apply_on_device(block.data.ptr, y.data.ptr, block.shape[1])
        return y.reshape((self.shape[0],) + tuple(x.shape[1:]))

    def __matmul__(self, x: ArrayLike) -> Any:
        """A x, for x of n or n × m elements in host memory or on the matrix's GPU."""
        enter()
        if on_gpu(x):
            return self._on_gpu(x)
        x = np.asarray(x)
        y = self._product.apply(block(x, "x", self.shape[1], components_of(self)))
        y = over_elements(y, components_of(self))
        return y.reshape((self.shape[0],) + x.shape[1:])

    matvec = matmat = dot = __matmul__

    def __repr__(self):
        return f"<cisolve.Matrix {self.shape}, {self.nnz} nonzeros, {self.format}, {self.nbytes} bytes>"
