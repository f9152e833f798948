"""Attributes that PySCF's solvers have: tolerances, limits, output."""
import io

import numpy as np
import pytest
from molecules import hartree_fock
from pyscf import lib, mcscf


@pytest.mark.parametrize("name, value", [
    ("conv_tol", 1e-13), ("max_cycle", 200), ("max_memory", 500), ("max_space", 20),
    ("pspace_size", 10), ("threads", 1), ("level_shift", 1e-3), ("lindep", 1e-12)])
def test_attributes(compare, name, value):
    """Attribute of the solver"""
    def run(place):
        return {"energy": place(mcscf.CASCI(hartree_fock("n2"), 6, 6), **{name: value}).run().e_tot}
    compare(run, energy=1e-9)


def test_unconverged(compare):
    """max_cycle of one: not converged, both say so"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2"), 6, 6), max_cycle=1, pspace_size=1).run()
        assert not mc.converged
        return {"converged": [int(mc.converged), int(np.all(mc.fcisolver.converged))]}
    compare(run, converged=0)


def test_output(compare):
    """verbose and stdout: the log of a CASCI"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2"), 6, 6))
        mc.verbose = mc.fcisolver.verbose = 5
        mc.stdout = mc.fcisolver.stdout = io.StringIO()
        mc.run()
        text = mc.stdout.getvalue()
        line = next(line for line in text.splitlines() if line.startswith("CASCI E"))
        return {"energy": float(line.split()[3])}
    compare(run, energy=1e-8)


def test_parameters(compare):
    """Attributes by set() and run(...)"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2"), 6, 6))
        mc.fcisolver.set(nroots=3, conv_tol=1e-12)
        return {"energies": mc.run(verbose=0).e_tot}
    compare(run, energies=1e-9)


def test_temporary_attributes(compare):
    """lib.temporary_env around a solver's attributes"""
    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("n2"), 6, 6))
        with lib.temporary_env(mc.fcisolver, nroots=2):
            both = np.array(mc.kernel()[0])
        return {"two": both, "one": mc.kernel()[0]}
    compare(run, two=1e-9, one=1e-9)
