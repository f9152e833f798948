"""Choices of active orbitals."""
from molecules import hartree_fock
from pyscf import mcscf, mp
from pyscf.mcscf import apc, avas, dmet_cas


def of_orbitals(compare, mf, ncas, nelecas, orbitals, kind=mcscf.CASCI, tolerance=1e-9):
    def run(place):
        mc = place(kind(mf, ncas, nelecas))
        mc.kernel(orbitals(mc) if callable(orbitals) else orbitals)
        return {"energy": mc.e_tot}
    compare(run, energy=tolerance)


def test_avas(compare):
    """AVAS: atomic valence orbitals"""
    mf = hartree_fock("n2")
    ncas, nelecas, orbitals = avas.avas(mf, ["N 2p"], canonicalize=True)[:3]
    of_orbitals(compare, mf, ncas, nelecas, orbitals)


def test_dmet(compare):
    """DMET-CAS: embedding's bath"""
    mf = hartree_fock("n2")
    ncas, nelecas, orbitals = dmet_cas.guess_cas(mf, mf.make_rdm1(), ["N 2p"])
    of_orbitals(compare, mf, ncas, nelecas, orbitals)


def test_ranked_orbitals(compare):
    """APC: ranked orbitals"""
    mf = hartree_fock("water", "6-31g")
    ncas, nelecas, orbitals = apc.APC(mf, max_size=(4, 6)).kernel()
    of_orbitals(compare, mf, ncas, nelecas, orbitals)


def test_moller_plesset(compare):
    """Natural orbitals of MP2"""
    mf = hartree_fock("water")
    noons, orbitals = mcscf.addons.make_natural_orbitals(mp.MP2(mf).run())
    of_orbitals(compare, mf, 4, 4, orbitals)


def test_sorted_by_hand(compare):
    """sort_mo: orbitals by number"""
    of_orbitals(compare, hartree_fock("water"), 4, 4, lambda mc: mc.sort_mo([3, 4, 6, 7]))


def test_sorted_by_irrep(compare):
    """sort_mo_by_irrep: orbitals by number of each irrep"""
    of_orbitals(compare, hartree_fock("n2", symmetry="D2h"), 4, 4,
                lambda mc: mc.sort_mo_by_irrep({"B2u": 1, "B3u": 1, "B2g": 1, "B3g": 1}))


def test_projected(compare):
    """project_init_guess: orbitals of another geometry"""
    mf = hartree_fock("n2")

    def orbitals(mc):
        from pyscf import gto, scf
        near = scf.RHF(gto.M(atom="N 0 0 0; N 0 0 1.1", basis="sto-3g", verbose=0)).run()
        return mcscf.project_init_guess(mc, near.mo_coeff, prev_mol=near.mol)
    of_orbitals(compare, mf, 6, 6, orbitals, kind=mcscf.CASSCF, tolerance=1e-7)
