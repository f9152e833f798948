"""Complex integrals over spinors: cisolve.Hamiltonian.from_spinors and cisolve.pyscf.SpinorFCI."""
import pathlib
import pickle
from itertools import combinations

import numpy as np
import pytest

import cisolve


def random_spinors(n, seed=5):
    """h and (pq|rs) with the symmetry of spinors."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    g = rng.normal(size=(n,) * 4) + 1j * rng.normal(size=(n,) * 4)
    g = g + g.transpose(2, 3, 0, 1)
    return h + h.conj().T, 0.3 * (g + g.transpose(1, 0, 3, 2).conj())


def test_complex_integrals_name_the_constructor_that_takes_them():
    h, g = random_spinors(2)
    for pair in ((h, g), (h.real, g)):
        with pytest.raises(cisolve.InputError, match="from_spinors"):
            cisolve.Hamiltonian(*pair, 2, 2)


def annihilate(p, state):
    """a_p of {mask: coefficient}."""
    return {mask ^ (1 << p): (-1) ** (mask & ((1 << p) - 1)).bit_count() * c
            for mask, c in state.items() if mask >> p & 1}


def matrix_by_operators(h, g, electrons):
    """⟨I|Ĥ|J⟩ = Σ h_pq ⟨p I|q J⟩ + ½ Σ (pq|rs) ⟨r p I|s q J⟩ (vectors a_p|I⟩), strings ascending."""
    n = len(h)
    masks = sorted(sum(1 << p for p in places) for places in combinations(range(n), electrons))
    once = {(p, m): annihilate(p, {m: 1.0}) for p in range(n) for m in masks}
    twice = {(p, r, m): annihilate(r, once[p, m]) for p in range(n) for r in range(n) for m in masks}

    def gram(vectors):
        """Each set of vectors as a matrix, index × places."""
        places = {mask: i for i, mask in enumerate(sorted({k for v in vectors for k in v}))}
        made = np.zeros((len(vectors), len(places)))
        for i, vector in enumerate(vectors):
            for mask, c in vector.items():
                made[i, places[mask]] = c
        return made
    rows = len(masks)
    one = gram([once[p, m] for p in range(n) for m in masks]).reshape(n, rows, -1)
    two = gram([twice[p, r, m] for p in range(n) for r in range(n) for m in masks])
    two = two.reshape(n, n, rows, -1)
    result = np.einsum("pq,pIk,qJk->IJ", h, one, one, optimize=True)
    return result + 0.5 * np.einsum("pqrs,prIk,qsJk->IJ", g, two, two, optimize=True), masks


def test_states_are_those_of_the_matrix():
    h, g = random_spinors(6)
    matrix, masks = matrix_by_operators(h, g, 3)
    exact = np.linalg.eigvalsh(matrix)
    hamiltonian = cisolve.Hamiltonian.from_spinors(h, g, 3, ecore=0.5)
    assert hamiltonian.rows() == 20
    states = hamiltonian.eigenstates(4)
    assert states.verified
    np.testing.assert_allclose(states.energies, exact[:4] + 0.5, atol=1e-9)
    assert states.ci.dtype == np.complex128 and states.ci.shape == (4, 20)
    assert states.alpha.tolist() == masks
    for state in states:
        assert np.abs(matrix @ state.ci - (state.energy - 0.5) * state.ci).max() < 1e-5
    largest = np.abs(states[0].ci).argmax()
    size, occupation, _ = states[0].leading(1)[0]
    assert abs(size - abs(states[0].ci[largest])) < 1e-12
    assert occupation == f"{masks[largest]:06b}"[::-1]


def kramers_spinors(n):
    """Random integrals over Kramers pairs, spinors 2p and 2p + 1. Each integral is averaged with
    its time-reversed one; for (pq|rs) in either pair of indices."""
    h, g = random_spinors(n)
    other = np.arange(n) ^ 1
    sign = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    h = (h + sign * h[np.ix_(other, other)].T) / 2
    turned = np.einsum("pq,qprs->pqrs", sign, g[np.ix_(other, other)])
    g = (g + turned) / 2
    turned = np.einsum("rs,pqsr->pqrs", sign, g[:, :, other][:, :, :, other])
    return h, (g + turned) / 2


def test_kramers_pairs_give_both_of_their_states():
    h, g = kramers_spinors(6)
    matrix, _ = matrix_by_operators(h, g, 3)
    exact = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(exact[::2], exact[1::2], atol=1e-12)
    hamiltonian = cisolve.Hamiltonian.from_spinors(h, g, 3)
    for k in (1, 4, 5):
        states = hamiltonian.eigenstates(k, tol=1e-9)
        assert states.verified and any("Kramers pairs of determinants" in n for n in states.notes)
        np.testing.assert_allclose(states.energies, exact[:k], atol=1e-10)
        assert states.ci.shape == (k, 20)
        np.testing.assert_allclose(states.ci.conj() @ states.ci.T, np.eye(k), atol=1e-10)
        for state in states:
            assert np.abs(matrix @ state.ci - state.energy * state.ci).max() < 1e-8
        again = hamiltonian.eigenstates(k, v0=states.ci, tol=1e-9, verify="off")
        np.testing.assert_allclose(again.energies, exact[:k], atol=1e-10)


def test_files_of_complex_integrals():
    file = pathlib.Path(__file__).parents[2] / "tests/data/spinors/h2o_x2c_10e14s.fcidump.gz"
    states = cisolve.Hamiltonian.from_fcidump(file).eigenstates(3)
    np.testing.assert_allclose(states.energies, [-75.0519982168, -74.6546043292, -74.6546041242],
                               atol=1e-9)
    assert states.ci.shape == (3, 1001) and states.ci.dtype == np.complex128
    kept = pickle.loads(pickle.dumps(states))
    assert np.array_equal(kept.alpha, states.alpha) and int(states.alpha[0]) == 0b1111111111
    again = cisolve.Hamiltonian.from_fcidump(file).eigenstates(3, v0=states.ci, verify="off")
    assert again.products < states.products


def test_states_have_complex_densities():
    h, g = random_spinors(6)
    states = cisolve.Hamiltonian.from_spinors(h, g, 3, ecore=0.5).eigenstates(3)
    for i, state in enumerate(states):
        for j, other in enumerate(states):
            if i == j:
                one, two = state.rdm1(), state.rdm2()
                assert np.array_equal(two, state.transition_rdm2(state))
            else:
                one, two = state.transition_rdm1(other), state.transition_rdm2(other)
            energy = np.einsum("pq,qp", h, one) + 0.5 * np.einsum("pqrs,pqrs", g, two)
            assert abs(energy - (state.energy - 0.5 if i == j else 0.0)) < 1e-9
            np.testing.assert_allclose(np.einsum("pqrr->qp", two), 2.0 * one, atol=1e-12)
            np.testing.assert_allclose(two, -two.transpose(0, 3, 2, 1), atol=0)
            np.testing.assert_allclose(one, states[j].transition_rdm1(state).conj().T, atol=1e-14)
    states[0].rdm1()[:] = states[0].rdm2()[:] = 0.0  # the caller's own
    assert abs(np.trace(states[0].rdm1()) - 3.0) < 1e-12 and states[0].rdm2().any()
    occupations, orbitals = states[0].natural_orbitals()
    np.testing.assert_allclose(occupations, states[0].natural_occupations, atol=1e-12)
    assert orbitals.dtype == np.complex128


def test_states_have_no_spin():
    h, g = random_spinors(4)
    states = cisolve.Hamiltonian.from_spinors(h, g, 2).eigenstates(2)
    assert states[0].s_squared is None and states[0].multiplicity is None
    for ask in (states[0].rdm1s, states[0].rdm2s, lambda: states[0].transition_rdm2s(states[1])):
        with pytest.raises(cisolve.InputError, match="of spinors.*no alpha and beta"):
            ask()


def test_spinors_are_frozen_left_out_and_listed():
    h, g = random_spinors(6)
    hamiltonian = cisolve.Hamiltonian.from_spinors(h, g, 3)
    matrix, masks = matrix_by_operators(h, g, 3)

    def lowest(kept):
        places = [i for i, mask in enumerate(masks) if kept(mask)]
        return np.linalg.eigvalsh(matrix[np.ix_(places, places)])[0]
    for space, kept in (({"frozen": [2]}, lambda m: m & 2),
                        ({"active": [1, 2, 4, 5, 6]}, lambda m: not m & 4),
                        ({"determinants": (np.array(masks[:7]), np.zeros(7, int))},
                         lambda m: m in masks[:7])):
        assert abs(hamiltonian.eigenstates(1, **space).energies[0] - lowest(kept)) < 1e-9


def test_start_vectors_and_pickles():
    h, g = random_spinors(9)
    hamiltonian = pickle.loads(pickle.dumps(cisolve.Hamiltonian.from_spinors(h, g, 4)))
    options = {"verify": "off", "options": {"solver.p_space": 4}}
    first = hamiltonian.eigenstates(2, **options)
    again = hamiltonian.eigenstates(2, v0=first.ci, **options)
    assert again.products < first.products / 2
    kept = pickle.loads(pickle.dumps(first))
    assert np.array_equal(kept.ci, first.ci) and np.array_equal(kept.alpha, first.alpha)


@pytest.mark.parametrize("change, told", [
    (lambda h, g: h.__setitem__((1, 2), h[1, 2] + 1e-3), r"h1, elements \(2, 1\) and \(1, 2\)"),
    (lambda h, g: h.__setitem__((3, 3), h[3, 3] + 1e-3j), r"h1, elements \(3, 3\) and \(3, 3\)"),
    (lambda h, g: g.__setitem__((0, 1, 2, 3), 9.0), r"eri, elements .*0.*1.*2.*3"),
    (lambda h, g: g.__setitem__((0, 0, 0, 0), np.nan), "not finite")])
def test_what_is_not_hermitian_is_named(change, told):
    h, g = random_spinors(4)
    change(h, g)
    with pytest.raises(cisolve.InputError, match=told):
        cisolve.Hamiltonian.from_spinors(h, g, 2).rows()


def test_tolerances_are_relative_to_the_integrals():
    h, g = random_spinors(4)
    h[1, 2] += 1e-9 * np.abs(h).max()
    exact = cisolve.Hamiltonian.from_spinors(h, g, 2).eigenstates(1).energies[0]
    small = cisolve.Hamiltonian.from_spinors(1e-6 * h, 1e-6 * g, 2)
    assert abs(small.eigenstates(1, tol=1e-13).energies[0] - 1e-6 * exact) < 1e-14
    h[1, 2] += 1e-6 * np.abs(h).max()
    with pytest.raises(cisolve.InputError, match="h1"):
        cisolve.Hamiltonian.from_spinors(1e-6 * h, 1e-6 * g, 2).rows()


@pytest.mark.parametrize("wrong, told", [
    ({"ms2": 0}, "ms2"), ({"irrep": 0}, "irrep"), ({"spin_inversion": "even"}, "spin_inversion"),
    ({"multiplicity": 1}, "multiplicity"), ({"freeze": 1}, "freeze"),
    ({"project": lambda x: x}, "projector")])
def test_what_spinors_have_not_is_refused(wrong, told):
    h, g = random_spinors(4)
    with pytest.raises(cisolve.InputError, match=told):
        cisolve.Hamiltonian.from_spinors(h, g, 2).eigenstates(1, **wrong)


@pytest.mark.parametrize("shapes, told", [
    ((np.ones((2, 3)), np.ones((2,) * 4), 1), "h1: found shape"),
    ((np.eye(2), np.ones((2, 2)), 1), "eri: found 4 numbers, expected 16"),
    ((np.eye(2), np.zeros((2,) * 4), 3), "electrons: found 3, expected 1 to 2"),
    ((np.eye(2), np.zeros((2,) * 4), (1, 1)), "nelec")])
def test_arrays_that_contradict_each_other_are_refused(shapes, told):
    with pytest.raises(cisolve.InputError, match=told):
        cisolve.Hamiltonian.from_spinors(*shapes).rows()
