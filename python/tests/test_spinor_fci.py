"""cisolve.pyscf.SpinorFCI in the place of fci.fci_dhf_slow.FCI."""
import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import ao2mo, gto, scf  # noqa: E402
from pyscf.fci import fci_dhf_slow  # noqa: E402

import cisolve.pyscf  # noqa: E402


@pytest.fixture(scope="module")
def h6():
    """H6 of fci_dhf_slow's own example: h1, eri, spin orbitals, electrons."""
    mol = gto.M(atom="H 1 -1 0; H 0 -1 -1; H 1 -.5 -1; H 0 0 -1; H 1 -.5 0; H 0 1 1",
                basis="sto-3g", verbose=0)
    mf = scf.GHF(mol).run(conv_tol=1e-14)
    c = mf.mo_coeff
    h1 = c.conj().T @ mf.get_hcore() @ c
    a, b = c[:mol.nao], c[mol.nao:]
    # Orbitals of GHF may be real or complex.
    eri = sum(ao2mo.general(mol.intor("int2e"), (x, x, y, y), compact=False)
              for x in (a, b) for y in (a, b))
    n = c.shape[1]
    return h1, eri.reshape((n,) * 4), n, 4


@pytest.fixture(scope="module")
def lih():
    """LiH, X2C, over spinors: 4 electrons in 12."""
    mol = gto.M(atom="Li 0 0 0; H 0 0 1.6", basis="sto-3g", verbose=0)
    mf = scf.X2C(mol).run(conv_tol=1e-12)
    c = mf.mo_coeff
    h1 = c.conj().T @ mf.get_hcore() @ c
    eri = ao2mo.kernel(mol, c, intor="int2e_spinor", compact=False)
    n = c.shape[1]
    return h1, eri.reshape((n,) * 4), n, 4, mf


def test_energy_of_pyscfs_example(h6):
    e, ci = cisolve.pyscf.SpinorFCI().kernel(*h6)
    assert abs(e + 7.9766331504361414) < 1e-9
    assert ci.shape == (495,) and ci.dtype == np.complex128


def test_states_and_densities_are_pyscfs(lih):
    h1, eri, n, nelec, mf = lih
    ours, theirs = cisolve.pyscf.SpinorFCI(), fci_dhf_slow.FCI()
    theirs.conv_tol = 1e-12
    nuclear = mf.energy_nuc()
    e, ci = ours.kernel(h1, eri, n, nelec, nroots=4, ecore=nuclear)
    e0, _ = theirs.kernel(h1, eri, n, nelec, nroots=4, ecore=nuclear)
    np.testing.assert_allclose(e, e0, atol=1e-9)
    assert e[0] < mf.e_tot and ours.verified and ours.converged.all()
    for energy, vector in zip(e, ci):  # PySCF's own products of these vectors
        assert abs(ours.energy(h1, eri, vector, n, nelec) + nuclear - energy) < 1e-9
        one, two = ours.make_rdm12(vector, n, nelec)
        one_of_theirs, two_of_theirs = theirs.make_rdm12(vector, n, nelec)
        np.testing.assert_allclose(one, one_of_theirs, atol=1e-12)
        np.testing.assert_allclose(two, two_of_theirs, atol=1e-12)
        np.testing.assert_allclose(ours.make_rdm1(vector, n, nelec), one, atol=1e-12)
        np.testing.assert_allclose(ours.make_rdm2(vector, n, nelec), two, atol=1e-12)
        by_densities = np.einsum("pq,pq", h1, one) + 0.5 * np.einsum("pqrs,pqrs", eri, two)
        assert abs(by_densities + nuclear - energy) < 1e-8


def test_densities_need_no_integrals():
    spinors = 60
    vector = np.random.default_rng(1).normal(size=spinors * (spinors - 1) // 2)
    one = cisolve.pyscf.SpinorFCI().make_rdm1(vector, spinors, 2)
    np.testing.assert_allclose(one, fci_dhf_slow.make_rdm1(vector, spinors, 2), atol=1e-12)
    with pytest.raises(cisolve.InputError, match="expected two for each of 1770 rows"):
        cisolve.pyscf.SpinorFCI().make_rdm1(vector[1:], spinors, 2)


def test_start_vectors_save_products(h6):
    solver = cisolve.pyscf.SpinorFCI()
    solver.verify, solver.pspace_size = "off", 1
    _, ci = solver.kernel(*h6, nroots=2)
    first = solver.result.products
    solver.kernel(*h6, nroots=2, ci0=ci)
    assert solver.result.products < first


def test_edges(h6):
    h1, eri, n, _ = h6
    solver = cisolve.pyscf.SpinorFCI()
    e, ci = solver.kernel(h1, eri, n, 0, ecore=1.5)
    assert e == 1.5 and ci.shape == (1,) and solver.verified
    e, _ = solver.kernel(h1, eri, n, 1, nroots=20)
    np.testing.assert_allclose(e, np.linalg.eigvalsh(h1), atol=1e-9)  # there are 12
    for call in (lambda: solver.spin_square(ci, n, 4),
                 lambda: solver.contract_1e(h1, ci, n, 4)):
        with pytest.raises(NotImplementedError):
            call()
