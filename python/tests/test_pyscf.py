"""cisolve.pyscf.FCI in the place of PySCF's solver; after the cases of PySCF's own tests of fci and
mcscf."""
import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import fci, gto, mcscf, scf  # noqa: E402

import cisolve.pyscf  # noqa: E402


def scf_of(atom, basis="6-31g", **options):
    mol = gto.M(atom=atom, basis=basis, verbose=0, **options)
    return (scf.ROHF if mol.spin else scf.RHF)(mol).run(conv_tol=1e-11)


@pytest.fixture(scope="module")
def n2():
    return scf_of("N 0 0 0; N 0 0 1.4")


@pytest.fixture(scope="module")
def o2():
    return scf_of("O 0 0 0; O 0 0 1.2", "sto-3g", spin=2)


def random_integrals(norb, seed=1):
    rng = np.random.default_rng(seed)
    h1 = rng.random((norb, norb))
    pairs = norb * (norb + 1) // 2
    eri = rng.random((pairs, pairs))
    return h1 + h1.T, eri + eri.T


@pytest.mark.parametrize("nelec", [(4, 4), (4, 3), (3, 1), 6])
def test_energies_and_vectors_are_pyscfs(nelec):
    h1, eri = random_integrals(6)
    ours = cisolve.pyscf.FCI()
    theirs = fci.direct_spin1.FCI()
    e, c = ours.kernel(h1, eri, 6, nelec, ecore=0.5)
    e0, c0 = theirs.kernel(h1, eri, 6, nelec, ecore=0.5)
    assert abs(e - e0) < 1e-9
    assert abs(abs(np.vdot(c, c0)) - 1.0) < 1e-6
    assert ours.converged and ours.verified
    assert abs(theirs.energy(h1, eri, c, 6, nelec) + 0.5 - e) < 1e-9


def test_densities_are_pyscfs():
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal((15, 20)) for _ in range(2))
    ours, theirs = cisolve.pyscf.FCI(), fci.direct_spin1.FCI()
    for method in ("make_rdm1", "make_rdm1s", "make_rdm2"):
        expected = getattr(fci.direct_spin1, method, None)
        expected = expected(x, 6, (4, 3)) if expected else theirs.make_rdm12(x, 6, (4, 3))[1]
        assert np.allclose(getattr(ours, method)(x, 6, (4, 3)), expected, atol=1e-10)
    for method in ("make_rdm12", "make_rdm12s"):
        for a, b in zip(getattr(ours, method)(x, 6, (4, 3)), getattr(theirs, method)(x, 6, (4, 3))):
            assert np.allclose(a, b, atol=1e-10)
    assert np.allclose(ours.trans_rdm1(x, y, 6, (4, 3)), theirs.trans_rdm1(x, y, 6, (4, 3)))
    assert np.allclose(ours.trans_rdm1s(x, y, 6, (4, 3)), theirs.trans_rdm1s(x, y, 6, (4, 3)))
    for nelec, shape in (((4, 3), (15, 20)), ((3, 3), (20, 20)), ((5, 1), (6, 6)), ((2, 0), (15, 1))):
        x, y = (rng.standard_normal(shape) for _ in range(2))
        expected = fci.direct_spin1.trans_rdm12s(x, y, 6, nelec)
        for ours_of_spin, theirs_of_spin in zip(ours.trans_rdm12s(x, y, 6, nelec), expected):
            for a, b in zip(ours_of_spin, theirs_of_spin):
                assert np.allclose(a, b, rtol=0, atol=1e-11)
        for a, b in zip(ours.trans_rdm12(x, y, 6, nelec), theirs.trans_rdm12(x, y, 6, nelec)):
            assert np.allclose(a, b, rtol=0, atol=1e-11)
    x, y = (rng.standard_normal((15, 20)) for _ in range(2))
    unordered = ours.make_rdm12(x, 6, (4, 3), reorder=False)[1]
    assert np.allclose(unordered, theirs.make_rdm12(x, 6, (4, 3), reorder=False)[1])


def test_several_roots_and_a_start():
    h1, eri = random_integrals(6, 2)
    solver = cisolve.pyscf.FCI()
    e, c = solver.kernel(h1, eri, 6, (3, 3), nroots=4)
    assert len(c) == 4 and solver.converged.all()
    assert np.allclose(e, fci.direct_spin1.FCI().kernel(h1, eri, 6, (3, 3), nroots=4)[0], atol=1e-8)
    again = cisolve.pyscf.FCI()
    e1, _ = again.kernel(h1, eri, 6, (3, 3), ci0=c, nroots=4)
    assert np.allclose(e, e1, atol=1e-9) and again.result.iterations <= 1


def test_one_spin(n2):
    for spin, ss in ((1, 0), (3, 2)):
        mc = mcscf.CASCI(n2, 6, 6)
        mc.fcisolver = cisolve.pyscf.FCI(n2.mol)
        mc.fcisolver.nroots = 3
        mc.fix_spin_(ss=ss)
        energies = mc.kernel()[0]
        for ci in mc.ci:
            assert abs(mc.fcisolver.spin_square(ci, 6, (3, 3))[0] - ss) < 1e-6
        everything = mcscf.CASCI(n2, 6, 6)
        everything.fcisolver.nroots = 12
        all_energies = everything.kernel()[0]
        squares = [fci.spin_op.spin_square(c, 6, (3, 3))[0] for c in everything.ci]
        expected = [e for e, s in zip(all_energies, squares) if abs(s - ss) < 1e-3][:3]
        assert np.allclose(energies, expected, atol=1e-8), spin


def casscf(mf, norb, nelec, own, prepare=lambda mc: mc):
    mc = mcscf.CASSCF(mf, norb, nelec)
    if own:
        mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
    mc = prepare(mc)
    mc.conv_tol = 1e-10
    mc.kernel()
    assert mc.converged
    return mc


@pytest.mark.parametrize("case", ["n2", "o2", "average", "second order", "symmetry"])
def test_casscf_is_pyscfs(case, n2, o2):
    prepare, mf, space = (lambda mc: mc), n2, (6, 6)
    if case == "o2":
        mf, space = o2, (6, 8)
    elif case == "average":
        prepare = lambda mc: mc.state_average_([0.5, 0.5])  # noqa: E731
    elif case == "second order":
        mf, space, prepare = o2, (6, 8), lambda mc: mc.newton()
    elif case == "symmetry":
        mf = scf_of("N 0 0 0; N 0 0 1.4", symmetry="D2h")
    ours, theirs = (casscf(mf, *space, own, prepare) for own in (True, False))
    assert abs(ours.e_tot - theirs.e_tot) < 1e-8
    assert np.allclose(ours.mo_energy, theirs.mo_energy, atol=1e-4)


def test_an_irrep_by_its_name():
    mf = scf_of("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", "sto-3g", symmetry="C2v")
    for name in ("A1", "B1", "A2"):
        found = []
        for own in (True, False):
            mc = mcscf.CASCI(mf, 6, 8)
            if own:
                mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
            mc.fcisolver.wfnsym = name
            found.append(mc.kernel())
        assert abs(found[0][0] - found[1][0]) < 1e-8
        assert abs(abs(np.vdot(found[0][2], found[1][2])) - 1.0) < 1e-5


def test_what_is_not_supported_says_so():
    h1, eri = random_integrals(4)
    with pytest.raises(NotImplementedError, match="unrestricted"):
        cisolve.pyscf.FCI().kernel((h1, h1), (eri, eri, eri), 4, (2, 2))
    with pytest.raises(ValueError, match="h1: found shape"):
        cisolve.pyscf.FCI().kernel(h1, eri, 5, (2, 2))


def test_a_start_within_an_irrep_is_taken():
    mf = scf_of("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", "sto-3g", symmetry="C2v")
    mc = mcscf.CASCI(mf, 6, 8)
    mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
    mc.fcisolver.wfnsym = "B1"
    energy = mc.kernel()[0]
    again = mc.kernel(ci0=mc.ci)[0]
    assert abs(energy - again) < 1e-9
    assert mc.fcisolver.result.iterations <= 1


def with_both(mf, norb, nelec, prepare=lambda mc: None, method=mcscf.CASCI, **options):
    """One calculation by cisolve's solver and by PySCF's."""
    done = []
    for own in (True, False):
        mc = method(mf, norb, nelec)
        if own:
            mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
        mc = prepare(mc) or mc
        mc.kernel(**options)
        done.append(mc)
    return done


def by_irrep(name):
    def prepare(mc):
        mc.fcisolver.wfnsym = name
    return prepare


@pytest.fixture(scope="module")
def linear_n2():
    return scf_of("N 0 0 0; N 0 0 1.4", symmetry=True)


@pytest.mark.parametrize("irrep", ["A1g", "E2gx", "A2g", "A2u", "E1ux", "E2ux"])
def test_irreps_of_a_linear_molecule(linear_n2, irrep):
    ours, theirs = with_both(linear_n2, 6, 6, by_irrep(irrep))
    assert abs(ours.e_tot - theirs.e_tot) < 1e-8


def test_half_a_pair_of_orbitals_is_refused(linear_n2):
    solver = cisolve.pyscf.FCI(linear_n2.mol)
    solver.orbsym = np.array([0, 7])
    h1, eri = random_integrals(2)
    with pytest.raises(RuntimeError, match="one of two degenerate orbitals"):
        solver.kernel(h1, eri, 2, 2)


def test_the_irrep_is_that_of_the_start(linear_n2):
    start = np.zeros((6, 6))
    start[0, 1] = 1.0
    mc = mcscf.CASCI(linear_n2, 4, 4)
    mc.fcisolver = cisolve.pyscf.FCI(linear_n2.mol)
    energy = mc.kernel(ci0=start)[0]
    other = mcscf.CASCI(linear_n2, 4, 4)
    other.fcisolver.wfnsym = "A1u"
    assert abs(energy - other.kernel()[0]) < 1e-8
    assert abs(mc.kernel(ci0=mc.ci)[0] - energy) < 1e-9


def test_irreps_of_vectors():
    mf = scf_of("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", "sto-3g", symmetry="C2v")
    solver, theirs = cisolve.pyscf.FCI(mf.mol), fci.direct_spin1_symm.FCI(mf.mol)
    solver.orbsym = theirs.orbsym = mf.orbsym
    vector = np.random.default_rng(1).random((21, 21))
    for given in ({}, {"fcivec": vector}, {"fcivec": vector, "wfnsym": "B2"}):
        assert solver.guess_wfnsym(7, 10, **given) == theirs.guess_wfnsym(7, 10, **given)
    with pytest.raises(RuntimeError):
        solver.guess_wfnsym(7, 10, np.zeros((21, 21)), wfnsym=1)


def test_an_irrep_without_states():
    mf = scf_of("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", "sto-3g", symmetry="C2v")
    mc = mcscf.CASCI(mf, 2, 4)  # one determinant
    mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
    mc.fcisolver.wfnsym = "A2"
    with pytest.raises(RuntimeError, match="A2|irrep 1"):
        mc.kernel()
    mc.fcisolver.wfnsym = 7
    with pytest.raises(RuntimeError, match="has no irrep 7"):
        mc.fcisolver.dump_flags()


def test_names_of_irreps_that_the_molecule_does_not_have():
    h1, eri = random_integrals(2)
    water = scf_of("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", "sto-3g", symmetry="C2v")
    atom = gto.M(atom="Be 0 0 0", symmetry=True, verbose=0)
    for mol, name, group in ((None, "A1", "of no molecule"), (water.mol, "Ag", "C2v"),
                             (atom, "px", "SO3")):
        solver = cisolve.pyscf.FCI(mol)
        with pytest.raises(RuntimeError, match=f"wfnsym: found '{name}', .* the group {group}"):
            solver.kernel(h1, eri, 2, 2, orbsym=np.array([0, 0]), wfnsym=name)


def test_fewer_states_than_asked_for_are_a_list():
    mf = scf_of("O 0 0 0; H 0 -.757 .587; H 0 .757 .587", symmetry=True)

    def two(mc):
        mc.fcisolver.nroots = 2
    ours, theirs = with_both(mf, 4, (2, 0), two)
    assert len(ours.e_tot) == len(theirs.e_tot) == 1
    assert "the space has 1 state" in " ".join(ours.fcisolver.result.notes)
    assert np.allclose(ours.e_tot, theirs.e_tot, atol=1e-8)


@pytest.mark.parametrize("space", [(2, 2), (1, 2), (1, 0)])
def test_no_core_no_virtual_no_electrons(space):
    mf = scf_of("He 0 0 0", "3-21g")
    ours, theirs = with_both(mf, *space, method=mcscf.CASSCF)
    assert abs(ours.e_tot - theirs.e_tot) < 1e-9
    h1, eri = random_integrals(3)
    for nroots in (1, 2):
        found = cisolve.pyscf.FCI().kernel(h1, eri, 3, 0, nroots=nroots, ecore=1.5)
        assert np.allclose(found[0], 1.5) and np.shape(found[0]) == ((1,) if nroots > 1 else ())


@pytest.mark.parametrize("second_order", [False, True])
def test_an_average_over_solvers_of_their_own(n2, second_order):
    # PySCF begins from the orbitals found: from those of Hartree-Fock either may come to another of
    # two stationary points, a millihartree apart.
    energies, orbitals = [], None
    for make in (cisolve.pyscf.FCI, fci.direct_spin1.FCI):
        singlets, triplet = make(n2.mol), make(n2.mol)
        singlets.nroots, triplet.spin = 2, 2
        if make is cisolve.pyscf.FCI:
            singlets.spin_inversion = "even"
        else:
            singlets = fci.direct_spin0.FCI(n2.mol)
            singlets.nroots = 2
        mc = mcscf.addons.state_average_mix_(mcscf.CASSCF(n2, 4, 4), [singlets, triplet],
                                             [0.25, 0.25, 0.5])
        mc = mc.newton() if second_order else mc
        mc.kernel(orbitals)
        assert mc.converged
        orbitals = mc.mo_coeff
        mc.analyze()
        mc.cas_natorb()
        energies.append(mc.e_states)
    assert np.allclose(*energies, atol=1e-6)


def test_gradients_perturbation_and_scanners(n2):
    from pyscf import mrpt
    def tightly(mc):
        mc.conv_tol, mc.conv_tol_grad = 1e-11, 1e-6
    ours, theirs = with_both(n2, 4, 4, tightly, mcscf.CASSCF)
    assert abs(mrpt.NEVPT(ours).kernel() - mrpt.NEVPT(theirs).kernel()) < 1e-6
    assert np.allclose(ours.Gradients().kernel(), theirs.Gradients().kernel(), atol=1e-4)
    assert np.allclose(*(mc.as_scanner()("N 0 0 0; N 0 0 1.1") for mc in (ours, theirs)), atol=1e-7)


def test_gradients_of_one_state_of_an_average(n2):
    def average(mc):
        mc.conv_tol, mc.conv_tol_grad = 1e-11, 1e-6
        return mc.state_average_([0.5, 0.5])
    ours, theirs = with_both(n2, 4, 4, average, mcscf.CASSCF)
    assert np.allclose(*(mc.nuc_grad_method().kernel(state=0) for mc in (ours, theirs)), atol=1e-5)
