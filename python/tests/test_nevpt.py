"""Three-particle densities and NEVPT2 over them beside PySCF's."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import fci, gto, mcscf, mrpt, scf  # noqa: E402

import cisolve  # noqa: E402
import cisolve.pyscf  # noqa: E402

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"


@pytest.fixture(scope="module")
def water():
    mol = gto.M(atom="O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", basis="6-31g",
                symmetry=True, verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-12)


@pytest.mark.parametrize("nelec", [(3, 2), (1, 3), (2, 0), (1, 1)])
def test_three_particle_densities(nelec):
    shape = [fci.cistring.num_strings(5, n) for n in nelec]
    ci = np.random.default_rng(1).standard_normal(shape)
    theirs = fci.direct_spin1.make_rdm123(ci, 5, nelec)
    for ours, reference in zip(cisolve.pyscf.FCI().make_rdm123(ci, 5, nelec), theirs):
        assert abs(ours - reference).max() < 1e-11


def test_densities_of_a_state():
    """Density of a space with irreps, over all strings; its trace over an electron is the
    pairs'."""
    states = cisolve.Hamiltonian.from_fcidump(DATA / "n2_sto3g.fcidump").eigenstates(1)
    three, two = states[0].rdm3(), states[0].rdm2()
    assert abs(np.einsum("pqrstt->pqrs", three) - 12 * two).max() < 1e-10


#: Three electrons in 14 orbitals, where there is room for 1.65 matrices of six indices more.
IN_LITTLE_MEMORY = """
import resource, numpy, cisolve.pyscf
solver, ci = cisolve.pyscf.FCI(), numpy.eye(91, 14)
solver.threads = 1
solver.make_rdm12(ci, 14, (2, 1))
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(1.65 * 8 * 14**6),) * 2)
try:
    solver.make_rdm123(ci, 14, (2, 1))
except cisolve.ResourceError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are Linux's")
def test_little_memory_is_an_error_in_words():
    """Two such matrices are held at a time."""
    run = subprocess.run([sys.executable, "-c", IN_LITTLE_MEMORY], capture_output=True, text=True)
    assert "three-particle densities: 120 MB needed" in run.stdout, run.stderr


def casci(mf, norb, nelec, roots=1):
    mc = mcscf.CASCI(mf, norb, nelec)
    mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
    mc.fcisolver.conv_tol, mc.fcisolver.nroots = 1e-14, roots
    mc.kernel()
    return mc


@pytest.mark.parametrize("norb, nelec, root", [(5, 6, 0), (5, (4, 2), 0), (5, 6, 1), (2, 2, 0),
                                               (3, (3, 1), 0)])
def test_energies_are_pyscfs(water, norb, nelec, root):
    own, theirs = (casci(water, norb, nelec, root + 1) for _ in range(2))
    energy = cisolve.pyscf.NEVPT(own, root=root).kernel()
    assert abs(energy - mrpt.NEVPT(theirs, root=root).kernel()) < 1e-11
    assert isinstance(own.fcisolver, cisolve.pyscf.FCI)


def test_of_an_ion():
    mol = gto.M(atom="O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", basis="6-31g", charge=1,
                spin=1, verbose=0)
    own, theirs = (casci(scf.ROHF(mol).run(conv_tol=1e-12), 4, 5) for _ in range(2))
    assert abs(cisolve.pyscf.NEVPT(own).kernel() - mrpt.NEVPT(theirs).kernel()) < 1e-9


def test_other_solvers_and_density_fitting(water):
    mc = mcscf.CASCI(water.density_fit().run(), 5, 6).run()
    assert abs(cisolve.pyscf.NEVPT(mc).kernel() - mrpt.NEVPT(mc).kernel()) < 1e-11
    chosen = mcscf.CASCI(water, 5, 6)
    chosen.fcisolver = fci.selected_ci.SCI(water.mol)
    chosen.fcisolver.select_cutoff = chosen.fcisolver.ci_coeff_cutoff = 0.05
    chosen.kernel()
    with pytest.raises(cisolve.InputError, match="found a CI vector of shape"):
        cisolve.pyscf.NEVPT(chosen).kernel()


def test_averages_are_refused(water):
    mc = casci(water, 4, 4).state_average_([0.5, 0.5])
    mc.kernel()
    with pytest.raises(RuntimeError, match="State-average"):
        cisolve.pyscf.NEVPT(mc).kernel()


def test_complex_vectors_are_refused(water):
    mc = casci(water, 4, 4)
    mc.ci = 1j * mc.ci
    with pytest.raises(cisolve.InputError, match="found a complex CI vector"):
        cisolve.pyscf.NEVPT(mc).kernel()
