#!/usr/bin/env python3
"""Sample-based diagonalisation by cisolve.sqd beside qiskit-addon-sqd's own solver (PySCF's
selected_ci), on the same lists of strings, in turns on the same cores. Tables are Markdown.

    python bench/sqd.py [--samples N] [--iterations N]
        N2 in 6-31G, ten electrons in sixteen orbitals, as in the addon's tutorial: 10,000 uniformly
        random bit strings. A loop of diagonalize_fermionic_hamiltonian recovers their configurations,
        two batches of N samples (60) in each of N iterations (3). Every solve of the loop is computed
        by both; it goes on with cisolve's results
    python bench/sqd.py --integrals FCIDUMP --strings FILE
        one solve over all pairs of a file's strings, which are of both spins

Both energies are variational: the lower one is better. If they differ by more than 1e-8 the other
solver has ended in a higher state. Without qiskit-addon-sqd it says so and measures nothing.
"""
import argparse
import sys
import time

import numpy as np
from pyscf import ao2mo, gto, mcscf, scf
from pyscf.tools import fcidump

import cisolve.sqd

try:
    from qiskit_addon_sqd import fermion
    from qiskit_addon_sqd.counts import generate_bit_array_uniform
except ImportError:
    sys.exit("qiskit-addon-sqd is not installed: nothing to compare with")


def timed(solve, *arguments):
    begin = time.monotonic()
    return solve(*arguments), time.monotonic() - begin


class SideBySide:
    """A solver that has every list solved by both and prints a row of each."""

    def __init__(self):
        self.seconds = [0.0, 0.0]
        print("| strings | determinants | energy / Hartree | difference | largest of rdm2 "
              "| qiskit-addon-sqd / s | cisolve / s | ratio |\n|---|---|---|---|---|---|---|---|")

    def __call__(self, lists, *problem):
        return [self.solve(strings, *problem) for strings in lists]

    def solve(self, strings, *problem):
        theirs, before = timed(fermion.solve_sci, strings, *problem)
        ours, after = timed(cisolve.sqd.solve_sci, strings, *problem)
        self.seconds[0] += before
        self.seconds[1] += after
        sizes = [len(each) for each in strings]
        print(f"| {sizes[0]}, {sizes[1]} | {sizes[0] * sizes[1]:,} | {ours.energy:.9f} "
              f"| {ours.energy - theirs.energy:.1e} | {abs(ours.rdm2 - theirs.rdm2).max():.1e} "
              f"| {before:.3f} | {after:.3f} | {before / after:.1f} |", flush=True)
        return ours


def nitrogen():
    mol = gto.M(atom="N 0 0 0; N 0 0 1", basis="6-31g", symmetry="D2h", verbose=0)
    cas = mcscf.CASCI(scf.RHF(mol).run(), 16, (5, 5))
    h1, core = cas.get_h1cas()
    return h1, ao2mo.restore(1, cas.get_h2cas(), 16), 16, (5, 5), core


def loop(samples, iterations):
    h1, h2, norb, nelec, core = nitrogen()
    bits = generate_bit_array_uniform(10_000, 2 * norb, rand_seed=24)

    def run(solver):
        return fermion.diagonalize_fermionic_hamiltonian(
            h1, h2, bits, samples, norb, nelec, num_batches=2, max_iterations=iterations,
            sci_solver=solver, symmetrize_spin=True, seed=24)
    both = SideBySide()
    found = run(both)
    print(f"\nall solves: {both.seconds[0]:.2f} s and {both.seconds[1]:.2f} s")
    alone, seconds = timed(run, cisolve.sqd.solve_sci_batch)
    print(f"the loop with cisolve alone: {seconds:.2f} s, {alone.energy + core:.9f} Hartree "
          f"(before: {found.energy + core:.9f})")


def one_solve(integrals, strings):
    read = fcidump.read(integrals, verbose=False)
    norb, total, ms2 = read["NORB"], read["NELEC"], read.get("MS2", 0)
    numbers = np.sort([int(line, 2) for line in open(strings).read().split()])
    SideBySide().solve((numbers, numbers), read["H1"], ao2mo.restore(1, read["H2"], norb), norb,
                       ((total + ms2) // 2, (total - ms2) // 2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--integrals")
    parser.add_argument("--strings")
    given = parser.parse_args()
    if given.integrals or given.strings:
        one_solve(given.integrals, given.strings)
    else:
        loop(given.samples, given.iterations)
