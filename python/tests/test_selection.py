"""cisolve.select: lists, states over them, corrections, extrapolation."""
import os
import pathlib
import pickle
import signal
import threading

import numpy as np
import pytest

import cisolve

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"


@pytest.fixture(scope="module")
def nitrogen():
    return cisolve.Hamiltonian.from_fcidump(DATA / "n2_sto3g.fcidump")


@pytest.fixture(scope="module")
def exact(nitrogen):
    return nitrogen.eigenstates(2, tol=1e-8).energies


def test_states_are_those_of_the_list(nitrogen, exact):
    seen = []
    found = cisolve.select(nitrogen, determinants=3000, k=2, tol=1e-8, deviation=0,
                           callback=seen.append)
    assert found.states.status == "converged" and not found.complete
    alpha, beta = found.determinants
    assert len(alpha) == len(beta) == found.steps[-1].determinants >= 1500
    assert alpha.dtype == np.uint64
    listed = nitrogen.eigenstates(2, determinants=found.determinants, tol=1e-8)
    np.testing.assert_allclose(found.energies, listed.energies, atol=1e-10)
    np.testing.assert_allclose(found.states.energies, listed.energies, atol=1e-10)
    overlaps = abs(np.sum(found.states.vectors * listed.vectors, axis=0))
    np.testing.assert_allclose(overlaps, 1, atol=1e-9)
    np.testing.assert_array_equal(found.states.alpha, alpha)
    assert found.states[0].s_squared == pytest.approx(0, abs=1e-3)
    np.testing.assert_allclose(found.states[1].rdm2(), listed[1].rdm2(), atol=1e-6)

    assert [s.determinants for s in seen] == [s.determinants for s in found.steps]
    sizes = [s.determinants for s in found.steps]
    assert sizes == sorted(set(sizes)) and np.isnan(found.steps[0].extrapolated).all()
    for step in found.steps:
        assert (step.energies > exact).all() and (step.corrections < 0).all()
        np.testing.assert_array_equal(step.totals, step.energies + step.corrections)
    assert (abs(found.totals - exact) < 0.2 * (found.energies - exact)).all()
    assert (abs(found.extrapolated - exact) < 10 * found.uncertainties).all()
    assert (found.deviations == 0).all()


def test_all_determinants_are_full_ci(nitrogen, exact):
    found = cisolve.select(nitrogen, determinants=14400, k=2, tol=1e-8)
    assert found.complete
    np.testing.assert_allclose(found.energies, exact, atol=1e-10)
    np.testing.assert_allclose(found.corrections, 0, atol=1e-12)


def test_it_ends_by_epsilon_or_accuracy(nitrogen, exact):
    coarse, fine = (cisolve.select(nitrogen, epsilon=e) for e in (1e-2, 1e-3))
    assert fine.steps[-1].epsilon <= 1e-3 and len(fine.determinants[0]) > len(coarse.determinants[0])
    found = cisolve.select(nitrogen, accuracy=1e-4)
    assert found.uncertainties[0] <= 1e-4
    assert found.extrapolated[0] == pytest.approx(exact[0], abs=1e-3)


def test_natural_orbitals_need_fewer_determinants(nitrogen, exact):
    usual = cisolve.select(nitrogen, determinants=400, tol=1e-8, deviation=0)
    found = cisolve.select(nitrogen, determinants=400, tol=1e-8, deviation=0, natural=True,
                           frozen=[1])
    assert usual.rotation is None and usual.hamiltonian is nitrogen
    np.testing.assert_allclose(found.rotation.T @ found.rotation, np.eye(10), atol=1e-12)
    assert found.rotation[0, 0] == 1 and not found.rotation[0, 1:].any()
    assert not found.steps[0].natural and found.steps[-1].natural
    again = found.hamiltonian.eigenstates(determinants=found.determinants, frozen=[1], tol=1e-8)
    assert again.energies[0] == pytest.approx(found.energies[0], abs=1e-9)
    occupations = np.diag(found.states[0].rdm1())
    assert occupations.sum() == pytest.approx(12)
    whole = found.hamiltonian.eigenstates(2, tol=1e-8).energies
    np.testing.assert_allclose(whole, exact, atol=1e-9)
    with pytest.raises(cisolve.InputError, match="restricted"):
        cisolve.select(cisolve.Hamiltonian.from_fcidump(DATA / "o2_sto3g_uhf.fcidump"),
                       determinants=50, natural=True)


@pytest.mark.parametrize("lists", [1, 2, 3, 5])
def test_natural_orbitals_are_kept_from_before_and_after_their_rotation(nitrogen, tmp_path, lists):
    file, seen = tmp_path / "selection.h5", []
    settings = {"determinants": 2000, "k": 2, "irrep": 0, "deviation": 0, "natural": True,
                "tol": 1e-8}
    whole = cisolve.select(nitrogen, **settings)
    cisolve.select(nitrogen, **settings, checkpoint=file,
                   callback=lambda step: seen.append(step) or len(seen) < lists)
    assert len(seen) == lists and not whole.steps[1].natural and whole.steps[3].natural
    further = cisolve.select(nitrogen, **settings, restart=file)
    np.testing.assert_allclose(further.rotation, whole.rotation, atol=1e-8)
    assert [s[:1] + s[-2:-1] for s in further.steps] == [s[:1] + s[-2:-1] for s in whole.steps]
    np.testing.assert_allclose(further.energies, whole.energies, atol=1e-9)
    np.testing.assert_allclose(further.extrapolated, whole.extrapolated, atol=1e-8)


def test_frozen_orbitals_stay_when_orbitals_are_rotated(nitrogen):
    found = cisolve.select(nitrogen, determinants=400, tol=1e-8, deviation=0, natural=True, freeze=2)
    frozen = [p for p in range(10) if (found.determinants[0] >> np.uint64(p) & np.uint64(1)).all()]
    assert len(frozen) == 2 and found.steps[-1].natural
    assert found.states[0].rdm1().trace() == pytest.approx(10)
    again = found.hamiltonian.eigenstates(determinants=found.determinants, tol=1e-8,
                                          frozen=[p + 1 for p in frozen])
    np.testing.assert_allclose(found.states[0].rdm1(), again[0].rdm1(), atol=1e-6)


@pytest.mark.parametrize("damage, match", [
    (lambda file: file["states_of_steps"].__setitem__((1, 4), 9e14), "states are damaged"),
    (lambda file: file["rotation"].__setitem__(slice(None), file["rotation"][()][:, ::-1]),
     "rotation mixes"),
])
def test_a_damaged_checkpoint_is_refused(nitrogen, tmp_path, damage, match):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "selection.h5"
    cisolve.select(nitrogen, determinants=400, natural=True, frozen=[1], checkpoint=path)
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(cisolve.InputError, match=match):
        cisolve.select(nitrogen, determinants=800, frozen=[1], restart=path)


def test_irreps_and_frozen_orbitals_stay_with_the_list(nitrogen):
    found = cisolve.select(nitrogen, determinants=200, frozen=[1, 2], irrep=1, k=2)
    assert (found.determinants[0] & np.uint64(3) == 3).all()
    assert {state.irrep for state in found.states} == {1}
    assert found.states[0].rdm1().trace() == pytest.approx(10)


def test_more_than_64_orbitals_have_python_integers():
    sites = 70
    h1 = -np.eye(sites, k=1) - np.eye(sites, k=-1)
    on_site = np.arange(1, sites + 1) * np.arange(2, sites + 2) // 2 - 1
    eri = np.zeros((sites * (sites + 1) // 2,) * 2)
    eri[on_site, on_site] = 4.0
    chain = cisolve.Hamiltonian(h1, eri, sites, (1, 1))
    found = cisolve.select(chain, determinants=6000)
    alpha, beta = found.determinants
    assert found.complete and len(alpha) == 4900 and max(alpha) == max(beta) == 1 << 69
    assert alpha.dtype == object and set(alpha) == {1 << p for p in range(sites)}
    again = chain.eigenstates(determinants=found.determinants)
    assert again.energies[0] == pytest.approx(found.energies[0], abs=1e-10)


def test_a_callback_ends_it_and_a_checkpoint_goes_on(nitrogen, tmp_path):
    file = tmp_path / "selection.h5"
    found = cisolve.select(nitrogen, determinants=2000, checkpoint=file,
                           callback=lambda step: step.determinants < 300)
    assert found.states.status == "cancelled" and len(found.steps) == 3
    assert len(found.determinants[0]) == found.steps[-1].determinants == len(found.states.vectors)
    further = cisolve.select(nitrogen, determinants=2000, restart=file)
    whole = cisolve.select(nitrogen, determinants=2000)
    assert further.states.status == "converged"
    assert [s.determinants for s in further.steps] == [s.determinants for s in whole.steps]
    assert further.energies[0] == pytest.approx(whole.energies[0], abs=1e-9)

    def fails(step):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        cisolve.select(nitrogen, determinants=2000, callback=fails)


def test_interrupted_it_gives_what_there_is():
    large = cisolve.Hamiltonian.from_fcidump(DATA / "n2_631g_frozen_core.fcidump")
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    found = cisolve.select(large, accuracy=1e-12, irrep=0, backend="cpu")  # minutes of work
    timer.join()
    assert found.states.status == "interrupted" and found.steps
    assert len(found.determinants[0]) == len(found.states.vectors)


def test_it_is_pickled(nitrogen):
    found = cisolve.select(nitrogen, determinants=300)
    kept = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(kept.energies, found.energies)
    np.testing.assert_allclose(kept.states[0].rdm1(), found.states[0].rdm1(), atol=1e-12)


@pytest.mark.parametrize("given, match", [
    ({"determinants": 10, "epsilon": 1e-3}, "^determinants and epsilon both say where to end"),
    ({"determinants": 0}, "^determinants: found '0'"),
    ({"epsilon": -1.0}, "^epsilon: found"),
    ({"accuracy": 0}, "^accuracy: found"),
    ({"deviation": -1}, "^deviation: found"),
    ({"callback": 3}, "callback: found int"),
    ({"k": 300, "ms2": 6}, "more states than rows"),
])
def test_errors_say_what_is_wrong(nitrogen, given, match):
    with pytest.raises(cisolve.InputError, match=match):
        cisolve.select(nitrogen, **given)


def test_a_matrix_has_no_determinants():
    with pytest.raises(cisolve.InputError, match="found ndarray, expected a cisolve.Hamiltonian"):
        cisolve.select(np.eye(3))
