"""Arrays in a GPU's memory. Without a GPU: what is said of them, and with a stand-in for CuPy whose
arrays are NumPy's that they are fetched and results are handed back as CuPy's. The rest needs CuPy
and a GPU, and is skipped elsewhere."""
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

import cisolve
from cisolve import _gpu

REASON = cisolve.cuda_unavailable_reason()
try:
    import cupy
    import cupyx.scipy.sparse as csp
except ImportError:
    cupy = None
with_gpu = pytest.mark.skipif(bool(REASON) or cupy is None, reason=REASON or "CuPy is not here")


def chain(n=200):
    return sp.diags_array([-1.0, 2.0 + 0.1 * np.arange(n), -1.0], offsets=[-1, 0, 1],
                          shape=(n, n)).tocsr()


A = chain()


class Elsewhere:
    """The interface of an array on a GPU."""

    __cuda_array_interface__ = {"shape": (2, 2), "typestr": "<f8", "data": (0, False), "version": 3}


class Packed:
    """The array by DLPack."""

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.skipif(not REASON, reason="there is a GPU")
@pytest.mark.parametrize("kind", [Elsewhere, Packed])
def test_without_a_gpu_arrays_of_one_are_refused(kind):
    for name, call in {"A": lambda: cisolve.eigsh(kind(), 1),
                       "b": lambda: cisolve.solve(A, kind()),
                       "v0": lambda: cisolve.eigsh(A, 1, v0=kind()),
                       "x": lambda: cisolve.Matrix(A) @ kind(),
                       "h1": lambda: cisolve.Hamiltonian(kind(), np.zeros(16), 2, 2)}.items():
        with pytest.raises(cisolve.InputError, match=f"^{name}: found an array in a GPU's memory"):
            call()


def test_without_cupy_it_is_named(monkeypatch):
    monkeypatch.setattr(_gpu, "cuda_unavailable_reason", lambda: "")
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(cisolve.InputError, match="A: .* read by CuPy: pip install cupy"):
        cisolve.eigsh(Elsewhere(), 1)


def stand_in():
    """A module with as much of CuPy as is used, in host memory."""
    class ndarray(np.ndarray):
        def get(self):
            return np.array(self)

    class csr_matrix:
        def __init__(self, a):
            self.a = a

        def get(self):
            return self.a

    module = types.ModuleType("cupy")
    for kind in (ndarray, csr_matrix):
        kind.__module__ = "cupy"
    module.asarray = lambda a: np.asarray(a).view(ndarray)
    module.ndarray, module.csr_matrix = ndarray, csr_matrix
    return module


def test_what_is_fetched_and_what_comes_back(monkeypatch):
    fake = stand_in()
    monkeypatch.setattr(_gpu, "cuda_unavailable_reason", lambda: "")
    monkeypatch.setitem(sys.modules, "cupy", fake)
    exact = np.linalg.eigvalsh(A.toarray())[:2]
    found = cisolve.eigsh(fake.csr_matrix(A), 2)
    assert type(found.eigenvalues) is type(found.vectors) is fake.ndarray
    np.testing.assert_allclose(found.eigenvalues, exact, atol=1e-9)
    assert type(found.residuals) is np.ndarray
    assert type(cisolve.eigsh(A, 2).vectors) is np.ndarray


def operators_of_cupy(monkeypatch):
    """A module like CuPy, and classes like its LinearOperator and what its constructor makes."""
    fake = stand_in()
    monkeypatch.setattr(_gpu, "cuda_unavailable_reason", lambda: "")
    monkeypatch.setitem(sys.modules, "cupy", fake)

    class LinearOperator:
        def __init__(self, matrix):
            self.matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype

        def matvec(self, x):
            assert type(x) is fake.ndarray and x.ndim == 1
            return (self.matrix @ x).view(fake.ndarray)

        def _matmat(self, x):
            raise AssertionError("of n × 1")

        def matmat(self, x):
            return self._matmat(x)

    class InBlocks(LinearOperator):
        def _matmat(self, x):
            assert type(x) is fake.ndarray and x.ndim == 2
            return np.asarray(self.matrix @ x).view(fake.ndarray)

    LinearOperator.__module__ = "cupyx.scipy.sparse.linalg._interface"
    return fake, LinearOperator, InBlocks


def test_operators_of_cupy_work_through_host_memory(monkeypatch):
    fake, flat, in_blocks = operators_of_cupy(monkeypatch)
    turned = sp.diags_array(np.exp(0.1j * np.arange(A.shape[0])))
    for matrix in (sp.csr_array(A), sp.csr_array(turned @ A @ turned.conj())):
        exact = np.linalg.eigvalsh(A.toarray())[:3]
        for kind in (flat, in_blocks):
            found = cisolve.eigsh(kind(matrix), 3)
            assert type(found.vectors) is fake.ndarray
            np.testing.assert_allclose(found.eigenvalues, exact, atol=1e-8)
    with pytest.raises(cisolve.InputError, match="not with functions"):
        cisolve.solve(flat(sp.csr_array(A)), np.ones(A.shape[0]))


@with_gpu
def test_operators_of_cupy():
    from cupyx.scipy.sparse.linalg import aslinearoperator
    on_gpu = csp.csr_matrix(sp.csr_matrix(A))
    found = cisolve.eigsh(aslinearoperator(on_gpu), 3)
    assert isinstance(found.vectors, cupy.ndarray)
    np.testing.assert_allclose(found.eigenvalues.get(), np.linalg.eigvalsh(A.toarray())[:3], atol=1e-8)


@with_gpu
def test_matrices_of_cupy():
    exact = np.linalg.eigvalsh(A.toarray())[:3]
    for given in (csp.csr_matrix(sp.csr_matrix(A)), csp.coo_matrix(sp.coo_matrix(A)),
                  cupy.asarray(A.toarray()), cupy.asarray(A.toarray(), order="F")):
        found = cisolve.eigsh(given, 3)
        assert isinstance(found.vectors, cupy.ndarray)
        np.testing.assert_allclose(found.eigenvalues.get(), exact, atol=1e-9)
        residual = given @ found.vectors - found.vectors * found.eigenvalues
        assert float(cupy.linalg.norm(residual)) < 1e-5
        again = cisolve.eigsh(given, 3, v0=found.vectors)
        assert again.iterations <= 1


@with_gpu
def test_systems_with_sides_of_cupy():
    b = cupy.ones((200, 2))
    found = cisolve.solve(csp.csr_matrix(sp.csr_matrix(A)), b)
    assert isinstance(found.x, cupy.ndarray) and found.x.shape == (200, 2)
    np.testing.assert_allclose(A @ found.x.get(), 1.0, atol=1e-7)


@with_gpu
def test_products_on_the_gpu():
    matrix = cisolve.Matrix(A, backend="cuda", columns=3)
    random = np.random.default_rng(1)
    for x in (random.random(200), random.random((200, 3)), random.random((200, 6))[:, ::2],
              random.random((201, 3))[1:], random.random((200, 3)).astype(np.float32)):
        y = matrix @ cupy.asarray(x)
        assert isinstance(y, cupy.ndarray) and y.shape == x.shape
        np.testing.assert_allclose(y.get(), A @ x, atol=1e-6 if x.dtype == np.float32 else 1e-11)
    with cupy.cuda.Stream(non_blocking=True):  # what the caller's stream is still at work on
        z = cupy.arange(200, dtype=float)
        for _ in range(50):
            z = z * 1.0 + 1.0
        np.testing.assert_allclose((matrix @ z).get(), A @ (np.arange(200.0) + 50), atol=1e-9)


@with_gpu
def test_products_of_a_matrix_elsewhere_are_refused():
    with pytest.raises(cisolve.InputError, match="the matrix is on the CPU"):
        cisolve.Matrix(A, backend="cpu") @ cupy.ones(200)
    with pytest.raises(cisolve.InputError, match="x: found 3 rows, expected 200"):
        cisolve.Matrix(A, backend="cuda") @ cupy.ones(3)
    with pytest.raises(cisolve.InputError, match="elements of type complex128"):
        cisolve.Matrix(A, backend="cuda") @ cupy.ones(200, dtype=complex)


@with_gpu
def test_tensors_by_dlpack():
    torch = pytest.importorskip("torch")
    x = torch.ones(200, dtype=torch.float64, device="cuda")
    y = cisolve.Matrix(A, backend="cuda") @ x
    np.testing.assert_allclose(y.get(), A @ np.ones(200), atol=1e-12)


@with_gpu
def test_a_casscf_on_the_gpu():
    pytest.importorskip("pyscf")
    from pyscf import gto, mcscf, scf
    import cisolve.pyscf
    mf = scf.RHF(gto.M(atom="N 0 0 0; N 0 0 1.4", basis="6-31g", verbose=0)).run(conv_tol=1e-11)
    energies = []
    for backend in ("cuda", "cpu"):
        mc = mcscf.CASSCF(mf, 6, 6)
        mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
        mc.fcisolver.backend = backend
        energies.append(mc.kernel()[0])
    assert abs(energies[0] - energies[1]) < 1e-8


@with_gpu
def test_vectors_of_the_pyscf_solver_on_the_gpu():
    pyscf = pytest.importorskip("pyscf")
    import cisolve.pyscf
    random = np.random.default_rng(1)
    eri = random.random((36, 36))
    eri += eri.T
    ci = random.random((70, 56))
    solver, there = cisolve.pyscf.FCI(), cupy.asarray(ci)
    expected = pyscf.fci.direct_spin1.contract_2e(eri, ci, 8, (4, 3))
    product = solver.contract_2e(cupy.asarray(eri), there, 8, (4, 3))
    np.testing.assert_allclose(product, expected, atol=1e-9 * abs(expected).max())
    for ours, reference in zip(solver.make_rdm123(there, 8, (4, 3)), solver.make_rdm123(ci, 8, (4, 3))):
        np.testing.assert_allclose(ours, reference, atol=1e-9 * abs(reference).max())
