"""Nuclei by interaction files."""
import pickle
from pathlib import Path

import numpy as np
import pytest

import cisolve

USDB = Path(__file__).parents[2] / "docs/tutorials/usdb.snt"


def neon(**choice):
    return cisolve.Hamiltonian.from_interaction(USDB, 2, 2, **choice)


def test_levels_have_j_parity_and_occupations():
    states = neon().eigenstates(3)
    assert states.verified
    assert states.energies == pytest.approx([-40.47233, -38.72564, -36.29706], abs=1e-5)
    assert [state.twice_j for state in states] == [0, 4, 8]
    assert all(state.parity == 1 for state in states)
    for state in states:
        assert sum(state.orbit_occupations.values()) == pytest.approx(4)
        assert state.j_squared == pytest.approx(state.twice_j * (state.twice_j + 2) / 4, abs=1e-6)
    assert states[0].multiplicity is None


def test_rows_are_strings_of_protons_and_neutrons():
    states = neon().eigenstates(1)
    assert states.ci.shape == (1, 640) and len(states.alpha) == 640
    occupied = [sum(int(word) >> p & 1 for p in range(12)) for word in states.alpha]
    assert set(occupied) == {2}
    again = neon().eigenstates(1, v0=states.vectors)
    assert again.energies == pytest.approx(states.energies)


def test_a_larger_m_has_fewer_rows():
    assert neon(twice_m=8).rows() < neon().rows() == 640
    assert neon(twice_m=8).eigenstates(1)[0].twice_j == 8


def test_electrons_have_none():
    h1 = np.diag([-1.0, 0.0])
    states = cisolve.Hamiltonian(h1, np.zeros((2,) * 4), 2, 2).eigenstates(1)
    assert states[0].twice_j is None and states[0].orbit_occupations is None


@pytest.mark.parametrize("make, words", [
    (lambda: cisolve.Hamiltonian.from_interaction(USDB, 2, 13).rows(), "neutrons: found 13"),
    (lambda: neon(parity="even"), "positive, negative"),
    (lambda: neon(twice_m=1).rows(), "twice_m: found 1"),
    (lambda: neon().eigenstates(1, irrep=0), "irrep: of electrons"),
    (lambda: cisolve.Hamiltonian.from_interaction("none.snt", 2, 2).rows(), "no such file")])
def test_what_is_wrong_is_refused(make, words):
    with pytest.raises(cisolve.InputError, match=words):
        make()


def test_it_can_be_pickled():
    assert pickle.loads(pickle.dumps(neon(twice_m=8))).rows() == neon(twice_m=8).rows()
