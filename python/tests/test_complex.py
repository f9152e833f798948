"""Complex Hermitian matrices and quaternions."""
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import cisolve

N = 300
RNG = np.random.default_rng(3)


def random_sparse(seed):
    return sp.random(N, N, density=0.03, random_state=seed)


C = random_sparse(1) + 1j * random_sparse(2)
A = sp.csr_array(0.5 * (C + C.conj().T) + sp.diags(np.linspace(-2.0, 8.0, N)))
DENSE = A.toarray()
EXACT = np.linalg.eigvalsh(DENSE)


def require_eigenpairs(found, exact, k, tol=1e-9):
    assert found.verified and found.status == "converged"
    np.testing.assert_allclose(found.eigenvalues, exact[:k], atol=tol)


@pytest.mark.parametrize("method", ["davidson", "lobpcg", "lanczos"])
@pytest.mark.parametrize("form", [A, DENSE, A.tocoo(), A.astype(np.complex64).astype(np.complex128)])
def test_eigenpairs_of_complex_matrices(method, form):
    found = cisolve.eigsh(form, 4, method=method, verify="thorough")
    require_eigenpairs(found, EXACT, 4, 1e-6)
    v = found.vectors
    assert v.dtype == np.complex128 and v.shape == (N, 4)
    assert np.abs(DENSE @ v - v * found.eigenvalues).max() < 1e-5
    np.testing.assert_allclose(v.conj().T @ v, np.eye(4), atol=1e-10)
    largest = v[np.abs(v).argmax(axis=0), range(4)]
    assert (np.abs(largest.imag) < 1e-3 * np.abs(largest)).all() and (largest.real > 0).all()
    assert found.report["matrix"]["elements"] == "complex"


def test_complex_products_alone():
    for operator in (sla.aslinearoperator(A), sla.LinearOperator(A.shape, A.__matmul__, dtype=complex)):
        require_eigenpairs(cisolve.eigsh(operator, 3, diagonal=A.diagonal(), verify="thorough"),
                           EXACT, 3)
    require_eigenpairs(cisolve.eigsh(sla.aslinearoperator(A), 2, verify="thorough"), EXACT, 2)


def test_complex_start_vectors_save_products():
    first = cisolve.eigsh(A, 3, verify="off")
    again = cisolve.eigsh(A, 3, v0=first.vectors, verify="off")
    assert again.products < first.products / 2
    real = cisolve.eigsh(A, 3, v0=first.vectors.real, verify="off")  # real vectors are complex ones
    np.testing.assert_allclose(real.eigenvalues, EXACT[:3], atol=1e-9)


@pytest.mark.parametrize("method", ["davidson", "lobpcg", "lanczos"])
def test_complex_solves_go_on_from_checkpoints(tmp_path, method):
    file = tmp_path / "solve.h5"
    whole = cisolve.eigsh(A, 3, method=method, verify="off", tol=1e-8)
    part = cisolve.eigsh(A, 3, method=method, verify="off", tol=1e-8, checkpoint=file,
                         maxiter=whole.iterations // 2)
    assert part.status == "max_iterations"
    rest = cisolve.eigsh(A, 3, method=method, verify="off", tol=1e-8, restart=file)
    np.testing.assert_allclose(rest.eigenvalues, EXACT[:3], atol=1e-9)
    assert rest.products <= whole.products + 9  # with those before
    for other in (A + sp.eye_array(N), sp.csr_array(DENSE.real)):
        with pytest.raises(cisolve.InputError, match="another matrix"):
            cisolve.eigsh(other, 3, restart=file)


def test_rings_with_a_flux_have_every_level():
    n = 40
    for flux in (0.0, 0.3):
        hop = sp.diags([np.ones(n - 1), [1.0]], [1, 1 - n]) * -np.exp(1j * flux)
        ring = sp.csr_array(hop + hop.conj().T)
        exact = np.linalg.eigvalsh(ring.toarray())
        require_eigenpairs(cisolve.eigsh(ring, 5, verify="thorough"), exact, 5)


@pytest.mark.parametrize("method", [None, "cg", "minres", "bicgstab", "jacobi"])
def test_complex_systems(method):
    b = RNG.normal(size=(N, 2)) + 1j * RNG.normal(size=(N, 2))
    found = cisolve.solve(A, b, shift=-12.0, method=method)
    assert found.converged and found.x.dtype == np.complex128
    assert np.abs(DENSE @ found.x + 12.0 * found.x - b).max() < 1e-8
    flat = cisolve.solve(A, b[:, 0].real, shift=-12.0, method=method)  # a real right-hand side
    assert flat.x.shape == (N,)
    assert np.abs(DENSE @ flat.x + 12.0 * flat.x - b[:, 0].real).max() < 1e-8


def test_complex_products_of_a_matrix():
    matrix = cisolve.Matrix(A)
    assert matrix.dtype == np.complex128 and matrix.nnz == A.nnz
    x = RNG.normal(size=(N, 3)) + 1j * RNG.normal(size=(N, 3))
    np.testing.assert_allclose(matrix @ x, A @ x, atol=1e-12)
    np.testing.assert_allclose(matrix @ x[:, 0], A @ x[:, 0], atol=1e-12)
    np.testing.assert_allclose(matrix @ x[:, 0].real, A @ x[:, 0].real, atol=1e-12)
    require_eigenpairs(cisolve.eigsh(matrix, 2, verify="thorough"), EXACT, 2)


@pytest.mark.parametrize("wrong, told", [
    (DENSE + np.diag(np.eye(N)[4] * 1e-3j), "row 5, column 5"),
    (DENSE.T + 1e-3j * np.triu(np.ones((N, N)), 1), "not Hermitian"),
    (np.full((2, 2), np.nan * 1j), "not finite")])
def test_matrices_that_are_not_hermitian_are_named(wrong, told):
    with pytest.raises(cisolve.InputError, match=told):
        cisolve.eigsh(wrong, 1)


def test_what_real_matrices_alone_have_is_refused():
    for arguments, told in (({"format": "csr5"}, "^format csr5: holds real matrices"),
                            ({"options": {"spmv.off_diagonal": "float32"}}, "spmv.off_diagonal")):
        with pytest.raises(cisolve.InputError, match=told):
            cisolve.eigsh(A, 1, **arguments)


def quaternion_form(w, x, y, z):
    """The complex 2n × 2n matrix that stands for w + xi + yj + zk."""
    a, b = w + 1j * x, y + 1j * z
    return np.block([[a, b], [-b.conj(), a.conj()]])


def test_quaternions_have_each_eigenvalue_of_their_complex_form_once():
    n = 80
    parts = [RNG.normal(size=(n, n)) * (RNG.random((n, n)) < 0.2) for _ in range(4)]
    parts = [parts[0] + parts[0].T] + [p - p.T for p in parts[1:]]
    parts[0] += np.diag(np.linspace(-5.0, 20.0, n))
    exact = np.linalg.eigvalsh(quaternion_form(*parts))
    for form in (tuple(parts), tuple(sp.csr_array(p) for p in parts)):
        found = cisolve.eigsh(form, 4, verify="thorough")
        require_eigenpairs(found, exact[::2], 4)
        assert found.vectors.shape == (n, 4, 4)
        v = found.vectors[..., 0] + 1j * found.vectors[..., 1]
        w = found.vectors[..., 2] + 1j * found.vectors[..., 3]
        both = np.concatenate([v, -w.conj()])  # the first column of a vector's complex form
        residual = quaternion_form(*parts) @ both - both * found.eigenvalues
        assert np.abs(residual).max() < 1e-4
