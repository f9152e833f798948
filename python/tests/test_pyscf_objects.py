"""Hamiltonians of PySCF's objects: energies, densities and irreps as PySCF has them."""
import numpy as np
import pytest

import cisolve


@pytest.fixture(scope="module")
def water():
    pyscf = pytest.importorskip("pyscf")
    mol = pyscf.M(atom="O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587", basis="sto-3g",
                  symmetry="C2v", verbose=0)
    return mol.RHF().run(conv_tol=1e-12)


def test_an_scf_object_and_pyscfs_full_ci(water):
    from pyscf import fci
    solver = fci.FCI(water)
    solver.conv_tol, solver.nroots = 1e-13, 3
    energies, vectors = solver.kernel()
    states = cisolve.Hamiltonian.from_pyscf(water).eigenstates(8, tol=1e-8)
    norb, nelec = water.mo_coeff.shape[1], water.mol.nelec
    for energy, vector in zip(energies, vectors):  # PySCF's are of one irrep
        mine = min(states, key=lambda state: abs(state.energy - energy))
        assert mine.energy == pytest.approx(energy, abs=1e-9)
        assert abs((mine.ci * vector).sum()) == pytest.approx(1, abs=1e-9)
        np.testing.assert_allclose(mine.rdm1(), solver.make_rdm1(vector, norb, nelec), atol=1e-7)
    spins = [state.s_squared for state in states]
    expected = [fci.spin_op.spin_square0(state.ci, norb, nelec)[0] for state in states]
    np.testing.assert_allclose(spins, expected, atol=1e-8)


def test_the_active_space_of_a_casci_and_densities_as_pyscfs():
    pyscf = pytest.importorskip("pyscf")
    from pyscf import fci, mcscf
    mf = pyscf.M(atom="O 0 0 0; H 0.1 0.757 0.587; H 0 -0.8 0.587", basis="sto-3g",
                 verbose=0).RHF().run()
    mc = mcscf.CASCI(mf, 5, (4, 2)).run()
    states = cisolve.Hamiltonian.from_pyscf(mc).eigenstates(2, tol=1e-9)
    assert states[0].energy == pytest.approx(mc.e_tot, abs=1e-8)
    bra, ket = (np.ascontiguousarray(state.ci) for state in states)
    size = 5, (4, 2)
    one, two = fci.direct_spin1.make_rdm12s(bra, *size)
    np.testing.assert_allclose(states[0].rdm1s(), one, atol=1e-10)
    np.testing.assert_allclose(states[0].rdm2s(), two, atol=1e-10)
    np.testing.assert_allclose(states[0].rdm2(), fci.direct_spin1.make_rdm12(bra, *size)[1],
                               atol=1e-10)
    np.testing.assert_allclose(states[0].transition_rdm1(states[1]),
                               fci.direct_spin1.trans_rdm1(bra, ket, *size), atol=1e-10)


def test_irreps_have_the_names_that_pyscf_gives_them(water):
    from pyscf import mcscf, symm
    h = cisolve.Hamiltonian.from_pyscf(mcscf.CASCI(water, 6, 8))
    for name in ("A1", "A2", "B1", "b2"):
        mc = mcscf.CASCI(water, 6, 8)
        mc.fcisolver.wfnsym = name.capitalize()
        state = h.eigenstates(irrep=name)[0]
        assert state.energy == pytest.approx(mc.kernel()[0], abs=1e-8)
        assert state.irrep_name == name.capitalize()
        assert state.irrep == symm.irrep_name2id("C2v", name)
        if name != "A1":
            assert h.rows(irrep=name) < h.rows()
    for wrong in ("Ag", "E1ux", "9"):
        with pytest.raises(cisolve.InputError, match="irrep"):
            h.eigenstates(irrep=wrong)


@pytest.mark.parametrize("atom, symmetry, names", [
    ("N 0 0 0; N 0 0 1.4", "D2h", ["Ag", "B1g", "B2g", "B3g", "Au", "B1u", "B2u", "B3u"]),
    ("N 0 0 0; N 0 0 1.4", True, ["Ag", "B1g", "B2g", "B3g", "Au", "B1u", "B2u", "B3u"]),
    ("N 0 0 0; N 0 0 1.4", "C2h", ["Ag", "Bg", "Au", "Bu"]),
    ("N 0 0 0; N 0 0 1.4", "D2", ["A", "B1", "B2", "B3"]),
    ("B 0 0 0; N 0 0 1.3", True, ["A1", "A2", "B1", "B2"]),
    ("O 0 0 0; H 0 0.7 0.6; F 0 -1.2 0.6", True, ["A'", 'A"'])])
def test_every_group_has_pyscfs_irreps(atom, symmetry, names):
    pyscf = pytest.importorskip("pyscf")
    from pyscf import mcscf, symm
    mf = pyscf.M(atom=atom, basis="sto-3g", symmetry=symmetry, verbose=0).RHF().run(conv_tol=1e-11)
    group = {"Dooh": "D2h", "Coov": "C2v"}.get(mf.mol.groupname, mf.mol.groupname)
    mc = mcscf.CASCI(mf, 4, 4)
    irreps = np.asarray(mf.mo_coeff.orbsym[mc.ncore:mc.ncore + 4]) % 10
    from pyscf import fci
    h1, ecore = mc.get_h1eff()
    theirs = fci.direct_spin1_symm.FCI()
    h = cisolve.Hamiltonian.from_pyscf(mc)
    for name in names:
        number = symm.irrep_name2id(group, name)
        try:
            energy = theirs.kernel(h1, mc.get_h2eff(), 4, (2, 2), orbsym=irreps, wfnsym=number,
                                   ecore=ecore)[0]
        except RuntimeError:
            continue  # there is no such determinant
        state = h.eigenstates(irrep=name)[0]
        assert state.irrep == number
        assert state.energy == pytest.approx(energy, abs=1e-8)


def test_objects_of_pyscfs_that_cannot_be_taken_are_named():
    pyscf = pytest.importorskip("pyscf")
    from pyscf import mcscf
    mol = pyscf.M(atom="O 0 0 0; H 0 0 1", basis="sto-3g", spin=1, verbose=0)
    uhf = mol.UHF().run()
    neutral = pyscf.M(atom="N 0 0 0; N 0 0 1.4", basis="sto-3g", verbose=0)
    for method, told in ((neutral.RHF(), "this RHF has no orbitals yet"),
                         (mol.UHF(), "this UHF has no orbitals yet"),
                         (mcscf.CASSCF(neutral.RHF().run(), 4, 4), "CASSCF has the orbitals of the SCF"),
                         (uhf, "found UHF, of orbitals that differ by spin"),
                         (mol.UKS().run(), "found UKS, of orbitals that differ by spin"),
                         (mcscf.UCASCI(uhf, 4, (2, 1)), "found UCASCI, of orbitals that differ"),
                         (mol.GHF().run(), "found GHF, of orbitals that differ by spin"),
                         (mol, "found Mole, expected an SCF"), (None, "found NoneType")):
        with pytest.raises(cisolve.InputError, match=told):
            cisolve.Hamiltonian.from_pyscf(method)
    taken = cisolve.Hamiltonian.from_pyscf(uhf.to_rhf())
    assert taken.eigenstates()[0].multiplicity == 2


def test_open_shells():
    pyscf = pytest.importorskip("pyscf")
    from pyscf import fci
    mf = pyscf.M(atom="O 0 0 0; O 0 0 1.2", basis="sto-3g", spin=2, verbose=0).ROHF().run()
    h = cisolve.Hamiltonian.from_pyscf(mf)
    assert h.eigenstates(tol=1e-8)[0].energy == pytest.approx(
        fci.FCI(mf).kernel()[0], abs=1e-8)
