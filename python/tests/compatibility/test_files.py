"""Files between cisolve, PySCF and other programs."""
import numpy as np
import pytest
from molecules import hartree_fock
from pyscf import ao2mo, fci, lib, mcscf
from pyscf.tools import fcidump, molden

import cisolve


@pytest.fixture(scope="module")
def active():
    """A CASCI of PySCF's own solver: the energy that files must give."""
    mc = mcscf.CASCI(hartree_fock("water"), 5, 6)
    mc.fcisolver.conv_tol = 1e-13
    return mc.run()


def ground(hamiltonian):
    return hamiltonian.eigenstates(1)[0].energy


def test_fcidump_of_casci(compare, active, tmp_path):
    """fcidump.from_mcscf, read by cisolve"""
    name = str(tmp_path / "FCIDUMP")
    fcidump.from_mcscf(active, name, tol=1e-15)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)), active.e_tot, 1e-9)


@pytest.mark.parametrize("group", ["D2h", "Dooh"])
def test_fcidump_of_scf(compare, tmp_path, group):
    """fcidump.from_scf with symmetry, read by cisolve"""
    mf = hartree_fock("n2", symmetry=group) if group == "D2h" else hartree_fock("n2")
    name = str(tmp_path / "FCIDUMP")
    fcidump.from_scf(mf, name, tol=1e-15)
    expected = fci.FCI(mf).kernel()[0]
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)), expected, 1e-8)


def test_fcidump_solved_in_pyscf(compare, active, tmp_path):
    """fcidump.to_scf: a file's mean field, solved by the solver"""
    name = str(tmp_path / "FCIDUMP")
    fcidump.from_mcscf(active, name, tol=1e-15)

    def run(place):
        mf = fcidump.to_scf(name)
        mf.mol.verbose = 0
        mf.run()
        return {"energy": place(mcscf.CASCI(mf, 5, 6)).run().e_tot}
    compare(run, energy=1e-9)


def test_fcidump_of_integrals(compare, active, tmp_path):
    """fcidump.from_integrals of CASSCF's h1eff and h2eff"""
    h1, core = active.get_h1eff()
    name = str(tmp_path / "FCIDUMP")
    fcidump.from_integrals(name, h1, active.get_h2eff(), 5, 6, nuc=core, tol=1e-15)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)), active.e_tot, 1e-9)


def test_arrays(compare, active):
    """cisolve.Hamiltonian of PySCF's arrays, fourfold and eightfold"""
    h1, core = active.get_h1eff()
    for n in (1, 4, 8):
        eri = ao2mo.restore(n, active.get_h2eff(), 5)
        found = cisolve.Hamiltonian(h1, eri, 5, (3, 3), core)
        compare.same(f"energy, {n}-fold", ground(found), active.e_tot, 1e-9)


def test_from_pyscf(compare, active):
    """cisolve.Hamiltonian.from_pyscf: energy and density"""
    found = cisolve.Hamiltonian.from_pyscf(active).eigenstates(1)[0]
    compare.same("energy", found.energy, active.e_tot, 1e-9)
    compare.same("density", found.rdm1(), active.fcisolver.make_rdm1(active.ci, 5, 6), 1e-5)


def test_checkpoint(compare, tmp_path):
    """CASSCF's chkfile: saved, restored, restarted"""
    def run(place):
        name = str(tmp_path / f"{place.ours}.chk")
        mc = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2))
        mc.chkfile = name
        mc.chk_ci = True
        mc.run(conv_tol=1e-10)
        saved = lib.chkfile.load(name, "mcscf")
        again = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2)).update(name)
        again.kernel(saved["mo_coeff"], ci0=saved["ci"])
        return {"saved": saved["e_tot"], "restarted": again.e_tot}
    compare(run, saved=1e-8, restarted=1e-8)


def test_molden(compare, tmp_path):
    """Molden file of natural orbitals: occupations read back"""
    def run(place):
        name = str(tmp_path / f"{place.ours}.molden")
        mc = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2))
        mc.natorb = True
        mc.run(conv_tol=1e-9)
        molden.from_mcscf(mc, name, cas_natorb=True)
        return {"occupations": np.sort(molden.load(name)[3])}
    compare(run, occupations=1e-4)


def test_cube(compare, tmp_path):
    """cubegen: the density of CASCI on a grid"""
    from pyscf.tools import cubegen

    def run(place):
        mc = place(mcscf.CASCI(hartree_fock("water"), 5, 6)).run()
        return {"density": cubegen.density(mc.mol, str(tmp_path / "a.cube"), mc.make_rdm1(),
                                           nx=10, ny=10, nz=10)}
    compare(run, density=1e-5)


@pytest.mark.needs("h5py")
def test_hdf5(compare, active, tmp_path):
    """Vectors through HDF5, as start vectors"""
    import h5py
    with h5py.File(tmp_path / "ci.h5", "w") as file:
        file["ci"] = active.ci
    with h5py.File(tmp_path / "ci.h5") as file:
        start = file["ci"][:]
    found = cisolve.Hamiltonian.from_pyscf(active).eigenstates(1, v0=[start])
    compare.same("energy", found[0].energy, active.e_tot, 1e-9)
    compare.same("overlap", abs(np.vdot(found[0].ci, start)), 1.0, 1e-6)


# ---- Other programs --------------------------------------------------------------------------


@pytest.mark.needs("trexio")
def test_trexio(compare, active, tmp_path):
    """TREXIO file of integrals, read by cisolve"""
    import trexio
    h1, core = active.get_h1eff()
    eri = ao2mo.restore(1, active.get_h2eff(), 5)
    name = str(tmp_path / "active.h5")
    with trexio.File(name, "w", trexio.TREXIO_HDF5) as file:
        trexio.write_electron_num(file, 6)
        trexio.write_electron_up_num(file, 3)
        trexio.write_electron_dn_num(file, 3)
        trexio.write_nucleus_num(file, 1)
        trexio.write_nucleus_repulsion(file, core)
        trexio.write_mo_num(file, 5)
        trexio.write_mo_1e_int_core_hamiltonian(file, h1)
        places = np.argwhere(np.ones((5,) * 4)).astype(np.int32)
        # TREXIO has <ij|kl>, PySCF (ik|jl).
        values = eri.transpose(0, 2, 1, 3)[tuple(places.T)]
        trexio.write_mo_2e_int_eri(file, 0, len(values), places, values)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)), active.e_tot, 1e-9)


@pytest.mark.needs("pyscf-forge")
def test_trexio_of_pyscf(compare, tmp_path):
    """TREXIO file of an SCF by pyscf-forge (to_trexio), read by cisolve"""
    pytest.importorskip("trexio")
    from pyscf.tools.trexio import to_trexio
    mf = hartree_fock("lih")
    name = str(tmp_path / "lih.h5")
    to_trexio(mf, name, write_mo_eri=True)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)),
                 fci.FCI(mf).kernel()[0], 1e-8)


@pytest.mark.needs("openfermion")
def test_openfermion_operator(compare, active):
    """OpenFermion's sparse operator by cisolve.eigsh"""
    import openfermion
    from openfermion.chem.molecular_data import spinorb_from_spatial
    mc = mcscf.CASCI(hartree_fock("lih"), 4, 2).run()
    h1, core = mc.get_h1eff()
    eri = ao2mo.restore(1, mc.get_h2eff(), 4).transpose(0, 2, 3, 1)
    one, two = spinorb_from_spatial(h1, eri)
    operator = openfermion.InteractionOperator(core, one, 0.5 * two)
    matrix = openfermion.get_number_preserving_sparse_operator(
        openfermion.get_fermion_operator(operator), 8, 2)
    values = cisolve.eigsh(matrix.real.tocsr(), 3)[0]
    compare.same("energy, of PySCF", values[0], mc.e_tot, 1e-8)
    compare.same("energies, of OpenFermion",
                 values, np.linalg.eigvalsh(matrix.toarray())[:3], 1e-8)


@pytest.mark.needs("openfermion")
def test_openfermion_hubbard(compare):
    """OpenFermion's Hubbard model by cisolve.eigsh"""
    import openfermion
    model = openfermion.fermi_hubbard(2, 2, 1.0, 4.0, periodic=False)
    matrix = openfermion.get_number_preserving_sparse_operator(model, 8, 4)
    expected = np.linalg.eigvalsh(matrix.toarray())[:4]
    compare.same("energies", cisolve.eigsh(matrix.real.tocsr(), 4)[0], expected, 1e-8)


@pytest.mark.needs("qiskit-nature")
def test_qiskit(compare, active, tmp_path):
    """Qiskit Nature's FCIDump, read and written"""
    from qiskit_nature.second_q.formats.fcidump import FCIDump
    name, again = tmp_path / "FCIDUMP", tmp_path / "again"
    fcidump.from_mcscf(active, str(name), tol=1e-15)
    FCIDump.from_file(name).to_file(again)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(again)), active.e_tot, 1e-8)


@pytest.mark.needs("qiskit-nature")
def test_qiskit_operator(compare):
    """Qiskit Nature's qubit operator (Jordan-Wigner) by cisolve.eigsh"""
    from qiskit_nature.second_q.hamiltonians import ElectronicEnergy
    from qiskit_nature.second_q.mappers import JordanWignerMapper
    mf = hartree_fock("lih")
    mc = mcscf.CASCI(mf, 3, 2)
    h1, core = mc.get_h1eff()
    energy = ElectronicEnergy.from_raw_integrals(h1, ao2mo.restore(1, mc.get_h2eff(), 3))
    matrix = JordanWignerMapper().map(energy.second_q_op()).to_matrix(sparse=True)
    expected = np.linalg.eigvalsh(matrix.toarray())[:4]
    compare.same("energies", cisolve.eigsh(matrix.real.tocsr(), 4)[0], expected, 1e-8)


@pytest.mark.needs("block2")
def test_block2(compare, active, tmp_path):
    """block2: DMRG of an FCIDUMP file, beside cisolve"""
    from pyblock2.driver.core import DMRGDriver, SymmetryTypes
    name = str(tmp_path / "FCIDUMP")
    fcidump.from_mcscf(active, name, tol=1e-15)
    driver = DMRGDriver(scratch=str(tmp_path / "scratch"), symm_type=SymmetryTypes.SU2, n_threads=1)
    driver.read_fcidump(filename=name, pg="c1")
    driver.initialize_system(n_sites=driver.n_sites, n_elec=driver.n_elec, spin=driver.spin)
    mpo = driver.get_qc_mpo(h1e=driver.h1e, g2e=driver.g2e, ecore=driver.ecore, iprint=0)
    ket = driver.get_random_mps(tag="KET", bond_dim=100, nroots=1)
    expected = driver.dmrg(mpo, ket, n_sweeps=12, bond_dims=[100], noises=[1e-4] * 4 + [0],
                           thrds=[1e-12] * 12, iprint=0)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)), expected, 1e-8)


@pytest.mark.needs("block2")
def test_block2_writes(compare, active, tmp_path):
    """block2: an FCIDUMP file that it wrote, read by cisolve"""
    from pyblock2.driver.core import DMRGDriver, SymmetryTypes
    driver = DMRGDriver(scratch=str(tmp_path / "scratch"), symm_type=SymmetryTypes.SU2, n_threads=1)
    driver.initialize_system(n_sites=5, n_elec=6, spin=0)
    h1, core = active.get_h1eff()
    name = str(tmp_path / "FCIDUMP")
    driver.write_fcidump(h1, ao2mo.restore(1, active.get_h2eff(), 5), ecore=core, filename=name)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(name)), active.e_tot, 1e-8)


@pytest.mark.needs("qc-iodata")
def test_iodata(compare, active, tmp_path):
    """IOData: an FCIDUMP file, read and written again"""
    import iodata
    name, again = str(tmp_path / "A.FCIDUMP"), str(tmp_path / "B.FCIDUMP")
    fcidump.from_mcscf(active, name, tol=1e-15)
    iodata.dump_one(iodata.load_one(name), again)
    compare.same("energy", ground(cisolve.Hamiltonian.from_fcidump(again)), active.e_tot, 1e-8)
