"""Copies, and what goes to other processes: pickle, copy, multiprocessing."""
import copy
import multiprocessing
import pickle
import shutil

import numpy as np
import pytest
import scipy.sparse as sp

import cisolve

WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy,
        "copy": copy.copy}
copied = pytest.fixture(params=WAYS.values(), ids=WAYS)(lambda request: request.param)


def hamiltonian(n=4):
    h1 = np.diag(np.arange(n) - 2.0) - 0.3 * (np.eye(n, k=1) + np.eye(n, k=-1))
    eri = np.zeros((n,) * 4)
    for i in range(n):
        eri[i, i, i, i] = 0.8
    return cisolve.Hamiltonian(h1, eri, n, (2, 2))


@pytest.mark.parametrize("space", ["fci", "cisd"])
def test_states(copied, space):
    states = hamiltonian().eigenstates(2, space=space)
    again = copied(states)
    assert repr(again) == repr(states) and again.report == states.report
    np.testing.assert_array_equal(again.vectors, states.vectors)
    np.testing.assert_array_equal(again.alpha, states.alpha)
    np.testing.assert_allclose(again[1].rdm2(), states[1].rdm2(), atol=1e-14)
    np.testing.assert_allclose(again[0].transition_rdm2(again[1]),
                               states[0].transition_rdm2(states[1]), atol=1e-14)
    r = cisolve.PositionIntegrals(np.ones((3, 4, 4)))
    np.testing.assert_allclose(copied(states)[0].dipole(copied(r)), states[0].dipole(r))
    warm = hamiltonian().eigenstates(2, space=space, v0=again.ci)
    np.testing.assert_allclose(warm.energies, states.energies, atol=1e-9)


def test_a_state(copied):
    ground = hamiltonian().eigenstates(1)[0]
    again = copied(ground)
    assert again.leading(2) == ground.leading(2) and again.multiplicity == 1
    np.testing.assert_allclose(again.rdm1(), ground.rdm1(), atol=1e-14)


def test_states_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["&FCI NORB=2,NELEC=2,MS2=0,", "&END", "0.5 1 1 1 1", "-1 1 1 0 0", "-0.5 2 2 0 0",
             "-0.2 2 1 0 0"]
    (tmp_path / "h").write_text("\n".join(lines))
    kept = pickle.dumps(cisolve.Hamiltonian.from_fcidump("h").eigenstates(2))
    monkeypatch.chdir("/")
    first = pickle.loads(kept)
    assert first[0].rdm1().trace() == pytest.approx(2)
    (tmp_path / "h").write_text("\n".join(lines + ["0.1 2 2 2 2"]))
    changed = pickle.loads(kept)
    np.testing.assert_array_equal(changed.ci, first.ci)
    with pytest.raises(cisolve.InputError, match="h: the file has changed since"):
        changed[0].rdm1()
    shutil.rmtree(tmp_path)
    with pytest.raises(cisolve.InputError, match="/h"):
        pickle.loads(kept)[0].rdm1()


@pytest.mark.parametrize("form", ["csr", "sell", "packed"])
def test_matrices(copied, form):
    a = sp.random_array((50, 50), density=0.1, rng=np.random.default_rng(1))
    a, x = (a + a.T).tocsr(), np.ones((50, 2))
    again = copied(cisolve.Matrix(a, format=form, backend="cpu", columns=2))
    assert again.format == form and again.shape == (50, 50)
    np.testing.assert_allclose(again @ x, a @ x)
    np.testing.assert_allclose(cisolve.eigsh(again, 1)[0], np.linalg.eigvalsh(a.toarray())[:1],
                               atol=1e-9)


def product_with(matrix):
    return matrix @ np.ones(4)


def test_another_process():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        y, = pool.map(product_with, [cisolve.Matrix(np.diag([1.0, 2.0, 3.0, 4.0]))])
        density, = pool.map(cisolve.State.rdm1, hamiltonian().eigenstates(1))
    assert y.tolist() == [1.0, 2.0, 3.0, 4.0] and density.trace() == pytest.approx(4)


@pytest.fixture(scope="module")
def casscf():
    pyscf = pytest.importorskip("pyscf")
    from pyscf import mcscf
    mf = pyscf.M(atom="Li 0 0 0; H 0 0 1.6", basis="sto-3g", verbose=0).RHF().run()
    return mcscf.CASSCF(mf, 3, 2)


@pytest.mark.parametrize("made", ["plain", "fix_spin_", "state_average_", "state_specific_"])
def test_pyscfs_solver(copied, made, casscf):
    import cisolve.pyscf
    mc = casscf.copy()
    mc.fcisolver = cisolve.pyscf.FCI(mc.mol)
    mc.fcisolver.verify = "off"
    if made == "fix_spin_":
        mc.fix_spin_(ss=0)
    elif made == "state_average_":
        mc = mc.state_average_([0.5, 0.5])
    elif made == "state_specific_":
        mc = mc.state_specific_(1)
    for solver in (copied(mc.fcisolver), copied(copied(mc.fcisolver))):
        assert type(solver) is type(mc.fcisolver) and solver.verify == "off"
    h1, ecore = mc.get_h1eff()
    given = h1, mc.get_h2eff(), mc.ncas, mc.nelecas
    energy, vector = mc.fcisolver.kernel(*given)
    again = copied(mc.fcisolver)
    np.testing.assert_allclose(again.kernel(*given)[0], energy, atol=1e-9)
    assert again.result is not None
    if made != "state_average_":
        solved = copied(mc.fcisolver)
        np.testing.assert_array_equal(solved.ci, mc.fcisolver.ci)
        np.testing.assert_allclose(solved.result.energies, mc.fcisolver.result.energies)
        copied(mc)  # with its solver
