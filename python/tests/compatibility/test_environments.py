"""Surroundings of the active space: other integrals, solvents, charges, periodicity."""
import numpy as np
import pytest
from molecules import hartree_fock, molecule
from pyscf import gto, mcscf, qmmm, scf, solvent


def result(mc):
    if hasattr(mc, "conv_tol"):
        mc.conv_tol = 1e-9
    return {"energy": mc.run().e_tot}


@pytest.mark.parametrize("kind", [mcscf.CASCI, mcscf.CASSCF])
def test_density_fitting(compare, kind):
    """Density fitting (density_fit)"""
    mf = scf.RHF(molecule("lih")).density_fit().run(conv_tol=1e-11)
    compare(lambda place: result(place(kind(mf, 4, 2))), energy=1e-8)


@pytest.mark.slow
def test_density_fitting_of_the_active_space(compare):
    """Density fitting of CASSCF alone (mcscf.DFCASSCF)"""
    compare(lambda place: result(place(mcscf.DFCASSCF(hartree_fock("water"), 4, 4))), energy=1e-8)


@pytest.mark.parametrize("method", ["sfx2c1e", "x2c"])
def test_x2c(compare, method):
    """Scalar relativity"""
    mf = scf.RHF(molecule("lih"))
    mf = mf.sfx2c1e() if method == "sfx2c1e" else scf.sfx2c(mf)
    mf.run(conv_tol=1e-11)
    compare(lambda place: result(place(mcscf.CASSCF(mf, 4, 2))), energy=1e-8)


def test_core_potential(compare):
    """Effective core potential (ECP) of sodium"""
    # No orbitals of equal energy among the active ones: which of a pair is taken is rounding's.
    mol = gto.M(atom="Na 0 0 0; H 0 0 1.9", basis="lanl2dz", ecp={"Na": "lanl2dz"}, verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-11)
    compare(lambda place: result(place(mcscf.CASSCF(mf, 2, 2))), energy=1e-8)


def test_ghost_atom(compare):
    """Ghost atom (counterpoise correction)"""
    mol = gto.M(atom="Li 0 0 0; H 0 0 1.6; GHOST-H 0 0 3.4", basis="sto-3g", verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-11)
    compare(lambda place: result(place(mcscf.CASSCF(mf, 4, 2))), energy=1e-8)


def test_spherical_and_cartesian(compare):
    """Cartesian basis functions"""
    mol = gto.M(atom="Li 0 0 0; H 0 0 1.6", basis="6-31g*", cart=True, verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-11)
    compare(lambda place: result(place(mcscf.CASSCF(mf, 4, 2))), energy=1e-8)


@pytest.mark.parametrize("kind, tolerance", [(mcscf.CASCI, 1e-8), (mcscf.CASSCF, 1e-7)],
                         ids=["CASCI", "CASSCF"])
@pytest.mark.parametrize("name", ["ddCOSMO", "PCM"])
def test_solvents(compare, kind, tolerance, name):
    """Solvent in equilibrium

    PySCF's CASSCF in a solvent is not variational: where it ends depends on its path, by 1e-5 and
    more on start orbitals that are turned by 1e-3, whichever the solver.
    """
    attach = getattr(solvent, name)

    def run(place):
        mc = attach(place(kind(hartree_fock("lih"), 5, 2)))
        mc.conv_tol = 1e-10
        return {"energy": mc.run().e_tot}
    compare(run, energy=tolerance)


def test_point_charges(compare):
    """QM/MM: point charges around CASSCF"""
    mf = qmmm.mm_charge(scf.RHF(molecule("water")), [[0.0, 0.0, -2.0], [0.0, 2.0, 2.0]],
                        [0.4, -0.4]).run(conv_tol=1e-11)
    compare(lambda place: result(place(mcscf.CASSCF(mf, 4, 4))), energy=1e-8)


@pytest.mark.slow
def test_gamma_point(compare):
    """Periodic hydrogen at the gamma point, CASCI"""
    from pyscf.pbc import gto as periodic, scf as periodic_scf
    cell = periodic.M(a=np.eye(3) * 6.0, unit="B", atom="H 0 0 0; H 0 0 1.4; H 3 3 0; H 3 3 1.4",
                      basis="sto-3g", verbose=0)
    mf = periodic_scf.RHF(cell).density_fit().run(conv_tol=1e-10)
    mf = mf.to_rhf() if hasattr(mf, "to_rhf") else mf
    compare(lambda place: result(place(mcscf.CASCI(mf, 4, 4))), energy=1e-8)
