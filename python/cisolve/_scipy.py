"""SciPy's parameters that cisolve has not, each with what to write instead
(docs/reference/scipy.md)."""
import functools

_INTERIOR = ("there is no shift-invert; a few eigenvalues near sigma are those of the lowest of S @ S, "
             "S = A - sigma I; for many, SciPy")
_GENERALISED = "solve L⁻¹ A L⁻ᵀ y = λ y with M = L Lᵀ, x = L⁻ᵀ y"
#: Of eigsh, by name.
EIGSH = {
    "sigma": _INTERIOR, "mode": _INTERIOR, "OPinv": _INTERIOR,
    "M": _GENERALISED, "Minv": _GENERALISED,
    "ncv": "options={'solver.max_basis': 40} limits the basis",
    "rng": "seed=2 gives other random vectors"}
#: Of cg, minres and bicgstab.
SOLVE = {
    "rtol": "tol=1e-5 is relative to the norm of b",
    "atol": "options={'linear.absolute_tolerance': 1e-8} is absolute",
    "M": "the diagonal of A preconditions always; method='block_jacobi' takes blocks of it"}
#: Of eigsh's `which`.
WHICH = {
    "LA": "the largest are the negatives of eigsh(-A, k)",
    "LM": "the largest are the negatives of eigsh(-A, k); of both ends, take the largest by magnitude",
    "BE": "two calls, of A and of -A, give both ends",
    "SM": _INTERIOR.replace("near sigma", "near 0").replace("S @ S, S = A - sigma I", "A @ A")}


def lacks(remedies):
    """Makes the TypeError of a keyword that the function has not say what to write instead."""
    def decorated(function):
        @functools.wraps(function)
        def call(*arguments, **keywords):
            for name in keywords:
                if name in remedies:
                    raise TypeError(f"{function.__name__}() has no {name}: {remedies[name]}")
            return function(*arguments, **keywords)
        return call
    return decorated
