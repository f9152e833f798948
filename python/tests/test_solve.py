"""Linear systems, and matrices kept for products."""
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import cisolve

N = 200
RANDOM = sp.random_array((N, N), density=0.03, rng=np.random.default_rng(2))
A = (RANDOM + RANDOM.T + 10 * sp.eye_array(N)).tocsr()
B = np.random.default_rng(3).standard_normal((N, 3))


def test_the_solution_in_the_shape_of_the_right_hand_side():
    for b in (B[:, 0], B, B[:, :1], np.asfortranarray(B), B.astype(np.float32)):
        found = cisolve.solve(A, b)
        assert found.converged and found.x.shape == b.shape
        np.testing.assert_allclose(found.x, np.linalg.solve(A.toarray(), b), atol=1e-7)


def test_a_solution_unpacks():
    x, info = cisolve.solve(A, B[:, 0])
    assert info == 0 and np.linalg.norm(A @ x - B[:, 0]) < 1e-8
    y, theirs = sla.cg(A, B[:, 0], rtol=1e-12)
    assert theirs == info
    np.testing.assert_allclose(x, y, atol=1e-8)
    found = cisolve.solve(A, B[:, 0])
    assert len(found) == 2 and found[0] is found.x and found[1] == found.info == 0
    assert found.status == "converged"


@pytest.mark.parametrize("method", ["jacobi", "jor", "srj", "chebyshev_jacobi", "anderson_jacobi",
                                    "cg", "minres", "bicgstab"])
def test_methods(method):
    found = cisolve.solve(A, B, method=method)
    assert found.converged and found.relative_residuals.max() < 1e-10


def test_shift_start_and_a_matrix_that_is_not_symmetric():
    x = np.linalg.solve(A.toarray() - 0.5 * np.eye(N), B[:, 0])
    warm = cisolve.solve(A, B[:, 0], shift=0.5, x0=x)
    assert warm.converged and warm.iterations <= 1
    np.testing.assert_allclose(warm.x, x, atol=1e-8)
    skew = A + sp.triu(RANDOM)
    found = cisolve.solve(skew, B[:, 0])
    np.testing.assert_allclose(found.x, sla.spsolve(skew.tocsc(), B[:, 0]), atol=1e-7)


def test_columns_beyond_32_bits_are_not_cut():
    a = sp.csr_array(np.diag([1.0, 2.0, 3.0]))
    a.indices = np.array([0, 2**32 + 1, 2], dtype=np.int64)
    a.indptr = a.indptr.astype(np.int64)
    for call in (lambda: cisolve.Matrix(a, copy=False), lambda: cisolve.eigsh(a, 1),
                 lambda: cisolve.solve(a, np.ones(3))):
        with pytest.raises(cisolve.InputError, match="found indices from 0 to 4294967297"):
            call()


def test_what_does_not_converge_says_so():
    found = cisolve.solve(A, B, maxiter=2)
    assert not found.converged and found.status == "max_iterations" and found[1] == 2
    assert cisolve.solve(A, B, callback=lambda facts: False).info > 0
    np.testing.assert_allclose(found.residuals, np.linalg.norm(B - A @ found.x, axis=0), rtol=1e-6)


def test_a_matrix_that_is_kept():
    kept = cisolve.Matrix(A)
    np.testing.assert_allclose(cisolve.solve(kept, B)[0], cisolve.solve(A, B)[0], atol=1e-9)


def test_arrays_of_any_type_and_any_number_of_iterations():
    expected = np.linalg.solve(A.toarray(), B)
    for kind in (">f8", ">f4", np.float16):
        found = cisolve.solve(A.astype(np.float64), B.astype(kind), x0=expected.astype(kind),
                              maxiter=10**15)
        np.testing.assert_allclose(found.x, expected, atol=1e-3)


@pytest.mark.parametrize("arguments, told", [
    ({"b": np.ones(3)}, "^b: found 3 rows, expected 200"),
    ({"x0": np.ones(3)}, "^x0: found 3 rows, expected 200"),
    ({"x0": np.ones((N, 2))}, "^x0: found 2 columns, expected 1 as of b"),
    ({"shift": "a"}, "^shift: found"), ({"maxiter": -1}, "^maxiter: found")])
def test_what_is_wrong_is_named(arguments, told):
    with pytest.raises(cisolve.InputError, match=told):
        cisolve.solve(A, **{"b": B[:, 0], **arguments})


@pytest.mark.parametrize("matrix, b, words", [
    (A, np.ones(3), "found 3 rows, expected 200"), (A, np.ones((N, 2, 2)), "3 dimensions"),
    (A, np.full(N, np.inf), "not finite"), (A, np.ones(N) * 1j, "complex"),
    (lambda x: x, np.ones(3), "functions"), (np.ones((2, 3)), np.ones(2), "2 x 3")])
def test_wrong_systems(matrix, b, words):
    with pytest.raises(cisolve.InputError, match=words):
        cisolve.solve(matrix, b)


@pytest.mark.parametrize("form", ["auto", "csr", "ell", "sell_c_sigma"])
def test_products(form):
    kept = cisolve.Matrix(A, format=form)
    assert kept.shape == (N, N) and kept.nnz == A.nnz and kept.nbytes > 0
    for x in (B[:, 0], B, B[:, ::-1], np.asfortranarray(B), B.astype(np.float32)):
        y = kept @ x
        assert y.shape == x.shape
        np.testing.assert_allclose(y, A @ x, atol=1e-5 if x.dtype == np.float32 else 1e-12)
    assert kept.matvec(B[:, 0]).shape == (N,)


def test_rectangular_products():
    wide = sp.random_array((5, 9), density=0.5, rng=np.random.default_rng(4))
    np.testing.assert_allclose(cisolve.Matrix(wide) @ np.ones(9), wide @ np.ones(9), atol=1e-14)


def test_scipy_takes_a_matrix():
    w, _ = sla.eigsh(sla.aslinearoperator(cisolve.Matrix(A)), 2, which="SA")
    np.testing.assert_allclose(w, np.linalg.eigvalsh(A.toarray())[:2], atol=1e-9)


def test_arrays_that_fit_are_not_copied():
    given = A.copy()
    kept = cisolve.Matrix(given, format="csr", copy=False)
    own = cisolve.Matrix(given, format="csr")
    given.data[:] *= 2  # seen by the first, and never to be done
    np.testing.assert_allclose(own @ np.ones(N), A @ np.ones(N), atol=1e-12)
    np.testing.assert_allclose(kept @ np.ones(N), given @ np.ones(N), atol=1e-12)


def test_arrays_live_as_long_as_what_uses_them():
    kept = cisolve.Matrix(A.copy(), format="csr")
    [np.full(A.nnz, np.nan) for _ in range(20)]
    np.testing.assert_allclose(kept @ np.ones(N), A @ np.ones(N), atol=1e-12)


def test_wrong_vectors():
    kept = cisolve.Matrix(A)
    for x in (np.ones(3), np.ones((3, N)), np.ones((N, 1, 1)), np.ones((N, 0)), None):
        with pytest.raises(cisolve.InputError):
            kept @ x


@pytest.mark.parametrize("matrix, keywords, told", [
    (np.roll(np.eye(100), 1, axis=0), {}, "bicgstab comes no further: a matrix that is not symmetric"),
    (1 / (np.arange(12)[:, None] + np.arange(12) + 1.0), {"method": "cg"}, "nearly singular; try another shift"),
    (1 / (np.arange(12)[:, None] + np.arange(12) + 1.0), {"method": "cg", "maxiter": 20},
     "cg has taken 20 iterations for 12 unknowns: the shifted matrix may be nearly singular"),
    (np.diag([1.0, 0, 0, 0]), {}, "b without that part, or another shift, has a solution")])
def test_notes_say_what_a_solve_that_comes_no_further_may_mean(matrix, keywords, told):
    b = np.ones(len(matrix)) if len(matrix) < 100 else np.eye(100)[0]
    found = cisolve.solve(matrix, b, backend="cpu", **keywords)
    ends = ("stagnated", "diverged")
    if keywords.get("method") == "cg":  # as rounding has it
        ends += ("max_iterations",)
    assert found.status in ends
    assert any(told in note for note in found.notes), found.notes


def test_a_method_of_symmetric_matrices_says_how_to_make_one():
    with pytest.raises(cisolve.InputError, match=r"bicgstab takes any.*\(A \+ A.T\) / 2 is symmetric$"):
        cisolve.solve([[1, 2], [5, 3]], [1, 1], method="cg")
