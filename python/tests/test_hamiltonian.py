"""Hamiltonians of integrals: energies, vectors and densities as PySCF has them."""
import os
import pathlib

import numpy as np
import pytest

import cisolve

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"


def hydrogen():
    """Integrals of H2 in STO-3G, by hand."""
    g = np.zeros((2, 2, 2, 2))
    g[0, 0, 0, 0], g[1, 1, 1, 1] = 0.67, 0.70
    g[0, 0, 1, 1] = g[1, 1, 0, 0] = 0.66
    g[0, 1, 0, 1] = g[1, 0, 1, 0] = g[0, 1, 1, 0] = g[1, 0, 0, 1] = 0.18
    return np.diag([-1.25, -0.47]), g


def by_pairs(g):
    p, q = np.tril_indices(len(g))
    return g[p, q][:, p, q]


def triangle(g):
    pairs = by_pairs(g)
    return pairs[np.tril_indices(len(pairs))]


def ground_of_hydrogen():
    (h1, g), exchange = hydrogen(), 0.18
    return np.linalg.eigvalsh([[2 * h1[0, 0] + 0.67, exchange],
                               [exchange, 2 * h1[1, 1] + 0.70]])[0]


@pytest.mark.parametrize("packed", [np.asarray, by_pairs, triangle, np.asfortranarray,
                                    lambda g: g.reshape(4, 4)])
def test_integrals_in_every_packing(packed):
    h1, g = hydrogen()
    states = cisolve.Hamiltonian(h1, packed(g), 2, 2, ecore=0.5).eigenstates()
    assert states.status == "converged" and states.verified and len(states) == 1
    assert states[0].energy == pytest.approx(ground_of_hydrogen() + 0.5, abs=1e-10)
    assert states[0].ci.shape == (2, 2)


def test_what_a_state_is():
    states = cisolve.Hamiltonian(*hydrogen(), 2, (1, 1), orbsym=[0, 5]).eigenstates(4)
    assert len(states) == 4 and list(states.energies) == sorted(states.energies)
    ground, triplet = states[0], states[1]
    assert (ground.multiplicity, triplet.multiplicity) == (1, 3)
    assert (ground.irrep, triplet.irrep) == (0, 5)
    assert triplet.s_squared == pytest.approx(2, abs=1e-9)
    coefficient, occupation, excitation = ground.leading(1)[0]
    assert coefficient == pytest.approx(abs(ground.ci).max()) and occupation == "20"
    assert len(ground.leading(9)) == 2
    occupations, orbitals = ground.natural_orbitals()
    np.testing.assert_allclose(occupations, ground.natural_occupations, atol=1e-9)
    np.testing.assert_allclose(ground.rdm1(), (orbitals * occupations) @ orbitals.T, atol=1e-12)
    assert list(states.alpha) == [1, 1, 2, 2] and list(states.beta) == [1, 2, 1, 2]


def test_one_multiplicity_one_irrep_one_parity():
    h = cisolve.Hamiltonian(*hydrogen(), 2, 2, orbsym=[0, 5])
    everything = h.eigenstates(4).energies
    assert h.eigenstates(1, multiplicity=3)[0].energy == pytest.approx(everything[1], abs=1e-9)
    assert h.eigenstates(1, irrep=5)[0].energy == pytest.approx(everything[1], abs=1e-9)
    assert h.eigenstates(1, spin_inversion="odd")[0].multiplicity == 3
    assert h.rows() == 4 and h.rows(irrep=5) == 2 and h.rows(space="cis") == 3
    assert h.rows(space=1) == 3 and h.rows(space=2) == 4


def test_a_file():
    h = cisolve.Hamiltonian.from_fcidump(DATA / "n2_sto3g.fcidump")
    states = h.eigenstates(2, frozen=[1, 2])
    assert states.status == "converged"
    again = h.eigenstates(2, frozen=[1, 2], v0=states.ci, verify="off")
    assert again.products < states.products
    np.testing.assert_allclose(again.energies, states.energies, atol=1e-9)
    assert h.eigenstates(space="cisd")[0].energy > h.eigenstates(freeze=0)[0].energy


def test_energies_are_traces_with_densities():
    rng = np.random.default_rng(5)
    n = 5
    h1 = rng.standard_normal((n, n))
    h1 += h1.T
    pairs = rng.standard_normal((n * (n + 1) // 2,) * 2) / 5
    pairs += pairs.T
    g, (p, q) = np.zeros((n,) * 4), np.tril_indices(n)
    for a, b in ((p, q), (q, p)):
        for c, d in ((p, q), (q, p)):
            g[a[:, None], b[:, None], c, d] = pairs
    for nelec, space in (((3, 2), "fci"), ((2, 2), "cisd"), (4, "fci"), ((1, 0), "fci")):
        states = cisolve.Hamiltonian(h1, pairs, n, nelec).eigenstates(2, space=space, tol=1e-8)
        for state in states:
            energy = (h1 * state.rdm1()).sum() + 0.5 * (g * state.rdm2()).sum()
            assert state.energy == pytest.approx(energy, abs=1e-9)
            np.testing.assert_allclose(state.rdm1s().trace(axis1=1, axis2=2),
                                       nelec if np.ndim(nelec) else (2, 2), atol=1e-10)
        hop = states[0].transition_rdm1(states[1])
        assert abs(hop.trace()) < 1e-7  # the states are orthogonal
        np.testing.assert_allclose(hop, states[1].transition_rdm1(states[0]).T, atol=1e-12)


def test_two_particle_transitions_as_by_pyscf():
    fci = pytest.importorskip("pyscf.fci")
    h = cisolve.Hamiltonian.from_fcidump(DATA / "nh3_sto3g.fcidump")
    states = h.eigenstates(3, multiplicity=1)
    for i, bra in enumerate(states):
        for j, ket in enumerate(states):
            expected = fci.direct_spin1.trans_rdm12(bra.ci, ket.ci, 8, (5, 5))[1]
            np.testing.assert_allclose(bra.transition_rdm2(ket), expected, rtol=0, atol=1e-9)
            if i != j:
                assert abs(expected).max() > 1e-3
    np.testing.assert_allclose(states[1].transition_rdm2(states[1]), states[1].rdm2(), atol=1e-12)

    # Truncated spaces have the value of the vectors with zeros elsewhere.
    states = h.eigenstates(2, space="cisd")
    whole = np.zeros((2, 56, 56))
    places = [fci.cistring.strs2addr(8, 5, mask.astype(np.int64))
              for mask in (states.alpha, states.beta)]
    whole[:, places[0], places[1]] = states.vectors.T
    expected = fci.direct_spin1.trans_rdm12s(*whole, 8, (5, 5))[1]
    aa, ab, bb = states[0].transition_rdm2s(states[1])
    for found, part in ((aa, expected[0]), (ab, expected[1]), (bb, expected[3])):
        np.testing.assert_allclose(found, part, rtol=0, atol=1e-9)
    with pytest.raises(cisolve.InputError, match="different solves"):
        states[0].transition_rdm2(h.eigenstates(space="cisd")[0])


def test_dipoles_as_by_pyscf():
    gto, mcscf = pytest.importorskip("pyscf.gto"), pytest.importorskip("pyscf.mcscf")
    from pyscf import fci, scf
    mol = gto.M(atom="O 0 0 0; H 0.2 0.8 0.6; H -0.1 -0.7 0.7", basis="6-31g", verbose=0)
    mc = mcscf.CASCI(scf.RHF(mol).run(), 5, 6)
    mc.fcisolver.nroots = 4
    mc.fcisolver.conv_tol = 1e-13
    mc.kernel()
    r = mol.intor("int1e_r")
    nuclei = mol.atom_charges() @ mol.atom_coords()
    states = cisolve.Hamiltonian.from_pyscf(mc).eigenstates(4, tol=1e-8)
    integrals = cisolve.PositionIntegrals.from_pyscf(mc)
    active = mc.mo_coeff[:, mc.ncore:mc.ncore + mc.ncas]
    assert states.dipoles(integrals).shape == (4, 4, 3)
    kept = states[0].dipole(integrals)
    kept *= 2.5  # the caller's own
    mol.set_common_orig((0.0, 0.0, 5.0))  # not the origin that the nuclei are seen from
    elsewhere = cisolve.PositionIntegrals.from_pyscf(mc)
    np.testing.assert_allclose(states[0].dipole(elsewhere), states[0].dipole(integrals), atol=1e-12)
    for i in range(4):
        of_state = nuclei - np.einsum("xpq,pq", r, mc.make_rdm1(ci=mc.ci[i]))
        np.testing.assert_allclose(states[i].dipole(integrals), of_state, atol=1e-6)
        for j in range(i + 1, 4):
            density = active @ fci.direct_spin1.trans_rdm1(mc.ci[i], mc.ci[j], 5, (3, 3)) @ active.T
            between = -np.einsum("xpq,pq", r, density)
            strength = 2 / 3 * (mc.e_tot[j] - mc.e_tot[i]) * between @ between
            # Signs may differ, as those of the vectors do.
            np.testing.assert_allclose(abs(states[i].transition_dipole(states[j], integrals)),
                                       abs(between), atol=1e-6)
            assert states[i].oscillator_strength(states[j], integrals) == pytest.approx(
                strength, abs=1e-7)
    assert max(states[0].oscillator_strength(state, integrals) for state in states) > 1e-3

    # Over all orbitals, with the core frozen here, it is the same.
    whole = cisolve.Hamiltonian.from_pyscf(mc._scf)
    frozen = whole.eigenstates(1, frozen=[1, 2], active=[3, 4, 5, 6, 7], tol=1e-8)[0]
    np.testing.assert_allclose(frozen.dipole(cisolve.PositionIntegrals.from_pyscf(mc._scf)),
                               states[0].dipole(integrals), atol=1e-6)


def test_dipoles_of_wrong_integrals():
    states = cisolve.Hamiltonian(*hydrogen(), 2, 2).eigenstates(2)
    r = np.zeros((3, 2, 2))
    with pytest.raises(cisolve.InputError, match=r"expected PositionIntegrals"):
        states[0].dipole(r)
    for wrong, words in ((np.zeros((3, 2, 3)), r"expected \(3, m, m\)"),
                         (np.zeros((2, 2, 2)), r"expected \(3, m, m\)"), (r[0], "position")):
        with pytest.raises(cisolve.InputError, match=words):
            cisolve.PositionIntegrals(wrong)
    with pytest.raises(cisolve.InputError, match=r"expected \(3,\)"):
        cisolve.PositionIntegrals(r, [0.0])
    with pytest.raises(cisolve.InputError, match="3 x 2 x 2"):
        states[0].dipole(cisolve.PositionIntegrals(np.zeros((3, 3, 3))))
    skew = r.copy()
    skew[1, 0, 1] = 0.5
    with pytest.raises(cisolve.InputError, match="not symmetric"):
        states[0].dipole(cisolve.PositionIntegrals(skew))
    other = cisolve.Hamiltonian(*hydrogen(), 2, 2).eigenstates()[0]
    with pytest.raises(cisolve.InputError, match="different solves"):
        states[0].oscillator_strength(other, cisolve.PositionIntegrals(r))


def test_states_of_different_solves_have_no_transition():
    h = cisolve.Hamiltonian(*hydrogen(), 2, 2)
    with pytest.raises(cisolve.InputError, match="different solves"):
        h.eigenstates()[0].transition_rdm1(h.eigenstates()[0])


def nan_at(array, *place):
    array = array.copy()
    array[place] = np.nan
    return array


H1, ERI = hydrogen()
SKEW = np.array([[-1.25, 0.1], [0.0, -0.47]])


@pytest.mark.parametrize("arguments, words", [
    ((np.eye(3), ERI, 2, 2), r"found shape \(3, 3\), expected \(2, 2\)"),
    ((H1, ERI[0], 2, 2), "found 8 numbers"), ((H1, ERI, 3, 2), "h1"),
    ((SKEW, ERI, 2, 2), "0.1"), ((nan_at(H1, 0, 0), ERI, 2, 2), "not finite"),
    ((H1, nan_at(ERI, 0, 0, 0, 0), 2, 2), "not finite"), ((H1 * 1j, ERI, 2, 2), "complex"),
    ((H1, ERI, 2, 5), "electrons"), ((H1, ERI, 2, (3, 0)), "electrons"),
    ((H1, ERI, 2, (1, -1)), "electrons"), ((H1, ERI, 2, (1, 1, 0)), "nelec"),
    ((H1, ERI, 2, 2, np.nan), "^ecore"), ((H1, ERI, 2, 2, 0, [0]), "^orbsym: found 1"),
    ((H1, ERI, 2, 2, 0, [0, 9]), "^orbsym: found 9"), ((H1, ERI, 2, 2, 0, ["A", "B"]), "^orbsym"), ((H1, ERI, 0, 2), "norb|h1"),
    ((H1, None, 2, 2), "eri")])
def test_wrong_integrals(arguments, words):
    with pytest.raises(cisolve.InputError, match=words):
        cisolve.Hamiltonian(*arguments).eigenstates()


@pytest.mark.parametrize("arguments, words", [
    ({"k": 5}, "5 asked for"), ({"space": "cisdx"}, "fci, cis, cisd"), ({"irrep": 3}, "irrep"),
    ({"multiplicity": 2}, "multiplicity"),
    ({"multiplicity": [1, 3]}, "^multiplicity: found 1,3, expected one"),
    ({"spin_inversion": "up"}, "all, even, odd"),
    ({"frozen": [9]}, "9"), ({"frozen": "core"}, "^frozen: found 'core', expected a list of orbitals, counted from 1"),
    ({"ms2": "one"}, "^ms2: found 'one', expected an integer"), ({"v0": np.ones(3)}, r"\(3,\)"),
    ({"v0": np.empty((4, 0))}, r"^v0: found shape \(4, 0\)"), ({"v0": np.full((2, 2), np.nan)}, "not finite"),
    ({"point_group": "Q9"}, "Q9")])
def test_wrong_settings(arguments, words):
    with pytest.raises(cisolve.InputError, match=words):
        cisolve.Hamiltonian(H1, ERI, 2, 2, orbsym=[0, 1]).eigenstates(**arguments)


def test_messages_name_keywords():
    h = cisolve.Hamiltonian(H1, ERI, 2, 2, orbsym=[0, 1])
    with pytest.raises(cisolve.InputError, match="give the group by point_group"):
        h.eigenstates(irrep="B1")
    mixed = H1 + 0.1 * np.array([[0, 1], [1, 0]])
    with pytest.raises(cisolve.InputError, match="^orbsym: found h1 of orbitals 1, 0"):
        cisolve.Hamiltonian(mixed, ERI, 2, 2, orbsym=[0, 1]).rows()
    with pytest.raises(cisolve.InputError, match="expected one of D2h"):
        h.eigenstates(point_group="D9h")


def test_a_file_that_is_not_there():
    with pytest.raises(cisolve.InputError, match="nowhere.fcidump"):
        cisolve.Hamiltonian.from_fcidump("nowhere.fcidump")


class Named:
    def __init__(self, path):
        self.path = str(path)

    def __fspath__(self):
        return self.path


@pytest.mark.parametrize("kind", [str, pathlib.Path, Named, lambda path: str(path).encode()])
def test_a_trexio_folder_and_paths_of_every_kind(kind):
    h = cisolve.Hamiltonian.from_fcidump(kind(DATA / "h2_text.trexio"))
    assert h.eigenstates()[0].energy == pytest.approx(ground_of_hydrogen() + 0.5, abs=1e-9)


def test_folders_and_what_is_no_path():
    with pytest.raises(cisolve.InputError, match="is a folder, expected a file"):
        cisolve.Hamiltonian.from_fcidump(DATA).rows()
    with pytest.raises(cisolve.InputError, match="nowhere.trexio: no such file"):
        cisolve.Hamiltonian.from_fcidump("nowhere.trexio").rows()
    with pytest.raises(cisolve.InputError, match="^path: found int, expected str, bytes or"):
        cisolve.Hamiltonian.from_fcidump(3)


def test_bytes_that_are_no_text(tmp_path):
    """Bytes that are no text in a file's name, in its content and in settings."""
    name = os.fsencode(tmp_path) + b"/h\xff"
    good = (DATA / "n2_sto3g.fcidump").read_bytes()
    for path in (name, os.fsdecode(name)):
        with open(name, "wb") as file:
            file.write(good.replace(b"ORBSYM=", b"ORBSYM=M\xc3-"))
        with pytest.raises(cisolve.InputError, match=r"/h\\xff:6: ORBSYM: found .*\\xc3"):
            cisolve.Hamiltonian.from_fcidump(path).rows()
        with open(name, "wb") as file:
            file.write(good)
        states = cisolve.Hamiltonian.from_fcidump(path).eigenstates(space="cis")
        assert states.status == "converged" and states.report["status"] == "converged"
    with pytest.raises(cisolve.InputError, match=r"method: found '\\xff'"):
        cisolve.eigsh(np.eye(2), 1, method="\udcff")
    with pytest.raises(cisolve.InputError, match=r"/h\\xfe: no such file"):
        cisolve.eigsh(np.eye(2), 1, restart=name[:-1] + b"\xfe")
    cisolve.eigsh(np.eye(2), 1, checkpoint=Named(tmp_path / "c.h5"))


def test_states_of_the_subspace_of_a_projector():
    h = cisolve.Hamiltonian.from_fcidump(DATA / "nh3_sto3g.fcidump")
    odd = h.eigenstates(2, spin_inversion="odd")
    strings = odd.ci.shape[1]

    def project(x):
        whole = x.reshape(strings, strings, -1)
        return (0.5 * (whole - whole.transpose(1, 0, 2))).reshape(x.shape)
    for operator in ("direct", "stored"):
        found = h.eigenstates(2, project=project, operator=operator)
        assert found.verified
        np.testing.assert_allclose(found.energies, odd.energies, atol=1e-9)
    with pytest.raises(cisolve.InputError, match="^project: product 1 has shape"):
        h.eigenstates(1, project=lambda x: x[1:])
    with pytest.raises(cisolve.InputError, match="^project: found int, expected a function"):
        h.eigenstates(1, project=1)


def test_restricted_active_spaces_end_in_full_ci():
    h = cisolve.Hamiltonian.from_fcidump(DATA / "nh3_sto3g.fcidump")
    full = h.eigenstates(1).energies
    wide = h.eigenstates(1, ras1=[1, 2], ras_holes=4, ras3=[7, 8], ras_particles=4)
    narrow = h.eigenstates(1, ras1=[1, 2], ras_holes=1, ras3=[7, 8], ras_particles=1)
    assert np.allclose(wide.energies, full, atol=1e-9)
    assert narrow.energies[0] > full[0] + 1e-4
    assert len(narrow.alpha) == h.rows(ras1=[1, 2], ras_holes=1, ras3=[7, 8], ras_particles=1)
    with pytest.raises(cisolve.InputError, match="ras_holes"):
        h.eigenstates(1, ras1=[1, 2])


def test_start_vectors_over_determinants_serve_even_and_odd_states():
    h = cisolve.Hamiltonian.from_fcidump(DATA / "nh3_sto3g.fcidump")
    even = h.eigenstates(2, spin_inversion="even", tol=1e-7)
    assert even.vectors.shape[0] == h.rows() > h.rows(spin_inversion="even")
    again = h.eigenstates(2, spin_inversion="even", tol=1e-7, v0=even.vectors)
    assert np.allclose(again.energies, even.energies, atol=1e-10)
    assert again.products < even.products
    # Vectors of the other parity have no part in this one.
    odd = h.eigenstates(1, spin_inversion="odd")
    other = h.eigenstates(2, spin_inversion="even", tol=1e-7, v0=odd.vectors)
    assert np.allclose(other.energies, even.energies, atol=1e-10)


def test_a_projector_may_mix_what_the_operator_keeps_apart():
    # Orbitals x and y are degenerate and of two irreps; P = (1 + the exchange of x and y) / 2.
    h = np.diag([-2.0, -1.0, -1.0, 0.5])
    h[0, 3] = h[3, 0] = 0.2
    eri = np.zeros((4,) * 4)
    for p in range(4):
        for q in range(4):
            eri[p, p, q, q] = 0.6 if p == q else 0.5
    for p in (1, 2):
        eri[p, p, p, p] += 0.2
    for p, q, r, s in ((1, 2, 1, 2), (1, 2, 2, 1), (2, 1, 1, 2), (2, 1, 2, 1)):
        eri[p, q, r, s] += 0.1
    hamiltonian = cisolve.Hamiltonian(h, eri, 4, (2, 1), orbsym=[0, 2, 3, 0])
    every = hamiltonian.eigenstates(24, operator="stored")
    masks = [(int(a), int(b)) for a, b in zip(every.alpha, every.beta)]

    def exchanged(mask):
        x, y = mask >> 1 & 1, mask >> 2 & 1
        return mask & ~6 | x << 2 | y << 1, -1 if x and y else 1

    swap = np.zeros((24, 24))
    for i, (alpha, beta) in enumerate(masks):
        (a, sign_a), (b, sign_b) = exchanged(alpha), exchanged(beta)
        swap[masks.index((a, b)), i] = sign_a * sign_b
    projector = (np.eye(24) + swap) / 2
    matrix = every.vectors @ np.diag(every.energies) @ every.vectors.T
    assert abs(matrix @ swap - swap @ matrix).max() < 1e-6
    values, vectors = np.linalg.eigh(projector)
    basis = vectors[:, values > 0.5]
    exact = np.linalg.eigvalsh(basis.T @ matrix @ basis)
    for operator in ("direct", "stored"):
        found = hamiltonian.eigenstates(3, operator=operator, project=lambda x: projector @ x)
        assert np.allclose(found.energies, exact[:3], atol=1e-8), operator
        assert np.allclose(projector @ found.vectors, found.vectors, atol=1e-6), operator
