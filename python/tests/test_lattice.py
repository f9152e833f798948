"""The lattice notebook: its cells run, and its matrices are held to dense ones made otherwise."""
import itertools
import json
import pathlib

import numpy as np
import pytest

import cisolve

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The names that the notebook's cells define, run in order."""
    pytest.importorskip("numpy", "2.0")  # bitwise_count
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        patch.chdir(tmp_path_factory.mktemp("lattice"))
        import notebooks
        page = (ROOT / "docs/notebooks/lattice.md").read_text(encoding="utf-8")
        names = {}
        for cell in json.loads(notebooks.notebook(page))["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        assert {path.name for path in pathlib.Path().glob("*.svg")} == {"flux.svg", "momentum.svg"}
    return names


def annihilators(orbitals):
    """Jordan–Wigner matrices over all strings; bit p of a row is the occupation of orbital p."""
    sign, lower = np.diag([1.0, -1.0]), np.array([[0.0, 1.0], [0.0, 0.0]])
    made = []
    for p in range(orbitals):
        a = np.eye(1)
        for q in range(orbitals):  # orbital 0 is the lowest bit: the last factor
            a = np.kron(sign if q < p else lower if q == p else np.eye(2), a)
        made.append(a)
    return made


@pytest.mark.parametrize("electrons", range(7))
def test_hubbard_is_that_of_jordan_and_wigner(cells, electrons):
    sites, u = 3, 2.5
    random = np.random.default_rng(electrons)
    h = random.normal(size=(6, 6)) + 1j * random.normal(size=(6, 6))
    h += h.conj().T
    a = annihilators(6)
    n = [x.T @ x for x in a]
    dense = sum(h[p, q] * a[p].T @ a[q] for p, q in itertools.product(range(6), repeat=2))
    dense = dense + u * sum(n[j] @ n[j + sites] for j in range(sites))
    basis = cells["strings"](6, electrons)
    made = cells["hubbard"](h, u, basis)
    np.testing.assert_allclose(made.toarray(), dense[np.ix_(basis, basis)], atol=1e-13)
    found = cisolve.eigsh(made, 1)
    assert found.verified
    exact = np.linalg.eigvalsh(dense[np.ix_(basis, basis)])[0]
    assert found.eigenvalues[0] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("up,down", [(1, 0), (2, 1), (2, 2), (3, 1)])
def test_translation_moves_every_operator_by_a_site(cells, up, down):
    sites = 4
    basis = cells["determinants"](sites, up, down)
    t = cells["translation"](sites, basis).toarray()
    np.testing.assert_allclose(np.linalg.matrix_power(t, sites), np.eye(len(basis)))
    for spin, j, i in itertools.product(range(2), range(sites), range(sites)):
        pair, moved = np.zeros((8, 8)), np.zeros((8, 8))
        pair[spin * sites + j, spin * sites + i] = 1
        moved[spin * sites + (j + 1) % sites, spin * sites + (i + 1) % sites] = 1
        np.testing.assert_allclose(t @ cells["one_body"](pair, basis) @ t.T,
                                   cells["one_body"](moved, basis).toarray())


@pytest.mark.parametrize("sites,up,down", [(4, 2, 2), (5, 3, 2), (6, 2, 1), (6, 4, 2)])
@pytest.mark.parametrize("phi", [0.0, 0.7])
def test_sectors_are_the_whole_spectrum(cells, sites, up, down, phi):
    basis = cells["determinants"](sites, up, down)
    a = cells["hubbard"](next(cells["ring"](sites, phi)), 4.0, basis)
    t = cells["translation"](sites, basis)
    whole = np.linalg.eigvalsh(a.toarray())
    levels = []
    for m in range(sites):
        v = cells["momentum_states"](sites, t, m)
        np.testing.assert_allclose((v.conj().T @ v).toarray(), np.eye(v.shape[1]), atol=1e-12)
        phase = np.exp(-2j * np.pi * m / sites)
        np.testing.assert_allclose((t @ v).toarray(), phase * v.toarray(), atol=1e-12)
        found = cisolve.eigsh(cells["sector"](sites, a, t, m), v.shape[1])
        assert found.verified
        levels.extend(found.eigenvalues)
    np.testing.assert_allclose(np.sort(levels), whole, atol=1e-8)
    found = cisolve.eigsh(a, 10)
    assert found.verified
    np.testing.assert_allclose(found.eigenvalues, whole[:10], atol=1e-8)


@pytest.mark.parametrize("electrons", [1, 3, 5])
@pytest.mark.parametrize("method", ["davidson", "lobpcg", "lanczos"])
def test_every_method_finds_both_of_a_kramers_pair(cells, electrons, method):
    patch = cells["spinful"](*cells["rashba"](2, 3, 0.3)).toarray()
    a = cells["hubbard"](patch, 6.0, cells["strings"](12, electrons))
    found = cisolve.eigsh(a, 6, method=method)
    assert found.verified
    np.testing.assert_allclose(found.eigenvalues, np.linalg.eigvalsh(a.toarray())[:6], atol=1e-8)
    np.testing.assert_allclose(found.eigenvalues[::2], found.eigenvalues[1::2], atol=1e-8)
