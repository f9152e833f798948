"""cisolve.pyscf.FCI for linear molecules: every irrep, every number of roots, against dense
diagonalisation of PySCF's products in the subspace of one L_z²."""
import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import fci, gto, lib, mcscf, scf, symm  # noqa: E402
from pyscf.scf.hf_symm import map_degeneracy  # noqa: E402
from pyscf.symm.basis import linearmole_irrep2momentum  # noqa: E402

import cisolve.pyscf  # noqa: E402


class Space:
    """An active space of a molecule, with PySCF's H and L_z² in it."""

    def __init__(self, atom, core, norb=None, spin=0):
        self.mol = gto.M(atom=atom, basis="sto-3g", symmetry=True, spin=spin, verbose=0)
        self.mf = (scf.ROHF if spin else scf.RHF)(self.mol).run(conv_tol=1e-11)
        norb = norb or self.mf.mo_coeff.shape[1] - core
        mc = mcscf.CASCI(self.mf, norb, self.mol.nelectron - 2 * core)
        self.norb, self.nelec = norb, mc.nelecas
        self.h1, self.eri = mc.get_h1eff()[0], mc.get_h2eff()
        orbsym = np.asarray(self.mf.mo_coeff.orbsym[core:core + norb])
        self.orbsym = lib.tag_array(orbsym, degen_mapping=map_degeneracy(self.h1.diagonal(), orbsym))
        self.rotation = np.zeros((norb, norb))  # L_z = i Σ A_pq E_pq
        for p, q in enumerate(self.orbsym.degen_mapping):
            if p != q:
                self.rotation[p, q] = linearmole_irrep2momentum(orbsym[p])
        self._absorbed = fci.direct_spin1.absorb_h1e(self.h1, self.eri, norb, self.nelec, 0.5)

    def h(self, x):
        return fci.direct_spin1.contract_2e(self._absorbed, x, self.norb, self.nelec)

    def l_squared(self, x):
        turned = fci.direct_nosym.contract_1e(self.rotation, x, self.norb, self.nelec)
        return -fci.direct_nosym.contract_1e(self.rotation, turned, self.norb, self.nelec)

    def levels(self):
        """Eigenvalues by irrep, as PySCF numbers them, of all irreps that there could be."""
        irreps = [fci.direct_spin1_symm._gen_strs_irrep(
            fci.cistring.make_strings(range(self.norb), n), np.asarray(self.orbsym))
            for n in self.nelec]
        irreps = irreps[0][:, None] ^ irreps[1]
        found = {}
        for irrep in range(8 if self.mol.groupname == "Dooh" else 4):
            places = np.flatnonzero(irreps == irrep)
            unit = np.zeros((len(places),) + irreps.shape)
            unit.reshape(len(places), -1)[range(len(places)), places] = 1.0
            h, square = (np.array([f(x).ravel()[places] for x in unit]).reshape(len(places), -1)
                         for f in (self.h, self.l_squared))
            values, vectors = np.linalg.eigh(square) if len(places) else (np.zeros(0), h)
            momenta = np.rint(np.sqrt(abs(values)))
            for momentum in range(0 if irrep in (0, 1, 4, 5) else 1, 7, 2):
                u = vectors[:, momenta == momentum]
                found[momentum // 2 * 10 + irrep] = np.linalg.eigvalsh(u.T @ h @ u)
        return found

    def solver(self, **attributes):
        solver = cisolve.pyscf.FCI(self.mol)
        for name, value in attributes.items():
            setattr(solver, name, value)
        return solver

    def solve(self, solver, **options):
        return solver.kernel(self.h1, self.eri, self.norb, self.nelec, orbsym=self.orbsym, **options)


SPACES = {
    "N2": ("N 0 0 0; N 0 0 1.1", 4, 6), "LiH": ("Li 0 0 0; H 0 0 1.6", 0),
    "C2": ("C 0 0 0; C 0 0 1.3", 2, 7), "HF": ("H 0 0 0; F 0 0 0.92", 0),
    "BeH2": ("Be 0 0 0; H 0 0 1.3; H 0 0 -1.3", 1), "O2": ("O 0 0 0; O 0 0 1.2", 4, 6, 2),
    "OH": ("O 0 0 0; H 0 0 0.97", 0, None, 1)}


@pytest.mark.parametrize("name", SPACES)
def test_every_irrep_and_number_of_roots(name):
    space, there_were = Space(*SPACES[name]), 0
    for wfnsym, levels in space.levels().items():
        if len(levels) == 0:
            with pytest.raises(RuntimeError, match="no state of irrep"):
                space.solve(space.solver(), wfnsym=wfnsym)
            continue
        there_were += 1
        for nroots in (1, 2, 3, 4, 6):
            solver = space.solver(verify="thorough")
            energies, vectors = space.solve(solver, wfnsym=wfnsym, nroots=nroots)
            energies, vectors = np.atleast_1d(energies), vectors if nroots > 1 else [vectors]
            assert len(energies) == len(vectors) == min(nroots, len(levels))
            np.testing.assert_allclose(energies, levels[:nroots], atol=1e-8)
            assert np.all(solver.converged) and solver.verified
            assert any("nroots" in note for note in solver.result.notes) == (nroots > len(levels))
            momentum = abs(linearmole_irrep2momentum(wfnsym))
            for x in vectors:
                assert abs(space.l_squared(x) - momentum**2 * x).max() < 1e-5
    assert there_were > 3


@pytest.fixture(scope="module")
def lithium():
    return Space("Li 0 0 0; Li 0 0 2.7", 0)


def test_high_states_of_an_irrep_that_lower_ones_share(lithium):
    """E3gx is of B2g in D2h, where hundreds of E1gx states lie lower."""
    few = None
    for nroots in (1, 2, 3, 4, 6):
        solver = lithium.solver()
        energies, vectors = lithium.solve(solver, wfnsym="E3gx", nroots=nroots)
        energies, vectors = np.atleast_1d(energies), vectors if nroots > 1 else [vectors]
        assert len(energies) == nroots and np.all(solver.converged)
        for energy, x in zip(energies, vectors):
            assert abs(lithium.h(x) - energy * x).max() < 1e-5
            assert abs(lithium.l_squared(x) - 9 * x).max() < 1e-5
        if few is not None:
            np.testing.assert_allclose(energies[:len(few)], few, atol=1e-8)
        few = energies
    partners = lithium.solve(lithium.solver(), wfnsym="E3gy", nroots=6)[0]
    np.testing.assert_allclose(partners, few, atol=1e-8)


def test_more_states_than_there_are(capsys):
    space = Space(*SPACES["HF"])
    solver = space.solver(verbose=2)
    levels = space.levels()[1]  # A2
    energies, vectors = space.solve(solver, wfnsym="A2", nroots=len(levels) + 3)
    np.testing.assert_allclose(energies, levels, atol=1e-8)
    assert f"the space has {len(levels)} state" in solver.result.notes[0]
    assert "of irrep A2" in capsys.readouterr().err
    with pytest.raises(RuntimeError, match="no state of irrep E4x exists"):
        space.solve(space.solver(), wfnsym="E4x")


@pytest.mark.parametrize("multiplicity, nroots", [(1, 4), (3, 4), (5, 2), (7, 2)])
def test_one_spin_of_one_irrep(multiplicity, nroots):
    space = Space(*SPACES["N2"])
    spin = (multiplicity - 1) / 2
    for wfnsym in ("A1g", "E2gx", "A2u", "E1ux", "E3uy"):
        number = symm.irrep_name2id("Dooh", wfnsym)
        solver = space.solver()
        solver.nroots = 200
        energies, vectors = space.solve(solver, wfnsym=number)
        of_spin = [e for e, x in zip(np.atleast_1d(energies), vectors)
                   if abs(fci.spin_op.spin_square0(x, 6, (3, 3))[0] - spin * (spin + 1)) < 1e-4]
        one = space.solver(ss_value=spin * (spin + 1), ss_penalty=0.2)
        if not of_spin:
            with pytest.raises(RuntimeError, match=f"no state of irrep {wfnsym} of multiplicity"):
                space.solve(one, wfnsym=number, nroots=nroots)
            continue
        found = space.solve(one, wfnsym=number, nroots=nroots)[0]
        assert np.size(found) == min(nroots, len(of_spin))
        np.testing.assert_allclose(found, of_spin[:nroots], atol=1e-7)


def test_a_start_vector_tells_the_momentum_too():
    space = Space(*SPACES["N2"])
    delta = space.solve(space.solver(), wfnsym="E2gx")
    again = space.solver()
    energy, vector = space.solve(again, ci0=delta[1])
    assert energy == pytest.approx(delta[0], abs=1e-9) and again.result.iterations <= 1
    # A mixture has the irrep of its largest coefficient, and the Λ of its part there.
    pi = space.solve(space.solver(), wfnsym="E1ux")[1]
    mixture = 0.5 * delta[1] / abs(delta[1]).max() + 0.2 * pi / abs(pi).max()
    assert space.solve(space.solver(), ci0=mixture)[0] == pytest.approx(delta[0], abs=1e-8)
    other = space.solve(space.solver(), ci0=delta[1], wfnsym="A1g")[0]  # of no use there
    assert other == pytest.approx(space.levels()[0][0], abs=1e-8)


def test_orbitals_that_are_no_linear_molecules(capsys):
    space = Space(*SPACES["N2"])
    ground, delta = (space.solve(space.solver(), wfnsym=name) for name in ("A1g", "E2gx"))
    x = int(np.argmax(abs(space.rotation).sum(0)))
    space.eri = space.eri.copy()
    space.eri[x * (x + 3) // 2, x * (x + 3) // 2] += 1e-3  # (xx|xx), and not (yy|yy)
    for irreps in ({}, {"wfnsym": "A1g"}):  # where that makes no other state the lowest
        assert space.solve(space.solver(), **irreps)[0] == pytest.approx(ground[0], abs=1e-2)
    with pytest.raises(RuntimeError, match="not those of a linear molecule"):
        space.solve(space.solver(), wfnsym="E2gx")
    assert capsys.readouterr().err == ""
    space.solve(space.solver(verbose=2), ci0=delta[1])
    assert "not those of a linear molecule" in capsys.readouterr().err


def test_names_of_irreps_that_there_are_not():
    space = Space(*SPACES["N2"])
    for wrong in ("B9", "A1", "E2", "Exgx"):
        with pytest.raises(RuntimeError, match=f"wfnsym: found '{wrong}'"):
            space.solve(space.solver(), wfnsym=wrong)
