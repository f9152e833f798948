#!/usr/bin/env python3
"""CASSCF whose integrals and orbital steps are gpu4pyscf's (mcscf.DFCASSCF, on the GPU), with its
own full CI solver and with cisolve's in its place: energies (Hartree), macro-iterations, seconds of
the whole, of the solvers and of the densities.

    python bench/casscf_gpu.py [--own] [--cycles M] NAME...     cases by name
    python bench/casscf_gpu.py --products                       products of both with a vector

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
from pyscf.mcscf import addons

import cisolve.pyscf

RING = [(k * np.pi / 3) for k in range(6)]
BENZENE = "; ".join(f"{atom} {r * np.sin(a):.6f} {r * np.cos(a):.6f} 0"
                    for atom, r in (("C", 1.396), ("H", 2.479)) for a in RING)
#: Iron in an octahedron of water molecules, Fe–O 2.12 Å, each molecule's plane through the axis.
AQUA = "; ".join(["Fe 0 0 0"] + [
    "; ".join(f"{atom} " + " ".join(f"{x:.6f}" for x in along * np.roll((1, 0, 0), k)
                                    + across * np.roll((0, 1, 0), k))
              for atom, along, across in (("O", s * 2.12, 0.0), ("H", s * 2.69, 0.79),
                                          ("H", s * 2.69, -0.79)))
    for k in range(3) for s in (1, -1)])
#: name: (atoms, charge, basis, orbitals, electrons, multiplicities averaged over, or None)
CASES = {
    "N2": ("N 0 0 0; N 0 0 1.4", 0, "6-31g", 6, 6, None),
    "H2O": ("O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", 0, "6-31g*", 6, 8, None),
    "benzene 12": (BENZENE, 0, "6-31g*", 12, 12, None),
    "benzene 14": (BENZENE, 0, "6-31g*", 14, 14, None),
    "benzene 16": (BENZENE, 0, "6-31g*", 16, 16, None),
    "Fe(H2O)6 2+": (AQUA, 2, "6-31g*", 16, 16, (1, 5)),
}


def averaged(mc, multiplicities):
    solvers = []
    for multiplicity in multiplicities:
        solver = cisolve.pyscf.FCI(mc.mol)
        spin = (multiplicity - 1) / 2
        solvers.append(pyscf.fci.addons.fix_spin_(solver, ss=spin * (spin + 1)))
    return addons.state_average_mix_(mc, solvers, [1 / len(solvers)] * len(solvers))


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
    _, _, _, norb, nelec, multiplicities = case
    mc = mcscf.DFCASSCF(mf, norb, nelec)
    mc.max_cycle_macro = cycles
    if multiplicities:
        mc = averaged(mc, multiplicities)
    elif own:
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
        mol = gto.M(atom=case[0], charge=case[1], basis=case[2], verbose=0)
        mf = scf.RHF(mol).density_fit().run(conv_tol=1e-11)
        for own in (True,) if given.own or case[5] else (True, False):
            mc, whole, seconds = optimise(mf, case, own, given.cycles)
            count = len(seconds["kernel"])
            print(f"| {name} | {mol.nao} | {'cisolve' if own else 'gpu4pyscf'} | {mc.e_tot:.9f} "
                  f"| {'yes' if mc.converged else 'no'} | {count} | {whole:.2f} "
                  f"| {sum(seconds['kernel']):.2f} | {sum(seconds['make_rdm12']):.2f} "
                  f"| {whole / count:.2f} |", flush=True)
            if case[5]:
                print(f"states: {', '.join(f'{e:.8f}' for e in mc.e_states)}", flush=True)


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
    """Milliseconds of gpu4pyscf's contract_2e and of cisolve's products with a random vector on the
    GPU, medians of five, by events of the device."""
    random = np.random.default_rng(1)
    for norb in (14, 16):
        eri = cupy.asarray(random.random((norb * (norb + 1) // 2,) * 2))
        eri = eri + eri.T
        n = pyscf.fci.cistring.num_strings(norb, norb // 2)
        c = cupy.random.random((n, n))
        links = direct_spin1._prepare_link_index(
            pyscf.fci.direct_spin1._unpack(norb, (norb // 2,) * 2, None), norb)
        solver = cisolve.pyscf.FCI()
        host = eri.get()  # whose bytes tell whether the operator is the last one's
        own = solver._operator(host, norb, (norb // 2,) * 2)
        y = cupy.empty_like(c)
        theirs = median(lambda: direct_spin1.contract_2e(eri, c, norb, norb, links))
        ours = median(lambda: own.apply_on_device(c.data.ptr, y.data.ptr, 1))
        difference = abs(y - direct_spin1.contract_2e(eri, c, norb, norb, links)).max() / abs(y).max()
        print(f"CAS({norb},{norb}): gpu4pyscf {theirs:.2f} ms, cisolve {ours:.2f} ms, "
              f"{theirs / ours:.1f} times; largest relative difference {float(difference):.1e}",
              flush=True)
        del c, y, own, solver


if __name__ == "__main__":
    main()
