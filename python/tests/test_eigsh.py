"""eigsh: SciPy's answers, in whatever shape a matrix comes."""
import json
import logging

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import cisolve


def sample(n=300, seed=1):
    random = sp.random_array((n, n), density=0.02, rng=np.random.default_rng(seed))
    return (random + random.T + sp.diags_array(0.1 * np.arange(n))).tocsr()


A = sample()
EXACT, _ = np.linalg.eigh(A.toarray())


def test_eigenpairs_unpack_as_scipys():
    w, v = cisolve.eigsh(A, 4)
    np.testing.assert_allclose(w, EXACT[:4], atol=1e-9)
    assert v.shape == (300, 4)
    np.testing.assert_allclose(v.T @ v, np.eye(4), atol=1e-10)
    assert np.linalg.norm(A @ v - v * w, axis=0).max() < 1e-6


def test_results_are_indexed_as_tuples():
    found = cisolve.eigsh(A, 2)
    assert len(found) == 2 and found[0] is found.eigenvalues and found[-1] is found.vectors
    assert found[:1] == (found.eigenvalues,)
    w, v = sla.eigsh(A, 2, which="SA")
    np.testing.assert_allclose(found[0], w, atol=1e-9)
    with pytest.raises(IndexError):
        found[2]


def test_six_eigenvalues_alone_by_default():
    w = cisolve.eigsh(A, return_eigenvectors=False)
    assert isinstance(w, np.ndarray)
    np.testing.assert_allclose(w, EXACT[:6], atol=1e-9)


def test_what_a_result_says():
    found = cisolve.eigsh(A, 2, tol=1e-8)
    assert found.status == "converged" and found.verified and found.converged.all()
    true = np.linalg.norm(A @ found.vectors - found.vectors * found.eigenvalues, axis=0)
    np.testing.assert_allclose(found.residuals, true, atol=1e-12)
    assert found.residuals.max() < 1e-8
    assert found.products > 0 and found.seconds > 0
    assert json.loads(json.dumps(found.report))["status"] == "converged"
    assert "converged, verified" in repr(found)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_every_sparse_format_array_and_matrix(form):
    small = sample(60)
    expected = np.linalg.eigvalsh(small.toarray())[:1]
    for given in (small.asformat(form), sp.csr_matrix(small).asformat(form)):
        w = cisolve.eigsh(given, 1, verify="off").eigenvalues
        np.testing.assert_allclose(w, expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("kind", [np.asfortranarray, lambda a: a.astype(np.float32), np.asmatrix,
                                  lambda a: a.astype(">f8"), lambda a: a[::1].tolist(),
                                  lambda a: np.repeat(a, 2, 0)[::2]])
def test_dense_arrays_of_any_layout(kind):
    w = cisolve.eigsh(kind(A.toarray()), 2, verify="off").eigenvalues
    np.testing.assert_allclose(w, EXACT[:2], atol=1e-5)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("kind", [">f8", "<f8", ">f4", "<f4", ">i4"])
def test_sparse_elements_of_any_type_and_byte_order(form, kind):
    small = (100 * sample(60)).rint()
    given = small.asformat(form)
    given.data = given.data.astype(kind)
    np.testing.assert_allclose(cisolve.eigsh(given, 1, verify="off")[0],
                               np.linalg.eigvalsh(small.toarray())[:1], atol=1e-7)


def test_half_precision_and_the_other_byte_order_in_vectors():
    exact = np.linalg.eigh(A.toarray())[1][:, :1]
    for kind in (np.float16, ">f8", ">f2", np.longdouble):
        found = cisolve.eigsh(A, 1, v0=exact.astype(kind), verify="off")
        np.testing.assert_allclose(found[0], EXACT[:1], atol=1e-9)
    half = np.array([[1, 2], [2, 3]], np.float16)
    np.testing.assert_allclose(cisolve.eigsh(half, 1)[0], 2 - 5**0.5, atol=1e-10)


def test_any_number_of_iterations_and_no_limit():
    found = cisolve.eigsh(A, 1, maxiter=10**12, time_limit=np.inf, verify="off")
    assert found.status == "converged"
    assert cisolve.eigsh(A, 1, maxiter=np.inf, verify="off").status == "converged"
    assert cisolve.eigsh(A, 1, options={"solver.max_iterations": 2**40}, verify="off").verified is False


def test_a_matrix_that_is_kept():
    kept = cisolve.Matrix(A)
    found = cisolve.eigsh(kept, 3)
    assert found.verified and found.report["matrix"]["nonzeros"] == A.nnz
    np.testing.assert_allclose(found[0], EXACT[:3], atol=1e-9)
    with pytest.raises(cisolve.InputError, match="row 1, column 2"):
        cisolve.eigsh(cisolve.Matrix(np.array([[1.0, 2.0], [5.0, 3.0]])), 1)
    with pytest.raises(cisolve.InputError, match="has its own"):
        cisolve.eigsh(kept, 1, diagonal=A.diagonal())


def test_integers_and_booleans():
    np.testing.assert_allclose(cisolve.eigsh(np.array([[1, 2], [2, 3]]), 1).eigenvalues,
                               2 - 5**0.5, atol=1e-10)
    assert cisolve.eigsh(np.eye(3, dtype=bool), 1).eigenvalues == [1.0]


def test_one_row():
    assert list(cisolve.eigsh([[3.0]], 1).eigenvalues) == [3.0]


def test_a_matrix_of_zeros():
    assert list(cisolve.eigsh(sp.csr_array((9, 9)), 2).eigenvalues) == [0.0, 0.0]


def test_arrays_that_cannot_be_written_are_left_as_they_are():
    frozen = A.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.flags.writeable = False
    np.testing.assert_allclose(cisolve.eigsh(frozen, 1, verify="off").eigenvalues, EXACT[:1],
                               atol=1e-9)


@pytest.mark.parametrize("offsets", [np.int32, np.int64])
def test_arrays_that_fit_are_used_where_they_lie(offsets, monkeypatch):
    given = A.copy()
    given.indptr = given.indptr.astype(offsets)
    taken = []

    class Spy(cisolve._matrix._cisolve.Hamiltonian):
        @staticmethod
        def from_csr(rows, columns, *arrays):
            taken.extend(arrays)
            return cisolve._cisolve.Hamiltonian.from_csr(rows, columns, *arrays)

    monkeypatch.setattr(cisolve._matrix, "_cisolve", type("Module", (), {
        "Hamiltonian": Spy, "eigen": cisolve._cisolve.eigen}))
    cisolve.eigsh(given, 1, verify="off")
    assert np.shares_memory(taken[1], given.indices) and np.shares_memory(taken[2], given.data)
    assert offsets is np.int32 or np.shares_memory(taken[0], given.indptr)


def test_nor_does_the_library_copy_them():
    given, x = A.copy(), np.ones(300)
    kept = cisolve.Matrix(given, format="csr", backend="cpu", copy=False)
    given.data *= 2  # never to be done but here
    np.testing.assert_allclose(kept @ x, 2 * (A @ x))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_kept_matrix_has_arrays_of_its_own(kind):
    given, x = A.astype(kind), np.ones(300)
    kept, expected = cisolve.Matrix(given, format="csr", backend="cpu"), given @ x
    given.indices[:], given.data[:] = 0, 7.0
    np.testing.assert_allclose(kept @ x, expected, rtol=1e-5)
    np.testing.assert_allclose(cisolve.eigsh(kept, 1)[0], EXACT[:1], atol=1e-5)


def test_unsorted_columns_and_duplicates_are_summed_in_a_copy():
    row, column = [0, 0, 0, 1, 1], [1, 0, 1, 1, 0]
    values = [1.0, 1.0, 1.0, 3.0, 2.0]
    given = sp.csr_array((2, 2))
    given.indptr, given.indices, given.data = (np.array(x) for x in ([0, 3, 5], column, values))
    w = cisolve.eigsh(given, 2).eigenvalues
    np.testing.assert_allclose(w, np.linalg.eigvalsh([[1, 2], [2, 3]]), atol=1e-10)
    assert list(given.indices) == column and list(given.data) == values


def test_unaligned_values():
    shifted = np.frombuffer(b"\0" + A.data.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    given = A.copy()
    given.data = shifted
    np.testing.assert_allclose(cisolve.eigsh(given, 1, verify="off").eigenvalues, EXACT[:1],
                               atol=1e-9)


@pytest.mark.parametrize("operator", [sla.aslinearoperator(A), lambda x: A @ x])
def test_products_with_a_diagonal(operator):
    found = cisolve.eigsh(operator, 3, diagonal=A.diagonal(), tol=1e-7)
    assert found.status == "converged"
    np.testing.assert_allclose(found.eigenvalues, EXACT[:3], atol=1e-9)


def test_a_linear_operator_needs_no_diagonal():
    for k in (1, 3):
        found = cisolve.eigsh(sla.aslinearoperator(A), k, tol=1e-7)
        assert found.status == "converged" and any("diagonal" in note for note in found.notes)
        np.testing.assert_allclose(found.eigenvalues, EXACT[:k], atol=1e-9)
    tiny = cisolve.eigsh(sla.aslinearoperator(np.array([[2.0, 1.0], [1.0, 2.0]])), 2)
    np.testing.assert_allclose(tiny.eigenvalues, [1.0, 3.0], atol=1e-9)


class Flat(sla.LinearOperator):
    """A common mistake: products of flat vectors alone, wrong for others without an error."""

    def __init__(self, a):
        super().__init__(np.float64, a.shape)
        self.a = a

    def _matvec(self, x):
        assert x.ndim == 1
        return self.a @ x


def test_linear_operators_of_flat_vectors():
    def flat(x):
        assert x.shape == (300,)
        return A @ x
    whole = sla.LinearOperator((300, 300), matvec=flat, dtype=np.float64)
    untyped = sla.LinearOperator((300, 300), matvec=flat)
    half = sla.LinearOperator((300, 300), matvec=lambda x: 0.5 * flat(x), dtype=np.float64)
    for operator in (whole, untyped, Flat(A), half + half, 2.0 * half):
        found = cisolve.eigsh(operator, 2, diagonal=A.diagonal())
        np.testing.assert_allclose(found.eigenvalues, EXACT[:2], atol=1e-9)


def test_linear_operators_of_blocks_are_given_blocks():
    widths = []

    def product(x):
        widths.append(x.shape[1])
        return A @ x
    operator = sla.LinearOperator((300, 300), matvec=lambda x: A @ x, matmat=product, dtype=float)
    cisolve.eigsh(operator, 3, diagonal=A.diagonal())
    assert max(widths) > 1


def grid(side):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return (sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line)).tocsr()


@pytest.mark.parametrize("matrix", [A, grid(40), sample(400, 3) + 5 * grid(20)])
def test_a_function_takes_hardly_more_products_than_its_matrix(matrix):
    matrix = matrix.tocsr()
    of_matrix = cisolve.eigsh(matrix, 3, verify="off")
    given = cisolve.eigsh(lambda x: matrix @ x, 3, diagonal=matrix.diagonal(), verify="off")
    alone = cisolve.eigsh(sla.aslinearoperator(matrix), 3, verify="off")
    assert given.products <= 1.6 * of_matrix.products
    assert alone.products <= 2 * of_matrix.products
    np.testing.assert_allclose(given[0], of_matrix[0], atol=1e-8)
    np.testing.assert_allclose(alone[0], of_matrix[0], atol=1e-8)


def test_an_estimated_diagonal_does_nearly_what_the_diagonal_does():
    matrix = sp.diags_array(np.linspace(1, 100, 3000)) + 0.3 * sample(3000, 2) / 30
    exact = cisolve.eigsh(sla.aslinearoperator(matrix), 4, diagonal=matrix.diagonal(), verify="off")
    estimated = cisolve.eigsh(sla.aslinearoperator(matrix), 4, verify="off")
    assert estimated.status == "converged"
    assert estimated.products < 2 * exact.products


SKEWED = A.copy().tolil()
SKEWED[3, 200] += 0.5


@pytest.mark.parametrize("matrix", [np.triu(A.toarray()), SKEWED.tocsr(), A + 1e-4 * sp.triu(A)])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1e-18, 1e18])
def test_a_function_that_is_not_symmetric_is_noticed_at_once(matrix, given, scale):
    matrix, products = sp.csr_array(scale * matrix), []

    def product(x):
        products.append(x.shape[1])
        return matrix @ x
    operator = sla.LinearOperator((300, 300), matvec=product, matmat=product, dtype=float)
    with pytest.raises(cisolve.InputError, match="not those of a symmetric matrix"):
        cisolve.eigsh(operator, 1, diagonal=matrix.diagonal() if given else None)
    assert sum(products) <= 10


def test_functions_in_single_precision_are_symmetric_enough():
    single = A.astype(np.float32)
    operator = sla.LinearOperator((300, 300), matvec=lambda x: single @ x.astype(np.float32),
                                  dtype=np.float32)
    found = cisolve.eigsh(operator, 1, diagonal=A.diagonal(), tol=1e-4)
    np.testing.assert_allclose(found[0], EXACT[:1], atol=1e-5)


def test_start_vectors_of_one_and_of_several_columns():
    exact = np.linalg.eigh(A.toarray())[1]
    cold = cisolve.eigsh(lambda x: A @ x, 2, diagonal=A.diagonal(), verify="off")
    for v0 in (exact[:, :2], np.asfortranarray(exact[:, :2])):
        warm = cisolve.eigsh(lambda x: A @ x, 2, diagonal=A.diagonal(), verify="off", v0=v0)
        assert warm.products < cold.products
        np.testing.assert_allclose(warm.eigenvalues, EXACT[:2], atol=1e-9)
    one = cisolve.eigsh(A, 1, v0=exact[:, 0].astype(np.float32), verify="off")
    np.testing.assert_allclose(one.eigenvalues, EXACT[:1], atol=1e-9)


def test_what_does_not_converge_comes_back_and_says_so():
    found = cisolve.eigsh(A, 2, tol=1e-10, maxiter=1, verify="off", options={"solver.p_space": 2})
    assert found.status == "max_iterations"
    assert not found.verified and not found.converged.all()
    assert found.eigenvalues[0] > EXACT[0] + 1e-9  # of a subspace: from above


@pytest.mark.parametrize("method", ["davidson", "lobpcg", "lanczos"])
def test_methods(method):
    np.testing.assert_allclose(cisolve.eigsh(A, 2, method=method).eigenvalues, EXACT[:2],
                               atol=1e-9)


@pytest.mark.parametrize("form", ["csr", "csr_symmetric", "sell", "packed"])
def test_storage_formats(form):
    found = cisolve.eigsh(A, 2, format=form)
    np.testing.assert_allclose(found.eigenvalues, EXACT[:2], atol=1e-9)
    assert found.report["matrix"]["format"] == form


def test_silent_unless_asked(capfd, caplog):
    with caplog.at_level(logging.INFO, logger="cisolve"):
        cisolve.eigsh(A, 1)
    assert caplog.text == ""  # programs that write all at INFO would be flooded
    with caplog.at_level(logging.DEBUG, logger="cisolve"):
        cisolve.eigsh(A, 1)
    assert "converged" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_products_may_be_lists_and_columns():
    for operator in (lambda x: (A @ x).tolist(),
                     sla.LinearOperator(A.shape, matvec=lambda x: list(A @ x)),
                     sla.LinearOperator(A.shape, matvec=lambda x: (A @ x)[:, None])):
        found = cisolve.eigsh(operator, 1, diagonal=A.diagonal(), verify="off")
        np.testing.assert_allclose(found[0], EXACT[:1], atol=1e-9)
    huge = cisolve.eigsh(lambda x: 1e308 * x, 1, diagonal=np.full(9, 1e308), verify="off")
    assert huge[0] == pytest.approx(1e308)  # the sum of a product overflows


def test_search_ends_where_it_finds_parts_of_known_states_alone():
    n = 200
    hops = np.where(np.arange(n - 1) % 2, 1.0, 1e-3)
    star = sp.lil_array((n, n))
    star[0, 1:] = star[1:, 0] = hops
    exact = np.linalg.eigvalsh(star.toarray())
    for k in (2, 5):
        found = cisolve.eigsh(star.tocsr(), k)
        np.testing.assert_allclose(found.eigenvalues, exact[:k], atol=1e-9)
        assert found.report["iterations"] < 30
        assert found.report["probe_applications"] < 500_000


def test_notes_say_that_lower_states_were_not_searched_for():
    found = cisolve.eigsh(A, 3, maxiter=1)
    assert found.status == "max_iterations"
    assert any("were not searched for: max_iterations ended the solve" in note for note in found.notes)
    calls = []  # of which the second is of the search
    ended = cisolve.eigsh(A, 3, callback=lambda facts: (calls.append(1) if facts["converged"] == 3
                                                        else None) or len(calls) < 2)
    assert not ended.verified
    assert any("search for lower states was cut short: interrupted" in note for note in ended.notes)
    whole = cisolve.eigsh(A, 3, verify="off", maxiter=1)
    assert not any("lower states" in note for note in whole.notes)
