"""cisolve.pyscf.SCI within PySCF's CASCI and CASSCF, beside PySCF's full CI."""
import io
import pickle

import numpy as np
import pytest

import cisolve

pyscf = pytest.importorskip("pyscf")
from pyscf import fci, gto, mcscf, scf  # noqa: E402

import cisolve.pyscf  # noqa: E402
from cisolve._pyscf import sci  # noqa: E402

ALL = 10**6  # determinants, more than there are
NORB = 7


@pytest.fixture(scope="module")
def nitrogen():
    mol = gto.M(atom="N 0 0 0; N 0 0 1.4", basis="sto-3g", verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-12)


@pytest.fixture(scope="module")
def larger():
    mol = gto.M(atom="N 0 0 0; N 0 0 1.4", basis="6-31g", verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-12)


@pytest.fixture
def selections(monkeypatch):
    """Numbers of determinants of the selections that are made."""
    made = []

    def counted(*arguments, **settings):
        found = cisolve.select(*arguments, **settings)
        made.append(len(found.determinants[0]))
        return found
    monkeypatch.setattr(sci, "select", counted)
    return made


def casci(mf, norb, nelec, nroots=1, **settings):
    mc = mcscf.CASCI(mf, norb, nelec)
    if settings:
        mc.fcisolver = cisolve.pyscf.SCI(mf.mol, **settings)
        mc.fcisolver.residual_tol = 1e-10
    else:
        mc.fcisolver = fci.direct_spin1.FCI(mf.mol)
        mc.fcisolver.pspace_size = 1300  # a small matrix is diagonalised
    mc.fcisolver.nroots = nroots
    return mc.run()


def flat(densities):
    """All numbers of arrays, in tuples or not."""
    if isinstance(densities, np.ndarray):
        return densities.ravel()
    return np.concatenate([flat(each) for each in densities])


@pytest.mark.parametrize("nelec", [(4, 4), (5, 3)])
def test_all_determinants_are_full_ci(nitrogen, nelec):
    theirs, ours = (casci(nitrogen, NORB, nelec, 3, **given) for given in ({}, {"determinants": ALL}))
    np.testing.assert_allclose(ours.e_tot, theirs.e_tot, atol=1e-8)
    np.testing.assert_allclose(ours.fcisolver.corrections, 0, atol=1e-10)
    assert ours.fcisolver.converged.all() and ours.converged
    for name in ("make_rdm1", "make_rdm1s", "make_rdm12", "make_rdm12s", "make_rdm2"):
        a, b = (flat(getattr(mc.fcisolver, name)(mc.ci[0], NORB, nelec)) for mc in (ours, theirs))
        np.testing.assert_allclose(a, b, atol=1e-8, err_msg=name)
    for a, b in zip(ours.ci, theirs.ci):
        np.testing.assert_allclose(ours.fcisolver.spin_square(a, NORB, nelec),
                                   theirs.fcisolver.spin_square(b, NORB, nelec), atol=1e-7)


def test_transitions_are_pyscfs(nitrogen):
    theirs, ours = casci(nitrogen, 6, (3, 3), 2), casci(nitrogen, 6, (3, 3), 2, determinants=ALL)
    for name in ("trans_rdm1", "trans_rdm1s", "trans_rdm12"):
        a, b = (flat(getattr(mc.fcisolver, name)(*mc.ci, 6, (3, 3))) for mc in (ours, theirs))
        assert min(abs(a - b).max(), abs(a + b).max()) < 1e-7, name  # of either sign
    others = casci(nitrogen, 6, (3, 3), 2, determinants=ALL)
    with pytest.raises(cisolve.InputError, match="over different lists"):
        ours.fcisolver.trans_rdm1(ours.ci[0], others.ci[0], 6, (3, 3))


def test_a_part_is_above_and_corrected_comes_near(larger):
    exact = casci(larger, 10, (5, 5)).e_tot
    part = casci(larger, 10, (5, 5), determinants=1500)
    assert len(part.ci.determinants) >= 1500
    assert exact < part.e_tot < exact + 0.01
    solver = part.fcisolver
    assert solver.eci == solver.variational[0]
    assert solver.extrapolated[0] == pytest.approx(exact, abs=1e-3)
    solver.corrected = True
    assert part.kernel()[0] == pytest.approx(solver.totals[0], abs=1e-12)
    assert abs(part.e_tot - exact) < 0.2 * (solver.variational[0] - exact)
    # The energy of the densities is the variational one.
    one, two = solver.make_rdm12(part.ci, 10, (5, 5))
    h1, core = part.get_h1eff()
    h2 = pyscf.ao2mo.restore(1, part.get_h2eff(), 10)
    energy = core + np.einsum("pq,qp", h1, one) + 0.5 * np.einsum("pqrs,pqrs", h2, two)
    assert energy == pytest.approx(solver.variational[0], abs=1e-9)


def casscf(mf, norb, nelec, solver):
    mc = mcscf.CASSCF(mf, norb, nelec)
    mc.fcisolver = solver
    return mc


def test_casscf_converges_to_pyscfs(larger):
    theirs = casscf(larger, 6, (3, 3), fci.direct_spin1.FCI(larger.mol)).run()
    ours = casscf(larger, 6, (3, 3), cisolve.pyscf.SCI(larger.mol, determinants=ALL)).run()
    assert ours.converged and ours.e_tot == pytest.approx(theirs.e_tot, abs=1e-7)
    np.testing.assert_allclose(ours.make_rdm1(), theirs.make_rdm1(), atol=1e-4)


@pytest.mark.parametrize("given", [{"determinants": 200}, {"epsilon": 3e-3}, {"accuracy": 0.05}])
def test_casscf_keeps_its_list_as_it_converges(larger, selections, given):
    mc = casscf(larger, 8, (5, 5), cisolve.pyscf.SCI(larger.mol, **given))
    lists = []
    mc.callback = lambda facts: lists.append(facts["fcivec"].determinants)
    mc.kernel()
    assert mc.converged and mc.ci.determinants is lists[-1] is lists[-4]
    assert 2 <= len(selections) <= len({id(each) for each in lists})
    if "accuracy" in given:  # as many as the first selection took
        assert max(selections) <= 1.1 * selections[0]


def test_state_average(larger):
    theirs = casscf(larger, 6, (3, 3), fci.direct_spin1.FCI(larger.mol)).state_average_([0.6, 0.4])
    ours = casscf(larger, 6, (3, 3), cisolve.pyscf.SCI(larger.mol, determinants=ALL))
    ours = ours.state_average_([0.6, 0.4])
    for mc in (theirs, ours):
        mc.kernel()
    assert ours.converged and ours.e_tot == pytest.approx(theirs.e_tot, abs=1e-7)
    np.testing.assert_allclose(ours.e_states, theirs.e_states, atol=1e-6)
    np.testing.assert_allclose(ours.fcisolver.make_rdm1(ours.ci, 6, (3, 3)),
                               theirs.fcisolver.make_rdm1(theirs.ci, 6, (3, 3)), atol=1e-4)
    few = casscf(larger, 6, (3, 3), cisolve.pyscf.SCI(larger.mol, determinants=150))
    few = few.state_average_([0.6, 0.4])
    few.kernel()
    assert few.converged and 150 <= len(few.ci[0].determinants) < 400
    assert ours.e_tot < few.e_tot < ours.e_tot + 0.1


def test_symmetry(larger):
    mol = larger.mol.copy()
    mol.build(symmetry="D2h")
    mf = scf.RHF(mol).run(conv_tol=1e-12)
    for wfnsym in ("Ag", "B1u"):
        energies = []
        for solver in (fci.direct_spin1_symm.FCI(mol), cisolve.pyscf.SCI(mol, determinants=ALL)):
            mc = mcscf.CASCI(mf, 6, (3, 3))
            mc.fcisolver = solver
            mc.fcisolver.wfnsym = wfnsym
            energies.append(mc.kernel()[0])
        assert energies[0] == pytest.approx(energies[1], abs=1e-8)
    mc.fcisolver.wfnsym = "E7"
    with pytest.raises(Exception, match="wfnsym|E7"):
        mc.kernel()


def test_twenty_orbitals():
    mol = gto.M(atom="O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", basis="cc-pvdz", verbose=0)
    mf = scf.RHF(mol).run()
    mc = mcscf.CASCI(mf, 20, 8)
    mc.fcisolver = cisolve.pyscf.SCI(mol, determinants=5000)
    mc.kernel()
    solver = mc.fcisolver
    assert mc.converged and len(mc.ci.determinants) >= 5000
    assert mc.make_rdm1().shape == (24, 24)
    assert solver.totals[0] < mc.e_tot < mf.e_tot
    assert abs(solver.extrapolated[0] - solver.totals[0]) < 0.01
    assert solver.spin_square(mc.ci, 20, 8)[0] == pytest.approx(0, abs=1e-2)


def test_analysis_and_natural_orbitals(nitrogen):
    mc = casci(nitrogen, 6, (3, 3), determinants=ALL)
    mc.stdout, mc.verbose = io.StringIO(), 4
    mc.analyze()
    assert "Largest CI components" in mc.stdout.getvalue()
    coefficient, a, b = mc.fcisolver.large_ci(mc.ci, 6, (3, 3))[0]
    assert (a, b) == ("0b111", "0b111") and abs(coefficient) > 0.8
    assert mc.fcisolver.large_ci(mc.ci, 6, (3, 3), 1.1, return_strs=False)[0][1] == [0, 1, 2]
    energy = mc.e_tot
    mc.natorb = True
    assert mc.kernel()[0] == pytest.approx(energy, abs=1e-9)
    density = mc.fcisolver.make_rdm1(mc.ci, 6, (3, 3))
    np.testing.assert_allclose(density, np.diag(np.diagonal(density)), atol=1e-6)


def test_spin_squared_of_steps_without_analysis(nitrogen):
    mc = casci(nitrogen, 6, (4, 2), determinants=40)
    known = mc.fcisolver.spin_square(mc.ci, 6, (4, 2))
    mc.ci.s_squared = None
    assert mc.fcisolver.spin_square(mc.ci, 6, (4, 2)) == pytest.approx(known, abs=1e-9)


def test_they_are_pickled(nitrogen):
    mc = casci(nitrogen, 6, (3, 3), determinants=100)
    solver, ci = pickle.loads(pickle.dumps((mc.fcisolver, mc.ci)))
    np.testing.assert_allclose(solver.make_rdm1(ci, 6, (3, 3)),
                               mc.fcisolver.make_rdm1(mc.ci, 6, (3, 3)), atol=1e-12)


def test_what_is_not_there_is_refused(nitrogen):
    mc = mcscf.CASCI(nitrogen, 6, (3, 3))
    mc.fcisolver = fci.addons.fix_spin_(cisolve.pyscf.SCI(nitrogen.mol, determinants=100))
    with pytest.raises(NotImplementedError, match="fix_spin_"):
        mc.kernel()
    h1 = np.eye(2)
    with pytest.raises(NotImplementedError, match="unrestricted"):
        cisolve.pyscf.SCI().kernel((h1, h1), np.zeros((3, 3)), 2, 2)
