"""cisolve.pyscf.FCI where PySCF asks for more than energies and densities: methods called with
irreps, vectors to the last digits, solvers that hide methods, averages, two-step optimisation.
The cases are those of PySCF's own tests of fci and mcscf."""
import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import fci, gto, mcscf, scf  # noqa: E402

import cisolve.pyscf  # noqa: E402


def test_vectors_of_other_types_and_shapes():
    """Integers and single precision, which PySCF's own code reads as if they were double."""
    solver = cisolve.pyscf.FCI()
    for kind in (int, np.float32, bool):
        assert abs(solver.make_rdm1(np.eye(6, dtype=kind), 4, 4).trace() - 24) < 1e-12
        assert abs(solver.make_rdm12(np.eye(6, dtype=kind), 4, 4)[0].trace() - 24) < 1e-12
        assert abs(solver.trans_rdm12(np.eye(6, dtype=kind), np.eye(6), 4, 4)[0].trace() - 24) < 1e-12
    with pytest.raises(cisolve.InputError, match="CI vectors: found shapes"):
        solver.trans_rdm1(np.ones((6, 6)), np.ones((5, 6)), 4, 4)
    with pytest.raises(cisolve.InputError, match="found 9 numbers, expected 36"):
        solver.make_rdm1(np.ones((3, 3)), 4, 4)
    for kind in (complex, object):
        for densities in (solver.make_rdm1, solver.make_rdm12, solver.make_rdm123):
            with pytest.raises(cisolve.InputError, match=f"found elements of type {kind.__name__}"):
                densities(np.eye(6, dtype=kind), 4, 4)


@pytest.fixture(scope="module")
def water():
    mol = gto.M(atom="O 0 0 0; H 0 -.757 .587; H 0 .757 .587", basis="sto-3g", symmetry=True,
                verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-11)


@pytest.fixture(scope="module")
def n2():
    mol = gto.M(atom="N 0 0 0; N 0 0 1.4", basis="sto-3g", symmetry=True, verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-11)


def integrals(mf):
    from pyscf import ao2mo
    h1 = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
    return h1, ao2mo.kernel(mf.mol, mf.mo_coeff), h1.shape[0]


def test_products_are_asked_for_with_an_irrep(water):
    h1, eri, norb = integrals(water)
    ours, theirs = cisolve.pyscf.FCI(water.mol), fci.direct_spin1_symm.FCI(water.mol)
    ours.orbsym = theirs.orbsym = water.orbsym
    anything = np.random.default_rng(1).random((21, 21))
    for irrep in range(4):
        x = fci.addons.symmetrize_wfn(anything, norb, 10, water.orbsym, wfnsym=irrep)
        y = ours.contract_2e(eri, x, norb, 10, wfnsym=irrep)
        assert np.allclose(y, theirs.contract_2e(eri, x, norb, 10, wfnsym=irrep), atol=1e-10)
        z = ours.contract_1e(h1, x, norb, 10, wfnsym=irrep, orbsym=water.orbsym)
        assert np.allclose(z, fci.direct_spin1.contract_1e(h1, x, norb, 10), atol=1e-10)


@pytest.mark.parametrize("nelec", [(4, 4), (5, 3)])
def test_products_of_larger_spaces(nelec):
    norb = 9
    random = np.random.default_rng(2)
    h1, eri = random.random((norb, norb)), random.random((45, 45))
    h1, eri = h1 + h1.T, eri + eri.T
    folded = fci.direct_spin1.absorb_h1e(h1, eri, norb, nelec, 0.5)
    c = random.random([fci.cistring.num_strings(norb, n) for n in nelec])
    assert c.size > 10000
    solver = cisolve.pyscf.FCI()
    expected = fci.direct_spin1.contract_2e(folded, c, norb, nelec)
    for vector, of in ((c, expected), (c[:, ::-1].copy(), None), (c.ravel(), expected.ravel())):
        y = solver.contract_2e(folded, vector, norb, nelec)
        if of is None:
            of = fci.direct_spin1.contract_2e(folded, vector, norb, nelec)
        assert y.shape == vector.shape and np.allclose(y, of, rtol=0, atol=1e-10 * abs(of).max())
    assert solver._product[1] is not None  # made without a matrix, and kept
    import copy
    assert copy.deepcopy(solver)._product == (None, None)
    skew = folded + np.triu(random.random((45, 45)))  # (pq|rs) is not (rs|pq): PySCF's
    assert np.allclose(solver.contract_2e(skew, c, norb, nelec),
                       fci.direct_spin1.contract_2e(skew, c, norb, nelec))


def test_irreps_of_orbitals_are_enough():
    """A solver without a molecule: states of the irrep of the first orbitals' determinant, all of
    them."""
    h1, eri = -0.5 * np.eye(4), np.zeros((4,) * 4)
    for i in range(4):
        eri[i, i, i, i] = 0.1
    orbsym = np.array([0, 5, 3, 2])
    found = []
    for solver in (cisolve.pyscf.FCI(), fci.direct_spin1_symm.FCI()):
        found.append(solver.kernel(h1, eri, 4, (2, 2), nroots=36, davidson_only=True,
                                   orbsym=orbsym)[0])
    assert abs(found[0][0] - found[1][0]) < 1e-9
    assert len(found[0]) == 6  # determinants of that irrep


def test_small_spaces_have_vectors_to_the_last_digits(water):
    """Two bases, one state: coefficients agree after the rotation of orbitals."""
    h1, eri, norb = integrals(water)
    solver = cisolve.pyscf.FCI()
    solver.pspace_size = 1000
    u = np.linalg.qr(np.random.default_rng(1).random((norb, norb)))[0]
    turned = u.T @ h1 @ u
    from pyscf import ao2mo
    e, c = solver.kernel(h1, eri, norb, 10)
    e1, c1 = solver.kernel(turned, ao2mo.incore.full(ao2mo.restore(8, eri, norb), u), norb, 10)
    assert abs(e - e1) < 1e-10
    moved = solver.transform_ci_for_orbital_rotation(c, norb, 10, u)
    assert abs(abs(moved) - abs(c1)).max() < 1e-10


class Shy(cisolve.pyscf.FCI):
    """A solver by other means: without densities of each spin and without products."""

    def __getattribute__(self, name):
        if name in ("make_rdm1s", "spin_square", "contract_2e", "absorb_h1e"):
            raise AttributeError(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("average", [False, True])
def test_a_solver_that_hides_methods(n2, average):
    energies = []
    for make in (Shy, cisolve.pyscf.FCI):
        mc = mcscf.CASSCF(n2, 4, 4)
        mc.fcisolver = make(n2.mol)
        if average:
            mc.state_average_((0.64, 0.36))
        mc.natorb = True
        energies.append(mc.kernel()[0])
        assert mc.converged
        mc.analyze(with_meta_lowdin=False)
    assert abs(energies[0] - energies[1]) < 1e-7


def with_both(mf, method, prepare=lambda mc: mc, solve=lambda mc: mc.kernel()):
    done = []
    for own in (True, False):
        mc = method(mf, 4, 4)
        if own:
            mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
        mc = prepare(mc)
        solve(mc)
        done.append(mc)
    return done


@pytest.mark.parametrize("case", ["two steps", "one excited state", "frozen", "internal rotation",
                                  "fitted", "vectors for one state"])
def test_ways_to_a_casscf(n2, case):
    prepare, solve, method = (lambda mc: mc), (lambda mc: mc.kernel()), mcscf.CASSCF
    if case == "two steps":
        solve = lambda mc: mc.mc2step()  # noqa: E731
    elif case == "one excited state":
        prepare = lambda mc: mc.state_specific_(state=1)  # noqa: E731
    elif case == "frozen":
        prepare = lambda mc: mc.set(frozen=[0, 1, 9])  # noqa: E731
    elif case == "internal rotation":
        prepare = lambda mc: mc.set(internal_rotation=True)  # noqa: E731
    elif case == "fitted":
        prepare = lambda mc: mc.density_fit()  # noqa: E731
    elif case == "vectors for one state":  # given to an average of two
        method = mcscf.CASCI

        def solve(mc):
            mc.kernel()
            mc.state_average_([0.8, 0.2])
            mc.as_scanner()(n2.mol)
    ours, theirs = with_both(n2, method, prepare, solve)
    assert abs(ours.e_tot - theirs.e_tot) < 1e-7


def test_natural_orbitals_of_the_active_space(n2):
    done = []
    for own in (True, False):
        mc = mcscf.CASCI(n2, 4, 4)
        if own:
            mc.fcisolver = cisolve.pyscf.FCI(n2.mol)
        mc.kernel()
        before = mc.mo_coeff
        orbitals, ci, occupations = mc.cas_natorb(sort=True)
        overlap = before[:, 5:9].T @ n2.get_ovlp() @ orbitals[:, 5:9]
        assert abs(abs(fci.addons.overlap(mc.ci, ci, 4, 4, overlap)) - 1) < 1e-9
        done.append(occupations)
    assert np.allclose(*done, atol=1e-7)


def test_the_lowest_triplet_is_found_where_a_penalty_fails(n2):
    """PySCF's penalty of 0.2 (S² − 2)² raises N2's singlet by 0.8 and starts from it: that is what
    comes out. The projector gives the triplet."""
    mc = mcscf.CASCI(n2, 4, 4)
    mc.fcisolver = cisolve.pyscf.FCI(n2.mol)
    mc.fcisolver.wfnsym = "A1u"
    mc.fix_spin_(ss=2)
    energy = mc.kernel()[0]
    assert abs(mc.fcisolver.spin_square(mc.ci, 4, (2, 2))[0] - 2) < 1e-9
    other = mcscf.CASCI(n2, 4, (3, 1))
    other.fcisolver.wfnsym = "A1u"
    assert abs(energy - other.kernel()[0]) < 1e-8


def test_another_molecule(n2):
    mc = mcscf.CASCI(scf.RHF(n2.mol), 4, 4)
    mc.fcisolver = cisolve.pyscf.FCI(n2.mol)
    mol = gto.M(atom="N 0 0 0; N 0 0 1.1", basis="6-31g", verbose=0)
    mc.reset(mol)
    assert mc.fcisolver.mol is mol


@pytest.mark.parametrize("verbose, said", [(0, False), (3, False), (4, True)])
def test_messages_go_by_pyscfs_verbosity(verbose, said, caplog):
    import io
    solver = cisolve.pyscf.FCI()
    solver.verbose, solver.stdout = verbose, io.StringIO()
    with caplog.at_level("DEBUG", logger="cisolve"):
        solver.kernel(np.diag([-1.0, 0.0, 1.0]), np.zeros((6, 6)), 3, 2)
    assert caplog.text == ""
    assert ("converged in" in solver.stdout.getvalue()) == said
