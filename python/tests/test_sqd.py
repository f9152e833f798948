"""cisolve.sqd and cisolve.pyscf.SelectedCI beside PySCF's solver over fixed strings."""
import subprocess
import sys
import threading

import numpy as np
import pytest

import cisolve
import cisolve.sqd

pyscf = pytest.importorskip("pyscf")
from pyscf import ao2mo, fci, gto, scf  # noqa: E402
from pyscf.fci import selected_ci  # noqa: E402

import cisolve.pyscf  # noqa: E402
from cisolve._strings import carried, penalty, spin_squared  # noqa: E402

NORB, NELEC = 10, (7, 7)


@pytest.fixture(scope="module")
def nitrogen():
    mf = scf.RHF(gto.M(atom="N 0 0 0; N 0 0 1.4", basis="sto-3g", symmetry="D2h", verbose=0)).run()
    h1 = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
    return h1, ao2mo.restore(1, ao2mo.kernel(mf.mol, mf.mo_coeff), NORB)


def some_strings(count, seed, electrons=7):
    """The lowest string and some of those with one or two electrons elsewhere, ascending."""
    lowest = 2**electrons - 1
    near = [n for n in fci.cistring.make_strings(range(NORB), electrons)
            if 0 < bin(n & ~lowest).count("1") <= 2]
    return np.sort(np.r_[lowest, np.random.default_rng(seed).choice(near, count, replace=False)])


def by_pyscf(problem, strings, nelec=NELEC, ss=None, nroots=2):
    """Two states, as with one it may end in a higher one."""
    solver = fci.selected_ci.SelectedCI()
    solver.conv_tol = 1e-13
    if ss is not None:
        solver = fci.addons.fix_spin_(solver, ss=ss)
    return solver, selected_ci.kernel_fixed_space(solver, *problem, NORB, nelec, strings,
                                                  nroots=nroots, max_cycle=300)


@pytest.mark.parametrize("nelec", [(7, 7), (7, 6)])
def test_energy_and_densities_are_pyscfs(nitrogen, nelec):
    strings = some_strings(50, 1, nelec[0]), some_strings(40, 2, nelec[1])
    solver, ((energy, _), (vector, _)) = by_pyscf(nitrogen, strings, nelec)
    found = cisolve.sqd.solve_sci(strings, *nitrogen, NORB, nelec, tol=1e-8)
    assert found.energy == pytest.approx(energy, abs=1e-9)
    np.testing.assert_allclose(found.rdm1, solver.make_rdm1(vector, NORB, nelec), atol=1e-6)
    np.testing.assert_allclose(found.rdm2, solver.make_rdm2(vector, NORB, nelec), atol=1e-6)
    for spin, density in zip(found.orbital_occupancies, solver.make_rdm1s(vector, NORB, nelec)):
        np.testing.assert_allclose(spin, np.diagonal(density), atol=1e-6)
    state = found.sci_state
    assert (state.norb, state.nelec) == (NORB, nelec) and found.carryover is None
    np.testing.assert_array_equal(state.ci_strs_a, strings[0])
    assert state.amplitudes.shape == tuple(map(len, strings))
    assert abs(np.vdot(state.amplitudes, vector)) == pytest.approx(1, abs=1e-9)


def test_strings_in_any_order_come_back_ascending(nitrogen):
    a, b = some_strings(20, 3), some_strings(15, 4)
    first = cisolve.sqd.solve_sci((a, b), *nitrogen, NORB, NELEC).sci_state
    other = cisolve.sqd.solve_sci((a[::-1], list(map(int, b))), *nitrogen, NORB, NELEC).sci_state
    np.testing.assert_array_equal(other.ci_strs_a, a)
    np.testing.assert_array_equal(other.ci_strs_b, b)
    assert abs(np.vdot(first.amplitudes, other.amplitudes)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("nelec, ss", [((7, 7), 0), ((7, 7), 2), ((7, 6), 0.75), ((7, 6), 3.75)])
def test_spin_squared_is_pyscfs_penalty(nitrogen, nelec, ss):
    strings = some_strings(12, 5, nelec[0]), some_strings(8, 6, nelec[1])
    shape = tuple(map(len, strings))
    vector = np.random.default_rng(7).standard_normal(shape).view(selected_ci.SCIvector)
    vector._strs = strings
    image = selected_ci.contract_ss(vector, NORB, nelec).ravel()
    np.testing.assert_allclose(spin_squared(strings, NORB, nelec) @ vector.ravel(), image, atol=1e-12)
    solver = fci.addons.fix_spin_(fci.selected_ci.SelectedCI(), shift=0.3, ss=ss)
    added = solver.contract_2e(np.zeros((NORB,) * 4), vector, NORB, nelec).ravel()
    np.testing.assert_allclose(penalty(strings, NORB, nelec, ss, 0.3) @ vector.ravel(), added,
                               atol=1e-12)

    found = cisolve.sqd.solve_sci(strings, *nitrogen, NORB, nelec, spin_sq=ss)
    state = found.sci_state.amplitudes
    np.testing.assert_allclose(found.energy, (found.rdm1 * nitrogen[0]).sum()
                               + 0.5 * (found.rdm2 * nitrogen[1]).sum(), atol=1e-12)
    # H + penalty of the state is an eigenvalue of the lowest energy: that of the whole matrix.
    h = np.array([selected_ci.contract_2e(
        fci.direct_spin1.absorb_h1e(*nitrogen, NORB, nelec, 0.5),
        selected_ci._as_SCIvector(unit.reshape(shape), strings), NORB, nelec).ravel()
        for unit in np.eye(vector.size)]) + penalty(strings, NORB, nelec, ss, 0.1).toarray()
    lowest = np.linalg.eigvalsh(h)[0]
    assert state.ravel() @ h @ state.ravel() == pytest.approx(lowest, abs=1e-9)


def test_more_than_63_orbitals():
    n, sites = 65, 4
    h1 = -np.eye(n, k=1) - np.eye(n, k=-1)
    eri = np.zeros((n,) * 4)
    eri[(np.arange(n),) * 4] = 4.0
    high = np.array([1 << p for p in range(n - sites, n)], object)
    found = cisolve.sqd.solve_sci((high, high), h1, eri, n, (1, 1))
    low = 2 ** np.arange(sites)
    few = cisolve.sqd.solve_sci((low, low), h1[:sites, :sites], eri[(slice(sites),) * 4], sites, (1, 1))
    assert found.energy == pytest.approx(few.energy, abs=1e-10)
    assert found.sci_state.ci_strs_a.dtype == object and list(found.sci_state.ci_strs_a) == list(high)
    np.testing.assert_allclose(found.rdm1[-sites:, -sites:], few.rdm1, atol=1e-7)


class Ranks:
    """A communicator of threads, as far as the solver needs one."""

    def __init__(self, size):
        self.barrier, self.parts = threading.Barrier(size), [None] * size

    def of(self, rank):
        class One:
            Get_rank = staticmethod(lambda: rank)
            Get_size = staticmethod(lambda: len(self.parts))

            @staticmethod
            def allgather(part):
                self.parts[rank] = part
                self.barrier.wait()
                return list(self.parts)
        return One


@pytest.mark.parametrize("wrong", [False, True])
def test_processes_share_a_batch_and_its_errors(nitrogen, wrong):
    lists = [(some_strings(20, seed), some_strings(15, seed)) for seed in range(3)]
    if wrong:
        lists[1] = ([3], [3])
    ranks, found = Ranks(2), [None, None]

    def solve(rank):
        try:
            found[rank] = cisolve.sqd.solve_sci_batch(lists, *nitrogen, NORB, NELEC,
                                                      comm=ranks.of(rank))
        except cisolve.InputError as error:
            found[rank] = error
    threads = [threading.Thread(target=solve, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if wrong:
        assert all("found 2 alpha electrons" in str(error) for error in found)
        return
    alone = [one.energy for one in cisolve.sqd.solve_sci_batch(lists, *nitrogen, NORB, NELEC)]
    for results in found:
        np.testing.assert_allclose([one.energy for one in results], alone, atol=1e-10)


@pytest.mark.parametrize("given, match", [
    ({"nelec": 14}, r"nelec: found 14, expected \(alpha, beta\)"),
    ({"ci_strings": ([127], [[127]])}, "beta: found 2 dimensions"),
    ({"ci_strings": [127]}, "ci_strings: found list"),
    ({"one_body_tensor": 1j * np.eye(NORB)}, "one_body_tensor: found elements of type complex"),
    ({"norb": 9}, "two_body_tensor: found shape"),
    ({"tol": -1.0}, "tol"),
])
def test_errors_say_what_is_wrong(nitrogen, given, match):
    right = {"ci_strings": ([127], [127]), "one_body_tensor": nitrogen[0],
             "two_body_tensor": nitrogen[1], "norb": NORB, "nelec": NELEC}
    with pytest.raises(cisolve.InputError, match=match):
        cisolve.sqd.solve_sci(**(right | given))
    with pytest.raises(TypeError, match="max_cycle"):
        cisolve.sqd.solve_sci(**right, max_cycle=5)


def test_results_have_classes_of_their_own_without_the_addon():
    code = ("import sys; sys.modules['qiskit_addon_sqd'] = None; import cisolve.sqd as s; "
            "print(s.SCIResult.__module__)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "cisolve.sqd"


def test_selected_ci_in_the_place_of_pyscfs(nitrogen):
    strings = some_strings(50, 1), some_strings(40, 2)
    theirs, (energies, vectors) = by_pyscf(nitrogen, strings)
    ours = cisolve.pyscf.SelectedCI()
    e, c = ours.kernel_fixed_space(*nitrogen, NORB, NELEC, strings, nroots=2, tol=1e-16, ecore=1.0)
    np.testing.assert_allclose(e, energies + 1.0, atol=1e-9)
    assert ours.verified and ours.converged.all() and isinstance(c[0], selected_ci.SCIvector)
    assert abs(np.vdot(c[0], vectors[0])) == pytest.approx(1, abs=1e-8)
    np.testing.assert_array_equal(c[0]._strs[1], strings[1])
    assert ours.spin_square(c[0], NORB, NELEC)[0] == pytest.approx(
        theirs.spin_square(vectors[0], NORB, NELEC)[0], abs=1e-5)
    for name in ("make_rdm1", "make_rdm2", "make_rdm1s", "make_rdm2s"):
        np.testing.assert_allclose(getattr(ours, name)(c[0], NORB, NELEC),
                                   getattr(theirs, name)(c[0], NORB, NELEC), atol=1e-10)
    for a, b in zip(ours.make_rdm12(c[1], NORB, NELEC), theirs.make_rdm12(c[1], NORB, NELEC)):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_selected_ci_begins_with_vectors_over_other_strings(nitrogen):
    large = some_strings(60, 1), some_strings(50, 2)
    small = large[0][:30], large[1][:40]
    solver = cisolve.pyscf.SelectedCI()
    e, start = solver.kernel_fixed_space(*nitrogen, NORB, NELEC, small)
    # Over more strings the vector is the one it was, and over those of before where it began.
    wide = carried(start, small, large)
    assert np.linalg.norm(wide) == pytest.approx(1, abs=1e-12)
    np.testing.assert_array_equal(carried(wide, large, small), start)
    densities = solver.make_rdm12(selected_ci._as_SCIvector(wide, large), NORB, NELEC)
    energy = np.vdot(densities[0], nitrogen[0]) + 0.5 * np.vdot(densities[1], nitrogen[1])
    assert energy == pytest.approx(e, abs=1e-9)
    again, _ = solver.kernel_fixed_space(*nitrogen, NORB, NELEC, small, ci0=start)
    assert again == pytest.approx(e, abs=1e-9) and solver.result.iterations <= 1
    cold, _ = solver.kernel_fixed_space(*nitrogen, NORB, NELEC, large)
    warm, _ = solver.kernel_fixed_space(*nitrogen, NORB, NELEC, large, ci0=start)
    assert warm == pytest.approx(cold, abs=1e-9)
    with pytest.raises(cisolve.InputError, match="ci0: found 3 coefficients"):
        solver.kernel_fixed_space(*nitrogen, NORB, NELEC, large, ci0=np.ones(3))


def test_selected_ci_of_a_spin(nitrogen):
    strings = some_strings(50, 1), some_strings(40, 2)
    _, ((energy, _), _) = by_pyscf(nitrogen, strings, ss=0)
    solver = fci.addons.fix_spin_(cisolve.pyscf.SelectedCI(), ss=0)
    e, vector = solver.kernel_fixed_space(*nitrogen, NORB, NELEC, strings)
    assert e == pytest.approx(energy, abs=1e-9)
    assert vector._strs[0] is solver._strs[0]
