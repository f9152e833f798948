"""Matrices and operators of SciPy, from PySCF and otherwise."""
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from molecules import hartree_fock
from pyscf import ao2mo, fci, mcscf

import cisolve

pytestmark = pytest.mark.needs("scipy")


@pytest.fixture(scope="module")
def problem():
    """H of CASCI(6, 5) of H2O as a matrix, as PySCF's product, and its lowest energies."""
    mc = mcscf.CASCI(hartree_fock("water"), 5, 6)
    h1, core = mc.get_h1eff()
    eri = ao2mo.restore(1, mc.get_h2eff(), 5)
    folded = fci.direct_spin1.absorb_h1e(h1, eri, 5, (3, 3), 0.5)

    def product(x):
        return fci.direct_spin1.contract_2e(folded, x.reshape(10, 10), 5, (3, 3)).ravel()
    diagonal = fci.direct_spin1.make_hdiag(h1, eri, 5, (3, 3))
    dense = np.array([product(e) for e in np.eye(100)])
    return dense, product, diagonal, np.linalg.eigvalsh(dense)[:4]


@pytest.mark.parametrize("kind", [
    np.asarray, sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array, sp.lil_array,
    sp.dok_array, sp.csr_matrix])
def test_matrices(compare, problem, kind):
    """eigsh of a CI matrix"""
    dense, _, _, expected = problem
    compare.same("energies", cisolve.eigsh(kind(dense), 4)[0], expected, 1e-9)


@pytest.mark.parametrize("diagonal", [True, False], ids=["with", "without"])
def test_operator(compare, problem, diagonal):
    """eigsh of PySCF's contract_2e as a LinearOperator, diagonal known"""
    _, product, values, expected = problem
    operator = spla.LinearOperator((100, 100), matvec=product, dtype=float)
    found = cisolve.eigsh(operator, 4, **({"diagonal": values} if diagonal else {}))
    compare.same("energies", found[0], expected, 1e-9)


def test_aslinearoperator(compare, problem):
    """eigsh of aslinearoperator(csr_array)"""
    found = cisolve.eigsh(spla.aslinearoperator(sp.csr_array(problem[0])), 4)
    compare.same("energies", found[0], problem[3], 1e-9)


def test_matrix_in_scipy(compare, problem):
    """A cisolve.Matrix as the product of SciPy's eigsh"""
    kept = cisolve.Matrix(sp.csr_array(problem[0]))
    operator = spla.LinearOperator((100, 100), matvec=lambda x: kept @ np.ravel(x), dtype=float)
    found = spla.eigsh(operator, 4, which="SA", tol=1e-12)[0]
    compare.same("energies", np.sort(found), problem[3], 1e-9)


def test_linear_system(compare, problem):
    """solve of a shifted CI matrix, beside spsolve"""
    shifted = sp.csr_array(problem[0] - (problem[3][0] - 1.0) * np.eye(100))
    b = np.random.default_rng(2).random(100)
    x, info = cisolve.solve(shifted, b, tol=1e-12)
    assert info == 0
    expected = spla.spsolve(shifted.tocsc(), b)
    compare.same("x", x, expected, 1e-8)


def test_start_vectors(compare, problem):
    """eigsh with v0 of SciPy's vectors"""
    vectors = spla.eigsh(problem[0], 4, which="SA")[1]
    compare.same("energies", cisolve.eigsh(sp.csr_array(problem[0]), 4, v0=vectors)[0], problem[3],
                 1e-9)
