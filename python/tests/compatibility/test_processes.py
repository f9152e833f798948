"""Solves and solvers in other processes and threads; copies."""
import concurrent.futures
import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from molecules import hartree_fock
from pyscf import lib, mcscf

import cisolve
import cisolve.pyscf

DISTANCES = (1.0, 1.2, 1.5, 1.9)


def own(distance):
    """LiH by PySCF's solver."""
    return lithium_hydride(distance, None)


def ours(distance):
    return lithium_hydride(distance, cisolve.pyscf.FCI)


def lithium_hydride(distance, solver):
    from pyscf import gto, scf
    mol = gto.M(atom=f"Li 0 0 0; H 0 0 {distance}", basis="sto-3g", verbose=0)
    mc = mcscf.CASCI(scf.RHF(mol).run(conv_tol=1e-12), 5, 2)
    if solver:
        mc.fcisolver = solver(mol)
    mc.fcisolver.conv_tol = 1e-12
    return float(mc.run().e_tot)


@pytest.fixture(scope="module")
def expected():
    return [own(r) for r in DISTANCES]


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_multiprocessing(compare, expected, method):
    """multiprocessing.Pool"""
    with multiprocessing.get_context(method).Pool(2) as pool:
        compare.same("energies", pool.map(ours, DISTANCES), expected, 1e-9)


@pytest.mark.slow
def test_process_pool(compare, expected):
    """concurrent.futures.ProcessPoolExecutor"""
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        compare.same("energies", list(pool.map(ours, DISTANCES)), expected, 1e-9)


def test_thread_pool(compare, expected):
    """concurrent.futures.ThreadPoolExecutor, four solves at once"""
    hamiltonians = []
    for r in DISTANCES:
        from pyscf import gto, scf
        mol = gto.M(atom=f"Li 0 0 0; H 0 0 {r}", basis="sto-3g", verbose=0)
        mf = scf.RHF(mol).run(conv_tol=1e-12)
        hamiltonians.append(cisolve.Hamiltonian.from_pyscf(mcscf.CASCI(mf, 5, 2)))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda h: h.eigenstates(1)[0].energy, hamiltonians)
        compare.same("energies", list(found), expected, 1e-9)


@pytest.mark.needs("joblib")
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(compare, expected, backend):
    """joblib.Parallel"""
    import joblib
    found = joblib.Parallel(2, backend=backend)(joblib.delayed(ours)(r) for r in DISTANCES)
    compare.same("energies", found, expected, 1e-9)


@pytest.mark.needs("dask")
@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask(compare, expected, scheduler):
    """dask.delayed"""
    import dask
    found = dask.compute(*(dask.delayed(ours)(r) for r in DISTANCES), scheduler=scheduler,
                         num_workers=2)
    compare.same("energies", found, expected, 1e-9)


COPIES = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy,
          "copy": copy.copy}


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_solvers(compare, way):
    """Copies of a solver with fix_spin_ and nroots"""
    mf = hartree_fock("water")

    def run(place):
        mc = place(mcscf.CASCI(mf, 5, 6), nroots=3).fix_spin_(ss=2, shift=0.5)
        if place.ours:  # pickle does not find what PySCF made of its own
            mc.fcisolver = COPIES[way](mc.fcisolver)
        return {"energies": np.sort(mc.run().e_tot)}
    compare(run, energies=1e-8)


def test_copy_of_casscf(compare):
    """mc.copy() of a CASSCF, run again"""
    def run(place):
        mc = place(mcscf.CASSCF(hartree_fock("lih"), 5, 2))
        return {"energy": mc.copy().run(conv_tol=1e-10).e_tot}
    compare(run, energy=1e-8)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(compare, threads):
    """lib.num_threads"""
    before = lib.num_threads()
    try:
        lib.num_threads(threads)
        compare(lambda place: {"energy": place(mcscf.CASCI(hartree_fock("n2"), 6, 6)).run().e_tot},
                energy=1e-9)
    finally:
        lib.num_threads(before)
