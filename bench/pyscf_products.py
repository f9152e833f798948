#!/usr/bin/env python3
"""Products of full CI by PySCF, beside those of direct_bench.

    bench/pyscf_products.py ORBITALS ELECTRONS [THREADS]

Seconds of contract_2e of fci.direct_spin1 and direct_spin0 with random integrals, medians of three,
M_s = 0; PySCF's numbers of threads and BLAS as they are installed.
"""
import statistics
import sys
import time

import numpy as np
from pyscf import fci, lib


def main():
    orbitals, electrons = int(sys.argv[1]), int(sys.argv[2])
    if len(sys.argv) > 3:
        lib.num_threads(int(sys.argv[3]))
    random = np.random.default_rng(1)

    def symmetric(n):
        a = random.random((n, n))
        return a + a.T

    h = symmetric(orbitals)
    eri = symmetric(orbitals * (orbitals + 1) // 2)
    c = symmetric(fci.cistring.num_strings(orbitals, electrons // 2))
    links = fci.cistring.gen_linkstr_index_trilidx(range(orbitals), electrons // 2)
    for solver, of in ((fci.direct_spin1, (links, links)), (fci.direct_spin0, links)):
        folded = solver.absorb_h1e(h, eri, orbitals, electrons, 0.5)
        seconds = []
        for _ in range(4):
            begin = time.monotonic()
            solver.contract_2e(folded, c, orbitals, electrons, of)
            seconds.append(time.monotonic() - begin)
        print(f"{solver.__name__}: {c.size} determinants, {lib.num_threads()} threads, "
              f"{statistics.median(seconds[1:]):.3f} s", flush=True)


if __name__ == "__main__":
    main()
