"""CASCI: references, symmetry, roots, spins."""
import cisolve.pyscf
import numpy as np
import pytest
from molecules import hartree_fock
from pyscf import dft, fci, mcscf


def energies(compare, mf, ncas, nelecas, fix_spin=None, tolerance=1e-9, **attributes):
    def run(place):
        mc = place(mcscf.CASCI(mf, ncas, nelecas), **attributes)
        if fix_spin is not None:
            mc.fix_spin_(ss=fix_spin, shift=0.5)
        return {"energy": np.sort(np.atleast_1d(mc.run(canonicalization=False).e_tot))}
    compare(run, energy=tolerance)


@pytest.mark.parametrize("name, method, ncas, nelecas", [
    pytest.param("n2", "RHF", 6, 6, id="RHF, N2"),
    pytest.param("o2", "ROHF", 6, 8, id="ROHF, O2 triplet"),
    pytest.param("ch2", "UHF", 6, 6, id="UHF, CH2 triplet"),
    pytest.param("oh", "ROHF", 5, 7, id="ROHF, OH doublet"),
])
def test_references(compare, name, method, ncas, nelecas):
    """CASCI"""
    energies(compare, hartree_fock(name, method=method), ncas, nelecas)


def test_kohn_sham_orbitals(compare):
    """CASCI of Kohn-Sham orbitals, H2O"""
    mf = dft.RKS(hartree_fock("water").mol, xc="lda").run(conv_tol=1e-11)
    energies(compare, mf, 5, 6)


def test_roots(compare):
    """CASCI, five roots"""
    energies(compare, hartree_fock("water"), 5, 6, nroots=5)


@pytest.mark.parametrize("ss", [0, 2])
def test_fixed_spin(compare, ss):
    """CASCI, three roots with fix_spin_, S(S+1)"""
    energies(compare, hartree_fock("water"), 5, 6, fix_spin=ss, nroots=3)


def test_fixed_spin_exactly(compare):
    """CASCI, two triplets with fix_spin_, beside dense diagonalisation

    PySCF's penalty ends 3e-3 Hartree higher or lower with its shift (0.2: in a singlet).
    """
    mc = mcscf.CASCI(hartree_fock("water"), 5, 6)
    h1, core = mc.get_h1eff()
    dense = fci.direct_spin1.pspace(h1, mc.get_h2eff(), 5, (4, 2), np=50)[1]
    mc.fcisolver = cisolve.pyscf.FCI(mc.mol).set(nroots=2)
    found = mc.fix_spin_(ss=2).run().e_tot
    compare.same("energies", found, np.linalg.eigvalsh(dense)[:2] + core, 1e-9)


def test_electrons_by_spin(compare):
    """CASCI, electrons given by spin (quintet)"""
    energies(compare, hartree_fock("n2"), 6, (5, 1))


@pytest.mark.parametrize("name, group, wfnsym", [
    ("n2", "D2h", "B1u"), ("n2", "D2h", 2), ("ethylene", "D2h", "Ag"), ("water", "C2v", "A2"),
    ("water", "C2v", 3), ("hof", "Cs", 'A"'), ("n2", "Dooh", "A1g"), ("n2", "Dooh", "E1ux"),
    ("n2", "Dooh", "E2gx"), ("lih", "Coov", "E1x"), ("lih", "Coov", "A1")])
def test_symmetry(compare, name, group, wfnsym):
    """CASCI of an irrep, molecule-group-wfnsym"""
    mf = hartree_fock(name, symmetry=group)
    cas = {"n2": (6, 6), "lih": (5, 2), "ethylene": (4, 4)}.get(name, (5, 6))
    energies(compare, mf, *cas, wfnsym=wfnsym)


def test_roots_of_an_irrep(compare):
    """CASCI, three roots of an irrep of C2v"""
    energies(compare, hartree_fock("water", symmetry="C2v"), 5, 6, wfnsym="B1", nroots=3)


def test_start_vector(compare):
    """CASCI that starts from a vector (ci0)"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2"), 6, 6)).run()
        again = place(mcscf.CASCI(hartree_fock("n2"), 6, 6))
        again.kernel(ci0=mc.ci)
        return {"energy": again.e_tot, "overlap": abs(np.vdot(mc.ci, again.ci))}
    compare(run, energy=1e-9, overlap=1e-7)


def test_whole_spectrum(compare):
    """CASCI, all nine states of two electrons in three orbitals"""
    energies(compare, hartree_fock("h4"), 3, 2, nroots=9)


@pytest.mark.parametrize("kind", [mcscf.UCASCI, mcscf.UCASSCF], ids=["UCASCI", "UCASSCF"])
def test_unrestricted(kind):
    """Unrestricted orbitals are refused with a clear error"""
    mc = kind(hartree_fock("ch2", method="UHF"), 4, 4)
    assert np.isfinite(mc.copy().run().e_tot)  # PySCF's own solver takes them
    mc.fcisolver = cisolve.pyscf.FCI(mc.mol)
    with pytest.raises(NotImplementedError, match="unrestricted"):
        mc.kernel()
