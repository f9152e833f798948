"""Dynamic correlation on top: NEVPT2 and pair-density functionals."""
import numpy as np
import pytest
from molecules import hartree_fock
from pyscf import mcpdft, mcscf, mrpt


@pytest.mark.slow
def test_nevpt2_of_casscf(compare):
    """NEVPT2 of a CASSCF state"""
    def run(place):
        mc = place(mcscf.CASSCF(hartree_fock("n2"), 6, 6)).run(conv_tol=1e-10)
        return {"correlation": mrpt.NEVPT(mc).kernel()}
    compare(run, correlation=1e-6)


@pytest.mark.parametrize("root", [0, 1])
def test_nevpt2_of_casci(compare, root):
    """NEVPT2 of a CASCI, root"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("water"), 4, 4), nroots=2).run()
        return {"correlation": mrpt.NEVPT(mc, root=root).kernel()}
    compare(run, correlation=1e-7)


def test_nevpt2_with_symmetry(compare):
    """NEVPT2 with D2h symmetry"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2", symmetry="D2h"), 6, 6)).run()
        return {"correlation": mrpt.NEVPT(mc).kernel()}
    compare(run, correlation=1e-7)


def test_pair_density_functional(compare):
    """MC-PDFT (tPBE) of CASSCF"""
    def run(place):
        mc = place(mcpdft.CASSCF(hartree_fock("lih"), "tPBE", 2, 2, grids_level=2))
        mc.run(conv_tol=1e-10)
        return {"energy": mc.e_tot}
    compare(run, energy=1e-6)


@pytest.mark.slow
def test_gradient_of_pair_density(compare):
    """MC-PDFT nuclear gradient"""
    def run(place):
        mc = place(mcpdft.CASSCF(hartree_fock("lih"), "tPBE", 2, 2, grids_level=1))
        mc.run(conv_tol=1e-10)
        return {"gradient": mc.nuc_grad_method().kernel()}
    compare(run, gradient=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lin", "cms"])
def test_multistate(compare, kind):
    """Multi-state MC-PDFT"""
    def run(place):
        mc = place(mcpdft.CASSCF(hartree_fock("lih"), "tPBE", 2, 2, grids_level=1))
        mc = mc.fix_spin_(ss=0).multi_state([0.5, 0.5], kind).run(conv_tol=1e-9)
        return {"energies": np.sort(mc.e_states)}
    compare(run, energies=1e-6)
