"""Results of eigsh and solve."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._calls import EigenFacts, Facts, Pair, over_elements

#: Real, of complex matrices complex.
Vectors = NDArray[Any]


class EigenResult(Pair, EigenFacts):
    """Eigenpairs of a matrix. `w, v = result` unpacks it, as the result of SciPy's eigsh; so do
    result[0] and result[1]. Arrays are NumPy's; eigenvalues and vectors of a matrix on a GPU are
    CuPy's.

    Attributes
    ----------
    eigenvalues
        k, ascending.
    vectors
        n × k, orthonormal columns; n × k × 4 for quaternions. None without return_eigenvectors.
    residuals
        ‖Av − λv‖₂ of each pair, recomputed from the vector.
    converged
        Whether the residual of each pair is within the tolerance.
    status : str
        "converged", or why the solve ended: "max_iterations", "time_limit", "interrupted",
        "cancelled", "stagnated", "breakdown".
    verified : bool
        All pairs are converged, and a missed lower one is excluded with a probability of error of at
        most 1e-6.
    excluded_gap : float
        No state was missed that lies more than this below the highest one.
    iterations, products, search_products : int
        Iterations; products with one vector, and how many more the search for lower states took.
    seconds : float
        Of the solve.
    notes : list[str]
        Remarks, one sentence each.
    report : dict
        The report of the program, as `cisolve eigen --json` writes it.
    """

    eigenvalues: Vectors
    vectors: Vectors | None
    residuals: Vectors
    converged: NDArray[np.bool_]

    def __init__(self, found, with_vectors=True, module=np):
        super().__init__(found)
        self.eigenvalues = module.asarray([s["energy"] for s in found["states"]])
        vectors = over_elements(found["vectors"], found["components"])
        self.vectors = module.asarray(vectors) if with_vectors else None
        self.residuals = np.array([s["residual_norm"] for s in found["states"]])
        self.converged = np.array([s["converged"] for s in found["states"]])

    def _pair(self):
        return self.eigenvalues, self.vectors

    def __repr__(self):
        word = "verified" if self.verified else "not verified"
        return f"<{type(self).__name__}: {self.status}, {word}, {self.eigenvalues}>"


class LinearResult(Pair, Facts):
    """Solution of a linear system. `x, info = result` unpacks it, as the result of SciPy's cg; so do
    result[0] and result[1].

    Attributes
    ----------
    x
        The solution, of the shape of b; CuPy's where b is on a GPU.
    info
        0: converged. Above 0: a limit or the user ended the solve after so many iterations (1 if there
        was none). −1: the method could not go on.
    converged
        Whether `status` is "converged".
    residuals
        ‖b − (A − σ)x‖₂ of each column, recomputed from x.
    relative_residuals
        These over ‖b‖₂.
    status : str
        "converged", or why the solve ended: "max_iterations", "time_limit", "interrupted",
        "cancelled", "stagnated", "breakdown", "diverged", "indefinite".
    iterations, products : int
        Iterations; products with one vector.
    seconds : float
        Of the solve.
    notes : list[str]
        Remarks, one sentence each.
    report : dict
        The report of the program, as `cisolve linear --json` writes it.
    """

    x: Vectors
    info: int
    converged: bool
    residuals: Vectors
    relative_residuals: Vectors

    def __init__(self, found, shape, module=np):
        super().__init__(found)
        self.x = module.asarray(found["x"]).reshape(shape)
        self.residuals = np.array(found["residual_norms"])
        self.relative_residuals = np.array(found["relative_residuals"])
        self.converged = self.status == "converged"
        ended = self.status in ("max_iterations", "time_limit", "interrupted", "cancelled")
        self.info = 0 if self.converged else max(self.iterations, 1) if ended else -1

    def _pair(self):
        return self.x, self.info

    def __repr__(self):
        return f"<LinearResult: {self.status}, relative residuals {self.relative_residuals}>"
