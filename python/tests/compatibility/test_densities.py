"""Densities, properties and PySCF's other functions of a solver, each of its own vector."""
import numpy as np
import pytest
from molecules import hartree_fock
from pyscf import fci, mcscf


@pytest.fixture(scope="module")
def of_roots():
    """A CASCI of two roots, their signs fixed by the largest coefficient."""
    def run(place, nroots=2, **options):
        mc = place(mcscf.CASCI(hartree_fock("water", **options), 5, 6), nroots=nroots)
        mc.fcisolver.conv_tol = 1e-14
        mc.kernel()
        mc.ci = [c * np.sign(c.ravel()[abs(c).argmax()]) for c in mc.ci]
        return mc
    return run


def flat(arrays):
    return np.concatenate([np.ravel(a) for a in arrays]) if isinstance(arrays, tuple) else arrays


@pytest.mark.parametrize("method", ["make_rdm1", "make_rdm1s", "make_rdm2", "make_rdm12",
                                    "make_rdm12s", "make_rdm123", "make_rdm1234"])
def test_densities(compare, of_roots, method):
    """Densities of an excited state"""
    def run(place):
        mc = of_roots(place)
        found = mc.fcisolver
        if method == "make_rdm2" and not hasattr(found, method):
            return {"density": found.make_rdm12(mc.ci[1], 5, 6)[1]}
        if method in ("make_rdm123", "make_rdm1234"):
            kernel = {"make_rdm123": "FCI3pdm_kern_sf", "make_rdm1234": "FCI4pdm_kern_sf"}[method]
            made = (fci.rdm.make_dm123(kernel, mc.ci[1], mc.ci[1], 5, (3, 3))
                    if method == "make_rdm123" else
                    fci.rdm.make_dm1234(kernel, mc.ci[1], mc.ci[1], 5, (3, 3)))
            return {"density": flat(tuple(made))}
        result = getattr(found, method)(mc.ci[1], 5, 6)
        if isinstance(result, tuple):
            result = tuple(flat(tuple(r)) if isinstance(r, tuple) else r for r in result)
        return {"density": flat(result)}
    compare(run, density=1e-6)


@pytest.mark.parametrize("method", ["trans_rdm1", "trans_rdm1s", "trans_rdm12", "trans_rdm12s"])
def test_transition_densities(compare, of_roots, method):
    """Transition densities between two states"""
    def run(place):
        mc = of_roots(place)
        result = getattr(mc.fcisolver, method)(mc.ci[0], mc.ci[1], 5, 6)
        if isinstance(result, tuple):
            result = tuple(flat(tuple(r)) if isinstance(r, tuple) else r for r in result)
        return {"density": flat(result)}
    compare(run, density=1e-6)


def test_transition_dipole(compare, of_roots):
    """Transition dipole moment of the lowest singlets"""
    def run(place):
        mc = of_roots(place, nroots=4)
        singlets = [c for c in mc.ci if fci.spin_op.spin_square(c, 5, 6)[0] < 1e-6][:2]
        density = mc.fcisolver.trans_rdm1(*singlets, 5, 6)
        orbitals = mc.mo_coeff[:, mc.ncore:mc.ncore + 5]
        r = np.einsum("xij,ip,jq->xpq", mc.mol.intor("int1e_r"), orbitals, orbitals)
        return {"dipole": abs(np.einsum("xpq,pq->x", r, density))}
    compare(run, dipole=1e-6)


def test_spin_square(compare, of_roots):
    """spin_square of four roots, of the solver and of the CASCI"""
    def run(place):
        mc = of_roots(place, nroots=4)
        return {"by_solver": [mc.fcisolver.spin_square(c, 5, 6) for c in mc.ci],
                "in_atomic_orbitals": [mcscf.spin_square(mc, ci=c) for c in mc.ci]}
    compare(run, by_solver=1e-6, in_atomic_orbitals=1e-6)


def test_contract_ss(compare, of_roots):
    """contract_ss: the operator S² on a vector"""
    def run(place):
        mc = of_roots(place)
        return {"vector": mc.fcisolver.contract_ss(mc.ci[0] + mc.ci[1], 5, 6)}
    compare(run, vector=1e-6)


def test_large_ci(compare, of_roots):
    """large_ci: the leading determinants"""
    def run(place):
        mc = of_roots(place)
        leading = mc.fcisolver.large_ci(mc.ci[0], 5, 6, tol=0.05)
        return {"coefficients": [c for c, *_ in leading],
                "determinants": [[int(a, 2), int(b, 2)] for _, a, b in
                                 mc.fcisolver.large_ci(mc.ci[0], 5, 6, tol=0.05,
                                                       return_strs=True)]}
    compare(run, coefficients=1e-6, determinants=0)


def test_rotation_of_orbitals(compare, of_roots):
    """transform_ci_for_orbital_rotation"""
    u = np.linalg.qr(np.random.default_rng(1).random((5, 5)))[0]

    def run(place):
        mc = of_roots(place)
        return {"vector": mc.fcisolver.transform_ci_for_orbital_rotation(mc.ci[0], 5, 6, u)}
    compare(run, vector=1e-6)


def test_ionisation(compare, of_roots):
    """fci.addons.des_a, overlap: a Dyson orbital of H2O to H2O+"""
    def run(place):
        neutral = of_roots(place)
        h1, core = neutral.get_h1eff()
        ion = place.solver().kernel(h1, neutral.get_h2eff(), 5, (2, 3))[1]
        orbital = [np.vdot(ion, fci.addons.des_a(neutral.ci[0], 5, (3, 3), i))
                   for i in range(5)]
        return {"strength": np.linalg.norm(orbital), "orbital": np.abs(orbital)}
    compare(run, strength=1e-6, orbital=1e-5)


def test_analyze(compare):
    """analyze(): the spin density"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("ch2"), 4, 4)).run()
        alpha, beta = mc.analyze(verbose=0)
        return {"density": alpha - beta}
    compare(run, density=1e-6)


def test_natural_orbitals(compare):
    """cas_natorb: natural orbitals, vector and occupations"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2"), 6, 6)).run()
        orbitals, ci, occupations = mc.cas_natorb()
        return {"occupations": occupations, "leading": abs(ci).max()}
    compare(run, occupations=1e-6, leading=1e-5)


def test_canonical_orbitals(compare):
    """canonicalize: orbital energies of a generalised Fock matrix"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("water"), 5, 6)).run()
        return {"energies": mc.canonicalize(mc.mo_coeff, mc.ci)[2]}
    compare(run, energies=1e-6)


def test_dipole_moment(compare, of_roots):
    """Dipole moments of two states by make_rdm1 of a CASCI"""
    def run(place):
        mc = of_roots(place)
        return {"dipole": [mc._scf.dip_moment(mc.mol, mc.make_rdm1(ci=c), verbose=0)
                           for c in mc.ci]}
    compare(run, dipole=1e-5)


def test_spin_density(compare):
    """make_rdm1s: Mulliken spin densities of CH2"""
    def run(place):
        mc = place(mcscf.CASSCF(hartree_fock("ch2"), 4, 4)).run(conv_tol=1e-9)
        alpha, beta = mc.make_rdm1s()
        return {"spins": np.einsum("ij,ji->i", alpha - beta, mc._scf.get_ovlp())}
    compare(run, spins=1e-4)
