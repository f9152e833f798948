"""Lists of determinants and strings: files, arrays, Python's integers; rows, errors, pickle."""
import pathlib
import pickle

import numpy as np
import pytest

import cisolve

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"


@pytest.fixture(scope="module")
def nitrogen():
    return cisolve.Hamiltonian.from_fcidump(DATA / "n2_sto3g.fcidump")


@pytest.fixture(scope="module")
def cisd(nitrogen):
    return nitrogen.eigenstates(2, space="cisd", tol=1e-8)


def strings_of(states, count):
    return [np.unique(each)[:count] for each in (states.alpha, states.beta)]


def as_text(path, numbers, orbitals=10):
    path.write_text("".join(f"{int(n):0{orbitals}b}\n" for n in numbers))
    return path


def test_a_list_is_the_space_whatever_its_order(nitrogen, cisd):
    order = np.random.default_rng(3).permutation(len(cisd.alpha))
    alpha, beta = cisd.alpha[order], cisd.beta[order]
    forms = {"uint64": (alpha, beta), "int32": (alpha.astype(np.int32), beta.astype(np.int32)),
             "words": (alpha[:, None], np.stack([beta, 0 * beta], axis=1)),
             "integers": ([int(a) for a in alpha], beta.astype(object))}
    for name, form in forms.items():
        states = nitrogen.eigenstates(2, determinants=form, tol=1e-8)
        np.testing.assert_allclose(states.energies, cisd.energies, atol=1e-10, err_msg=name)
        rows = list(zip(states.alpha.tolist(), states.beta.tolist()))
        assert rows == sorted(rows) and states.ci.shape == (2, len(alpha))
    np.testing.assert_allclose(states[0].rdm2(), cisd[0].rdm2(), atol=1e-7)
    assert states[0].s_squared == pytest.approx(0, abs=1e-9)
    assert nitrogen.rows(determinants=(alpha[:5], beta[:5])) == 5


def test_a_product_has_vectors_by_alpha_and_beta_strings(nitrogen, cisd):
    alpha, beta = strings_of(cisd, 30)[0], strings_of(cisd, 20)[1]
    states = nitrogen.eigenstates(2, strings=(alpha[::-1], beta), tol=1e-8)
    assert states.ci.shape == (2, 30, 20)
    np.testing.assert_array_equal(states.alpha.reshape(30, 20)[:, 3], alpha)
    np.testing.assert_array_equal(states.beta.reshape(30, 20)[3], beta)
    pairs = np.repeat(alpha, 20), np.tile(beta, 30)
    listed = nitrogen.eigenstates(2, determinants=pairs, tol=1e-8, v0=states.ci)
    np.testing.assert_allclose(listed.energies, states.energies, atol=1e-10)
    assert listed.products < states.products + states.search_products


def test_files_are_read_as_arrays_are_taken(nitrogen, cisd, tmp_path):
    alpha, beta = strings_of(cisd, 6)
    a, b = as_text(tmp_path / "a.txt", alpha), as_text(tmp_path / "b.txt", beta[:4])
    both = nitrogen.eigenstates(strings=(a, b))
    assert both.ci.shape == (1, 6, 4)
    assert both.energies == pytest.approx(nitrogen.eigenstates(strings=(alpha, beta[:4])).energies)
    assert nitrogen.rows(strings=f"{a},{b}") == 24 and nitrogen.rows(strings=a) == 36
    np.savez(tmp_path / "list.npz", alpha=alpha, beta=beta)
    assert nitrogen.rows(determinants=tmp_path / "list.npz") == 6


def test_a_list_that_has_changed_is_not_taken_for_the_old(nitrogen, cisd, tmp_path):
    alpha, _ = strings_of(cisd, 6)
    states = nitrogen.eigenstates(strings=as_text(tmp_path / "a.txt", alpha))
    kept = pickle.loads(pickle.dumps(states))
    np.testing.assert_allclose(kept[0].rdm1(), states[0].rdm1(), atol=1e-12)
    again = pickle.loads(pickle.dumps(states))
    as_text(tmp_path / "a.txt", alpha[:5])
    with pytest.raises(cisolve.InputError, match="a.txt: the file has changed"):
        again[0].rdm2()
    assert again.ci.shape == (1, 6, 6)


def chain(sites):
    """Hubbard's, U = 4; (pq|rs) by pairs."""
    h1 = -np.eye(sites, k=1) - np.eye(sites, k=-1)
    on_site = np.arange(1, sites + 1) * np.arange(2, sites + 2) // 2 - 1
    eri = np.zeros((sites * (sites + 1) // 2,) * 2)
    eri[on_site, on_site] = 4.0
    return h1, eri


def test_more_than_64_orbitals():
    # Two electrons on the last four sites of 70, as if there were four.
    states = cisolve.Hamiltonian(*chain(4), 4, (1, 1)).eigenstates(2)
    high = [1 << p for p in range(66, 70)]
    for form in (high, np.array(high, object), np.array([[0, s >> 64] for s in high], np.uint64)):
        found = cisolve.Hamiltonian(*chain(70), 70, (1, 1)).eigenstates(2, strings=(form, form))
        np.testing.assert_allclose(found.energies, states.energies, atol=1e-10)
        assert found.alpha.shape == (16, 2) and found.ci.shape == (2, 4, 4)


@pytest.mark.parametrize("given, match", [
    ({"determinants": 5}, "determinants: found int, expected a file or"),
    ({"strings": ([127],)}, r"strings: found tuple, expected a file or \(alpha, beta\)"),
    ({"strings": ([127.0], [127])}, "alpha, string 0: found float, expected an integer"),
    ({"strings": (np.array([127.0]), [127])}, "alpha: found shape .* type float64"),
    ({"strings": ([127], [-127])}, "beta, string 0: found -127, expected 0 or above"),
    ({"strings": (np.array([-1]), [127])}, "alpha, string 0: found -1"),
    ({"strings": ([127], [True])}, "found bool"),
    ({"strings": (np.zeros((2, 0), int), [127])}, "alpha: found shape"),
    ({"strings": ([127, 127], [127])}, "string 2 is also string 1"),
    ({"strings": ([63], [127])}, "found 6 alpha electrons, expected 7"),
    ({"strings": ([1 << 200], [127])}, "orbital beyond 128"),
    ({"determinants": ([127, 191], [127])}, "found 2 alpha and 1 beta strings"),
    ({"determinants": ([127], [127]), "space": "cisd"}, "^space: the determinants are listed"),
    ({"determinants": ([127], [127]), "strings": ([127], [127])}, "both list determinants"),
    ({"determinants": "no.npz", "strings": ([127], [127])}, "determinants"),
    ({"strings": "missing.txt"}, "missing.txt"),
])
def test_errors_say_what_is_wrong(nitrogen, given, match):
    with pytest.raises(cisolve.InputError, match=match):
        nitrogen.eigenstates(**given)
