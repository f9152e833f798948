"""CASSCF: references, algorithms, state averages."""
import numpy as np
import pytest
from molecules import hartree_fock, occupations
from pyscf import fci, mcscf


def optimised(mc):
    mc.conv_tol = 1e-9
    mc.kernel()
    assert mc.converged
    return mc


def state(mc):
    return {"energy": mc.e_tot, "occupations": occupations(mc)}


@pytest.mark.parametrize("name, method, ncas, nelecas, options", [
    pytest.param("n2", "RHF", 6, 6, {}, id="RHF, N2", marks=pytest.mark.slow),
    pytest.param("lih", "RHF", 5, 2, {}, id="RHF, LiH"),
    pytest.param("o2", "ROHF", 6, 8, {}, id="ROHF, O2 triplet", marks=pytest.mark.slow),
    pytest.param("ch2", "UHF", 4, 4, {}, id="UHF, CH2 triplet"),
    pytest.param("n2", "RHF", 6, 6, {"symmetry": "D2h"}, id="D2h, N2"),
    pytest.param("water", "RHF", 4, 4, {"symmetry": "C2v"}, id="C2v, H2O"),
    pytest.param("water", "RHF", 4, 4, {"symmetry": "Cs"}, id="Cs, H2O", marks=pytest.mark.slow),
    pytest.param("n2", "RHF", 6, 6, {"symmetry": "Dooh"}, id="Dooh, N2"),
    pytest.param("lih", "RHF", 5, 2, {"symmetry": "Coov"}, id="Coov, LiH"),
])
def test_references(compare, name, method, ncas, nelecas, options):
    """CASSCF"""
    mf = hartree_fock(name, method=method, **options)
    compare(lambda place: state(optimised(place(mcscf.CASSCF(mf, ncas, nelecas)))),
            energy=1e-8, occupations=1e-4)


def test_second_order(compare):
    """CASSCF of second order, newton()"""
    mf = hartree_fock("n2")
    compare(lambda place: state(optimised(place(mcscf.CASSCF(mf, 6, 6)).newton())),
            energy=1e-8, occupations=1e-4)


def test_two_steps(compare):
    """CASSCF in two steps, mc2step()"""
    mf = hartree_fock("lih")

    def run(place):
        mc = place(mcscf.CASSCF(mf, 5, 2))
        mc.conv_tol = 1e-10
        mc.mc2step()
        assert mc.converged
        return {"energy": mc.e_tot}
    compare(run, energy=1e-9)


@pytest.mark.slow
def test_approximate_hessian(compare):
    """CASSCF with approx_hessian"""
    mf = hartree_fock("n2")
    compare(lambda place: state(optimised(place(mcscf.approx_hessian(mcscf.CASSCF(mf, 6, 6))))),
            energy=1e-8, occupations=1e-4)


@pytest.mark.slow
def test_frozen_core(compare):
    """CASSCF, frozen core"""
    mf = hartree_fock("n2")
    compare(lambda place: state(optimised(place(mcscf.CASSCF(mf, 6, 6, frozen=2)))),
            energy=1e-8, occupations=1e-4)


def test_natural_orbitals(compare):
    """CASSCF, natural orbitals and the energies of canonical ones"""
    def run(place):
        mc = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2))
        mc.natorb = True
        optimised(mc)
        return state(mc) | {"orbital_energies": mc.mo_energy}
    compare(run, energy=1e-8, occupations=1e-4, orbital_energies=1e-4)


def test_start_vector(compare):
    """CASSCF that starts from orbitals and a vector (kernel(mo, ci0))"""
    def run(place):
        first = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2)).run()
        mc = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2))
        mc.kernel(first.mo_coeff, ci0=first.ci)
        return {"energy": mc.e_tot}
    compare(run, energy=1e-8)


def test_callback(compare):
    """CASSCF, callback of macro-iterations"""
    def run(place):
        seen = []
        mc = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2))
        mc.callback = lambda envs: seen.append(float(envs["e_tot"]))
        mc.run()
        return {"first_energy": seen[0], "last_energy": seen[-1]}
    compare(run, first_energy=1e-9, last_energy=1e-7)


# ---- Averages --------------------------------------------------------------------------------


def averaged(mc):
    optimised(mc)
    return {"average": mc.e_tot, "energies": np.sort(mc.e_states), "occupations": occupations(mc)}


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.7, 0.2, 0.1]], ids=["equal", "0.7, 0.2, 0.1"])
def test_average(compare, weights):
    """CASSCF, state_average_, weights"""
    mf = hartree_fock("lih")
    compare(lambda place: averaged(place(mcscf.CASSCF(mf, 5, 2)).state_average_(weights)),
            average=1e-8, energies=1e-5, occupations=1e-4)


@pytest.mark.slow
def test_average_of_one_spin(compare):
    """CASSCF, state_average_ of singlets by fix_spin_"""
    mf = hartree_fock("water")
    compare(lambda place: averaged(place(mcscf.CASSCF(mf, 4, 4)).fix_spin_(ss=0, shift=0.5)
                                   .state_average_([0.5, 0.5])),
            average=1e-8, energies=1e-5, occupations=1e-4)


@pytest.mark.slow
def test_average_newton(compare):
    """CASSCF of second order, state_average_"""
    mf = hartree_fock("lih")

    def run(place):
        mc = place(mcscf.CASSCF(mf, 5, 2)).state_average_([0.5, 0.5]).newton()
        return {"average": optimised(mc).e_tot}
    compare(run, average=1e-9)


def test_mix_of_irreps(compare):
    """CASSCF, state_average_mix_ of three irreps of C2v"""
    mf = hartree_fock("water", symmetry="C2v")

    def run(place):
        mc = mcscf.CASSCF(mf, 4, 4)
        solvers = [place.solver(mf.mol, wfnsym=w) for w in ("A1", "B1", "A2")]
        return averaged(mcscf.state_average_mix_(mc, solvers, [0.4, 0.3, 0.3]))
    compare(run, average=1e-8, energies=1e-5, occupations=1e-4)


@pytest.mark.slow
def test_mix_of_spins(compare):
    """CASSCF, state_average_mix_ of singlets and a triplet"""
    mf = hartree_fock("water")

    def run(place):
        mc = mcscf.CASSCF(mf, 4, 4)
        singlets = place.solver(mf.mol, nroots=2)
        fci.addons.fix_spin_(singlets, ss=0, shift=0.5)
        triplet = place.solver(mf.mol, spin=2)
        return averaged(mcscf.state_average_mix_(mc, [singlets, triplet], [0.4, 0.3, 0.3]))
    compare(run, average=1e-8, energies=1e-5, occupations=1e-4)


def test_state_specific(compare):
    """CASSCF, state_specific_ of the first excited state"""
    mf = hartree_fock("water", symmetry="C2v")

    def run(place):
        mc = place(mcscf.CASSCF(mf, 4, 4), wfnsym="A1").state_specific_(1)
        return {"energy": optimised(mc).e_tot}
    compare(run, energy=1e-8)
