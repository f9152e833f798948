"""Refusals of eigsh and others, and their messages."""
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from test_eigsh import A

import cisolve
from cisolve._words import in_keywords


WRONG = {
    "not square": ([[1, 2, 3], [4, 5, 6]], {}, "2 x 3"),
    "not symmetric": ([[1, 2], [5, 3]], {},
                      r"row 1, column 2 is 2, but .* is 5; \(A \+ A.T\) / 2 is symmetric$"),
    "NaN": ([[1, np.nan], [np.nan, 3]], {}, "not finite"),
    "NaN, sparse": (sp.csr_array(np.array([[1, np.nan], [np.nan, 3]])), {}, "row 1, column 2"),
    "infinity": (sp.csr_array(np.array([[np.inf, 0], [0, 3]])), {}, "row 1, column 1"),
    "empty": (np.zeros((0, 0)), {}, r"\(0, 0\)"),
    "empty, sparse": (sp.csr_array((0, 5)), {}, r"\(0, 5\)"),
    "a vector": (np.ones(4), {}, "1 dimensions"),
    "not Hermitian": (A * 1j, {}, "not Hermitian"),
    "quaternions that are not self-adjoint": ((A, A, A, A), {}, "not self-adjoint|not Hermitian"),
    "quaternions of two shapes": ((A, A, A, np.eye(2)), {}, "of one shape"),
    "a number": (3.0, {}, "0 dimensions"),
    "text": ("matrix", {}, "^A: found str, expected an array"),
    "nothing": (None, {}, "^A: found NoneType, expected an array"),
    "a Hamiltonian": (cisolve.Hamiltonian(np.eye(1), np.zeros(1), 1, 1), {},
                      "^A: found Hamiltonian, expected an array"),
    "objects": (np.array([[1, None], [None, 2]]), {}, "object"),
    "no states": (A, {"k": 0}, "found '0'"),
    "too many states": (np.eye(2), {"k": 3}, "3 asked for"),
    "half a state": (A, {"k": 1.5}, "found '1.5'"),
    "highest": (A, {"which": "LA"}, r"'SA'.*negatives of eigsh\(-A, k\)$"),
    "both ends": (A, {"which": "BE"}, "'SA'.*two calls"),
    "interior": (A, {"which": "SM"}, "'SA'.*lowest of A @ A"),
    "no choice of SciPy's": (A, {"which": "XX"}, "'SA', the smallest eigenvalues$"),
    "tolerance": (A, {"tol": 0}, "^tol: found"),
    "method": (A, {"method": "magic"}, "davidson, lobpcg, lanczos"),
    "format": (A, {"format": "magic"}, "magic"),
    "backend": (A, {"backend": "tpu"}, "auto, cpu, cuda"),
    "key": (A, {"options": {"solver.magic": 1}}, "magic"),
    "a program's key": (A, {"options": {"output.json": "x"}}, "run files alone"),
    "start of other rows": (A, {"v0": np.ones(7)}, "found 7 rows, expected 300"),
    "no start": (A, {"v0": np.empty((300, 0))},
                 r"^v0: found shape \(300, 0\), expected at least one column"),
    "start of NaN": (A, {"v0": np.full(300, np.nan)}, "not finite"),
    "a diagonal too many": (A, {"diagonal": A.diagonal()}, "has its own"),
    "a diagonal of other rows": (sla.aslinearoperator(A), {"diagonal": np.ones(7)},
                                 "^diagonal: found 7 elements, expected 300"),
    "an operator that is not Hermitian": (sla.aslinearoperator(1j * A), {},
                                          "not those of a symmetric matrix"),
    "NaN, of a function": (lambda x: np.nan * x, {"diagonal": np.ones(9)},
                           "^A: product 1 has NaN in row 1, column 1,"),
    "a function without": (lambda x: x, {}, "diagonal"),
    "a function of another shape": (lambda x: x[:-1], {"diagonal": np.ones(9)}, r"\(8, "),
    "an operator that is not square": (sla.aslinearoperator(np.ones((2, 3))),
                                       {"diagonal": np.ones(2)}, "square"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input(case):
    matrix, arguments, words = WRONG[case]
    with pytest.raises(cisolve.InputError, match=words) as error:
        cisolve.eigsh(matrix, **{"k": 1, **arguments})
    assert isinstance(error.value, ValueError)


def corrupt(form, name, place, value):
    made = A.asformat(form)
    made = made.copy()
    array = made.coords[0].copy() if name == "coords" else getattr(made, name).copy()
    array[place] = value
    setattr(made, name, (array, made.coords[1]) if name == "coords" else array)
    return made


@pytest.mark.parametrize("form, name, place, value", [
    ("csr", "indptr", 3, 10**6), ("csr", "indptr", 5, -4), ("csr", "indptr", -1, 10**6),
    ("csr", "indptr", 0, 1), ("csr", "indices", 0, -5), ("csr", "indices", 2, 300),
    ("csc", "indices", 0, 10**6), ("csc", "indices", 1, -1), ("csc", "indptr", 3, 10**6),
    ("bsr", "indices", 0, 10**6), ("coo", "coords", 0, 10**6), ("coo", "coords", 0, -2)])
def test_indices_that_lead_out_of_the_matrix(form, name, place, value):
    with pytest.raises(cisolve.InputError):
        cisolve.eigsh(corrupt(form, name, place, value), 1)


def test_what_the_machine_lacks():
    with pytest.raises(cisolve.ResourceError, match="not enough host memory") as error:
        cisolve.eigsh(A, 1, memory_limit=1000, backend="cpu")
    assert isinstance(error.value, MemoryError)
    if cisolve.cuda_unavailable_reason():
        with pytest.raises(cisolve.ResourceError, match="CUDA"):
            cisolve.eigsh(A, 1, backend="cuda")


def test_errors_are_builtin_ones_with_names_of_their_own():
    import pickle
    assert issubclass(cisolve.InputError, ValueError)
    assert issubclass(cisolve.ResourceError, MemoryError)
    assert issubclass(cisolve.ResourceError, RuntimeError)
    for kind in (cisolve.InputError, cisolve.ResourceError):
        assert kind.__module__ == "cisolve" and getattr(cisolve, kind.__name__) is kind
        assert str(pickle.loads(pickle.dumps(kind("why")))) == "why"


def with_at(x, row, value):
    x = np.array(x)
    x[row] = value
    return x


@pytest.mark.parametrize("kind", ["function", "matvec", "matmat"])
@pytest.mark.parametrize("wrong, told", [
    (lambda y: None, "is NoneType, expected an array of shape"), (lambda y: "y", "is str, expected"),
    (lambda y: y.tolist()[:-1], r"has shape \(299,"), (lambda y: [[1, 2], [3]], "is list: "),
    (lambda y: sp.csr_array(np.atleast_2d(y)), "is csr_array, expected an array"),
    (lambda y: 1j * y, "has elements of type complex128, expected real"),
    (lambda y: y.astype(object), "has elements of type object"),
    (lambda y: 1.0, r"has shape \(\), expected"), (lambda y: with_at(y, 7, np.nan), "has NaN in row 8"),
    (lambda y: with_at(y, 7, -np.inf), "has infinity in row 8")])
def test_what_a_product_returned_is_named(kind, wrong, told):
    calls = []

    def product(x):
        calls.append(x)
        return wrong(A @ x) if len(calls) == 9 else A @ x
    operator = {"function": product, "matvec": sla.LinearOperator(A.shape, product, dtype=float),
                "matmat": sla.LinearOperator(A.shape, A.__matmul__, matmat=product, dtype=float)}[kind]
    with pytest.raises(cisolve.InputError, match="^A: product 9 " + told):
        cisolve.eigsh(operator, 2, diagonal=A.diagonal(), tol=1e-10)


@pytest.mark.parametrize("wrong, told", [
    ({"k": 0}, "k: found '0'"), ({"k": 9}, "k: more states"), ({"tol": -1.0}, "tol: found"),
    ({"maxiter": -1}, "maxiter: found"), ({"method": "x"}, "method: found"),
    ({"threads": -2}, "threads: found"), ({"backend": "x"}, "backend: found"),
    ({"options": {"solver.guard": "x"}}, "solver.guard: found")])
def test_errors_name_keywords(wrong, told):
    with pytest.raises(cisolve.InputError) as error:
        cisolve.eigsh(np.diag([1.0, 2.0, 3.0]), **{"k": 1, **wrong})
    assert str(error.value).startswith(told)


def test_errors_of_spaces_and_systems_name_keywords():
    with pytest.raises(cisolve.InputError, match="^tol: found"):
        cisolve.solve(np.eye(3), np.ones(3), tol=-1)
    hubbard = cisolve.Hamiltonian(np.eye(2), np.zeros((2, 2, 2, 2)), 2, 2)
    with pytest.raises(cisolve.InputError, match="^ras1: expected ras_holes"):
        hubbard.rows(ras1=[1])
    with pytest.raises(cisolve.InputError, match="^multiplicity: found"):
        hubbard.eigenstates(1, multiplicity=-1)


@pytest.mark.parametrize("call, told", [
    (lambda: cisolve.eigsh([[1, 2], [3]], 1), "^A: setting an array element"),
    (lambda: cisolve.eigsh(A, 1, callback=3), "^callback: found int, expected a function"),
    (lambda: cisolve.eigsh(A, 1, options=[1]), "^options: found list, expected keys and values"),
    (lambda: cisolve.eigsh(lambda x: 1j * x, 1, diagonal=np.ones(3)), "elements of type complex128"),
    (lambda: cisolve.Hamiltonian(np.eye(2), np.zeros(16), 2, "x"), "^nelec: found x, expected"),
    (lambda: cisolve.Hamiltonian(np.eye(2), np.zeros(16), 2, 1.5), "^nelec: found 1.5, expected")])
def test_what_cannot_be_taken_is_named(call, told):
    with pytest.raises(cisolve.InputError, match=told):
        call()


@pytest.mark.parametrize("function, name, told", [
    (cisolve.eigsh, "sigma", "S = A - sigma I"), (cisolve.eigsh, "OPinv", "no shift-invert"),
    (cisolve.eigsh, "M", "M = L Lᵀ"), (cisolve.eigsh, "ncv", "solver.max_basis"),
    (cisolve.eigsh, "rng", "seed=2"), (cisolve.solve, "rtol", "tol=1e-5"),
    (cisolve.solve, "atol", "linear.absolute_tolerance"), (cisolve.solve, "M", "block_jacobi")])
def test_what_only_scipy_has_is_told_with_what_to_write(function, name, told):
    with pytest.raises(TypeError, match=f"^{function.__name__}.. has no {name}: .*{told}"):
        function(A, np.ones(300), **{name: None})


@pytest.mark.parametrize("program, python", [
    ("MS2 must be even; --ms2 changes it", "MS2 must be even; ms2 changes it"),
    ("solver.states: found 0", "k: found 0"), ("raise --max-iterations", "raise maxiter"),
    ("(--operator direct)", "(operator direct)"),
    ("`cisolve eigen INPUT --restart x` goes on", "`cisolve eigen INPUT --restart x` goes on"),
    ("give --orbital-kind spin or --orbital-kind spatial",
     "give --orbital-kind spin or --orbital-kind spatial (--orbital-kind: of the command cisolve alone)"),
    ("input.units: in_hartree", "input.units: in_hartree (input.units: of the command cisolve alone)"),
    ("configure with cmake --preset cuda", "configure with cmake --preset cuda")])
def test_messages_in_keywords(program, python):
    assert in_keywords(program) == python
