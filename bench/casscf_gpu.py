#!/usr/bin/env python3
"""CASSCF with gpu4pyscf's integrals and orbital steps (mcscf.DFCASSCF, on the GPU), by its own full
CI solver and by cisolve's: energies (Hartree), macro-iterations, seconds of the whole, of the
solvers and of the densities.

    python bench/casscf_gpu.py [--own] [--cycles M] NAME...     cases by name
    python bench/casscf_gpu.py --products                       gpu4pyscf's products with a vector;
                                                                direct_bench has cisolve's

--own: cisolve's solver alone. Both are asked for what CASSCF asks for by default.
"""
import argparse
import time

import cupy
import gpu4pyscf
import numpy as np
import pyscf
from gpu4pyscf import mcscf, scf
from gpu4pyscf.fci import direct_spin1
from pyscf import gto

import cisolve.pyscf

RING = [(k * np.pi / 3) for k in range(6)]
BENZENE = "; ".join(f"{atom} {r * np.sin(a):.6f} {r * np.cos(a):.6f} 0"
                    for atom, r in (("C", 1.396), ("H", 2.479)) for a in RING)
#: name: (atoms, basis, orbitals, electrons)
CASES = {
    "N2": ("N 0 0 0; N 0 0 1.4", "6-31g", 6, 6),
    "H2O": ("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", "6-31g*", 6, 8),
    "benzene 12": (BENZENE, "6-31g*", 12, 12),
    "benzene 14": (BENZENE, "6-31g*", 14, 14),
    "benzene 16": (BENZENE, "6-31g*", 16, 16),
}


def clocked(solver):
    """Seconds of the solver's calls, by name, as they come."""
    seconds = {"kernel": [], "make_rdm12": []}
    for name, times in seconds.items():
        def call(*arguments, method=getattr(solver, name), times=times, **keywords):
            begin = time.perf_counter()
            found = method(*arguments, **keywords)
            cupy.cuda.Device().synchronize()
            times.append(time.perf_counter() - begin)
            return found
        setattr(solver, name, call)
    return seconds


def optimise(mf, case, own, cycles):
    mc = mcscf.DFCASSCF(mf, *case[2:])
    mc.max_cycle_macro = cycles
    if own:
        mc.fcisolver = cisolve.pyscf.FCI(mf.mol)
    seconds = clocked(mc.fcisolver)
    begin = time.perf_counter()
    mc.kernel()
    return mc, time.perf_counter() - begin, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--cycles", type=int, default=50)
    parser.add_argument("--products", action="store_true")
    given = parser.parse_args()
    print(f"gpu4pyscf {gpu4pyscf.__version__}, PySCF {pyscf.__version__}, "
          f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}\n")
    if given.products:
        return products()
    print("| calculation | functions | solver | energy | converged | macro-iterations | s | solver "
          "| densities | s a macro-iteration |\n|---|---|---|---|---|---|---|---|---|---|")
    for name in given.names or CASES:
        case = CASES[name]
        mol = gto.M(atom=case[0], basis=case[1], verbose=0)
        mf = scf.RHF(mol).density_fit().run(conv_tol=1e-11)
        for own in (True,) if given.own else (True, False):
            mc, whole, seconds = optimise(mf, case, own, given.cycles)
            count = len(seconds["kernel"])
            print(f"| {name} | {mol.nao} | {'cisolve' if own else 'gpu4pyscf'} | {mc.e_tot:.9f} "
                  f"| {'yes' if mc.converged else 'no'} | {count} | {whole:.2f} "
                  f"| {sum(seconds['kernel']):.2f} | {sum(seconds['make_rdm12']):.2f} "
                  f"| {whole / count:.2f} |", flush=True)


def median(product):
    times = []
    for _ in range(6):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        product()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return np.median(times[1:])


def products():
    """Milliseconds of gpu4pyscf's contract_2e with a random vector on the GPU, medians of five, by
    events of the device."""
    random = np.random.default_rng(1)
    for norb in (14, 16):
        eri = cupy.asarray(random.random((norb * (norb + 1) // 2,) * 2))
        eri = eri + eri.T
        n = pyscf.fci.cistring.num_strings(norb, norb // 2)
        c = cupy.random.random((n, n))
        links = direct_spin1._prepare_link_index(
            pyscf.fci.direct_spin1._unpack(norb, (norb // 2,) * 2, None), norb)
        milliseconds = median(lambda: direct_spin1.contract_2e(eri, c, norb, norb, links))
        print(f"CAS({norb},{norb}): gpu4pyscf {milliseconds:.2f} ms", flush=True)
        del c


if __name__ == "__main__":
    main()
