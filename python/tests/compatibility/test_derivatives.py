"""Gradients, couplings and what moves nuclei."""
import numpy as np
import pytest
from molecules import hartree_fock, molecule
from pyscf import mcscf, scf


def active(place, mc, **attributes):
    mc = place(mc, **attributes)
    if hasattr(mc, "conv_tol"):
        mc.conv_tol = 1e-10
    return mc


def test_casscf(compare):
    """Nuclear gradient of CASSCF"""
    def run(place):
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 4, 2)).run()
        return {"gradient": mc.nuc_grad_method().kernel()}
    compare(run, gradient=1e-4)


def test_casci(compare):
    """Nuclear gradient of CASCI"""
    def run(place):
        mc = active(place, mcscf.CASCI(hartree_fock("water"), 4, 4)).run()
        return {"gradient": mc.nuc_grad_method().kernel()}
    compare(run, gradient=1e-6)


def test_root_of_casci(compare):
    """Nuclear gradient of an excited root of CASCI"""
    def run(place):
        mc = active(place, mcscf.CASCI(hartree_fock("water"), 4, 4), nroots=3).run()
        return {"gradient": mc.nuc_grad_method().kernel(state=2)}
    compare(run, gradient=1e-6)


@pytest.mark.parametrize("root", [0, 1])
def test_average(compare, root):
    """Nuclear gradient of SA-CASSCF, root"""
    def run(place):
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 2, 2)).fix_spin_(ss=0)
        mc = mc.state_average_([0.5, 0.5]).run()
        return {"gradient": mc.nuc_grad_method().kernel(state=root)}
    compare(run, gradient=1e-4)


@pytest.mark.slow
def test_coupling(compare):
    """Nonadiabatic coupling of SA-CASSCF"""
    def run(place):
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 2, 2)).fix_spin_(ss=0)
        mc = mc.state_average_([0.5, 0.5]).run()
        return {"coupling": abs(mc.nac_method().kernel(state=(0, 1)))}
    compare(run, coupling=1e-4)


def test_energy_scanner(compare):
    """as_scanner of CASSCF, three distances"""
    def run(place):
        scan = active(place, mcscf.CASSCF(hartree_fock("lih"), 5, 2)).as_scanner()
        return {"energies": [scan(f"Li 0 0 0; H 0 0 {r}") for r in (1.5, 1.7, 2.0)]}
    compare(run, energies=1e-8)


def test_gradient_scanner(compare):
    """as_scanner of gradients"""
    def run(place):
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 2, 2)).run()
        energy, gradient = mc.nuc_grad_method().as_scanner()(molecule("lih"))
        return {"energy": energy, "gradient": gradient}
    compare(run, energy=1e-8, gradient=1e-5)


@pytest.mark.slow
@pytest.mark.needs("geometric")
def test_geometric(compare):
    """Optimised geometry of CASSCF by geomeTRIC"""
    from pyscf.geomopt import geometric_solver

    def run(place):
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 2, 2))
        found = geometric_solver.optimize(mc, maxsteps=20)
        return {"distance": np.linalg.norm(np.diff(found.atom_coords(), axis=0))}
    compare(run, distance=1e-4)


@pytest.mark.slow
@pytest.mark.needs("ase")
def test_ase(compare):
    """Optimised geometry of CASSCF by ASE"""
    from pyscf.geomopt import ase_solver

    def run(place):
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 2, 2))
        found = ase_solver.kernel(mc)[1]
        return {"distance": np.linalg.norm(np.diff(found.atom_coords(), axis=0))}
    compare(run, distance=1e-3)


def test_dynamics(compare):
    """Molecular dynamics on a CASSCF surface, five steps"""
    def run(place):
        from pyscf import md
        mc = active(place, mcscf.CASSCF(hartree_fock("lih"), 2, 2))
        engine = md.integrators.VelocityVerlet(mc, dt=10, steps=5, verbose=0).run()
        return {"energy": engine.epot + engine.ekin, "places": engine.mol.atom_coords()}
    compare(run, energy=1e-7, places=1e-5)


def test_finite_field(compare):
    """Dipole moment by a finite electric field"""
    mol = molecule("water")

    def run(place):
        energies = []
        for field in (1e-3, -1e-3):
            mf = scf.RHF(mol)
            core = mf.get_hcore() + field * mol.intor("int1e_r")[2]
            mf.get_hcore = lambda *args, core=core: core
            mf.run(conv_tol=1e-12)
            energies.append(place(mcscf.CASCI(mf, 5, 6)).run().e_tot)
        return {"dipole": (energies[0] - energies[1]) / 2e-3}
    compare(run, dipole=1e-6)
