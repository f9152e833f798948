#!/usr/bin/env python3
"""Small and easy problems beside their users' alternatives: SciPy's solvers and PySCF's own full CI
solver.

    bench/everyday.py [--runs 15] [--threads 1] [--output TABLE.md] [NAME...]

Both sides run in turns, in one process, with equally many threads, by default one. Seconds are
medians; the ratio is theirs over ours: above one this solver is faster. Linear systems are solved to
a residual of 1e-10 of |b|, SciPy's tolerance too, and eigenpairs to 1e-6. SciPy's eigensolver stops
at its tolerance times the eigenvalue, so its tolerance is set to match. If energies or solutions of
the two differ by more than a hundred times that, the program says so and fails. Needs NumPy, SciPy
and PySCF.
"""
import argparse
import os
import statistics
import sys
import time
from itertools import combinations

THREADS = next((sys.argv[i + 1] for i, word in enumerate(sys.argv[:-1]) if word == "--threads"), "1")
os.environ["OMP_NUM_THREADS"] = THREADS  # of SciPy's and PySCF's libraries, which read it once

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
import scipy.sparse.linalg as sla  # noqa: E402

import cisolve  # noqa: E402
import cisolve.pyscf  # noqa: E402
from eigsh import grid, hubbard  # noqa: E402

TOLERANCE = 1e-10
RESIDUAL = 1e-6


def random_symmetric(rows, per_row):
    random = np.random.default_rng(1)
    a = sp.random_array((rows, rows), density=per_row / rows / 2, rng=random,
                        data_sampler=lambda size: random.normal(size=size))
    return (a + a.T).tocsr()


def dominant(rows, per_row):
    """Its diagonal outweighs each row by half."""
    a = random_symmetric(rows, per_row)
    return (a + sp.diags_array(1.5 * np.abs(a).sum(axis=1) + 1)).tocsr()


def laplacian(side, shift):
    return (grid(side) + shift * sp.eye_array(side * side)).tocsr()


def heisenberg(sites):
    """The antiferromagnetic ring, S_z = 0, J = 1."""
    words = np.array(sorted(sum(1 << i for i in up) for up in combinations(range(sites), sites // 2)))
    diagonal = np.zeros(len(words))
    rows, columns = [], []
    for i in range(sites):
        j = (i + 1) % sites
        differ = (words >> i & 1) != (words >> j & 1)
        diagonal += np.where(differ, -0.25, 0.25)
        rows.append(np.nonzero(differ)[0])
        columns.append(np.searchsorted(words, words[differ] ^ (1 << i | 1 << j)))
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    exchange = sp.coo_array((np.full(len(rows), 0.5), (rows, columns)), shape=(len(words),) * 2)
    return (exchange + sp.diags_array(diagonal)).tocsr()


def system(a, peer):
    b = np.random.default_rng(2).normal(size=a.shape[0])
    diagonal = 1 / a.diagonal()
    jacobi = sla.LinearOperator(a.shape, matvec=lambda v: diagonal * v)
    theirs = {"cg": lambda: sla.cg(a, b, rtol=TOLERANCE, M=jacobi)[0],
              "spsolve": lambda: sla.spsolve(a.tocsc(), b)}[peer]

    def ours():
        found = cisolve.solve(a, b, tol=TOLERANCE, threads=int(THREADS), maxiter=100000)
        return found.x if found.converged else None
    return theirs, ours, lambda x, y: (np.linalg.norm(a @ (x - y)) / np.linalg.norm(b), TOLERANCE)


def eigenpairs(a, k, verify):
    lowest = abs(sla.eigsh(a, 1, which="SA")[0][0])

    def theirs():
        return np.sort(sla.eigsh(a, k, which="SA", tol=RESIDUAL / lowest)[0])

    def ours():
        return cisolve.eigsh(a, k, tol=RESIDUAL, verify=verify, threads=int(THREADS)).eigenvalues
    # For a double level that was found once, only the lowest energy agrees.
    return theirs, ours, lambda x, y: (abs(x[0] - y[0]), RESIDUAL)


def active_space(orbitals):
    """Integrals of a chain of that many hydrogen atoms."""
    from pyscf import ao2mo, gto, scf
    molecule = gto.M(atom=[("H", (0, 0, 1.4 * i)) for i in range(orbitals)], basis="sto-3g",
                     verbose=0)
    mean_field = scf.RHF(molecule).run()
    c = mean_field.mo_coeff
    h1 = c.T @ mean_field.get_hcore() @ c
    return h1, ao2mo.restore(8, ao2mo.kernel(molecule, c), orbitals)


def solvers():
    from pyscf import fci
    return fci.direct_spin1.FCI(), cisolve.pyscf.FCI()


def kernels(orbitals):
    h1, eri = active_space(orbitals)
    pair = [lambda s=s: s.kernel(h1, eri, orbitals, orbitals, verbose=0)[0] for s in solvers()]
    return *pair, lambda x, y: (abs(x - y), 1e-8)


def densities(orbitals):
    h1, eri = active_space(orbitals)
    theirs, ours = solvers()
    vector = ours.kernel(h1, eri, orbitals, orbitals, verbose=0)[1]
    theirs.kernel(h1, eri, orbitals, orbitals, verbose=0)
    pair = [lambda s=s: s.make_rdm1(vector, orbitals, orbitals) for s in (theirs, ours)]
    return *pair, lambda x, y: (np.abs(x - y).max(), 1e-10)


def spinor_densities(spinors, electrons):
    """Of a random complex vector."""
    from pyscf.fci import cistring, fci_dhf_slow
    count = cistring.num_strings(spinors, electrons)
    parts = np.random.default_rng(3).normal(size=(count, 2))
    vector = (parts / np.linalg.norm(parts)).view(complex)[:, 0]
    pair = [lambda s=s: s.make_rdm12(vector, spinors, electrons)[1]
            for s in (fci_dhf_slow.FCI(), cisolve.pyscf.SpinorFCI())]
    return *pair, lambda x, y: (np.abs(x - y).max(), 1e-10)


CASES = {
    "solve, dominant, 1e5 rows of 20": lambda: system(dominant(100_000, 20), "cg"),
    "solve, Laplacian + 0.01, 300²": lambda: system(laplacian(300, 0.01), "cg"),
    "solve, Laplacian − 0.5, 100²": lambda: system(laplacian(100, -0.5), "spsolve"),
    "eigsh, Heisenberg ring of 20, 4": lambda: eigenpairs(heisenberg(20), 4, "default"),
    "the same, verify=off": lambda: eigenpairs(heisenberg(20), 4, "off"),
    "eigsh, random, 1e5 rows of 20, 1": lambda: eigenpairs(random_symmetric(100_000, 20), 1, "default"),
    "eigsh, Hubbard ring of 10, 4": lambda: eigenpairs(hubbard(10, 4.0), 4, "default"),
    "FCI.kernel, CAS(4,4)": lambda: kernels(4),
    "FCI.kernel, CAS(6,6)": lambda: kernels(6),
    "make_rdm1, CAS(10,10)": lambda: densities(10),
    "make_rdm12, 6 electrons in 12 spinors": lambda: spinor_densities(12, 6),
}


def timed(call, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        result = call()
    return result, (time.perf_counter() - begin) / repeats


def measure(name, runs):
    theirs, ours, difference = CASES[name]()
    repeats = max(1, int(0.005 / timed(theirs, 1)[1]))
    ours()
    seconds = {theirs: [], ours: []}
    last = {}
    for run in range(runs):
        for call in (theirs, ours) if run % 2 else (ours, theirs):
            last[call], taken = timed(call, repeats)
            seconds[call].append(taken)
    if last[ours] is None:
        apart, right = float("inf"), False
    else:
        apart, allowed = difference(last[theirs], last[ours])
        right = apart <= 100 * allowed
    a, b = statistics.median(seconds[theirs]), statistics.median(seconds[ours])
    return right, [name, f"{1e3 * a:.3g}", f"{1e3 * b:.3g}", f"{a / b:.2f}", f"{apart:.0e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--output")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a part of it")
    options = parser.parse_args()
    wanted = [n for n in CASES if not options.names or any(o in n for o in options.names)]
    all_right = True
    lines = ["| problem | theirs, ms | ours, ms | ratio | apart |", "|---|---|---|---|---|"]
    for name in wanted:
        right, row = measure(name, options.runs)
        all_right = all_right and right
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], "" if right else " NOT THE SAME", flush=True)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    sys.exit(0 if all_right else 1)


if __name__ == "__main__":
    main()
