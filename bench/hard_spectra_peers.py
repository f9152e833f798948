#!/usr/bin/env python3
"""The problems of hard_spectra_bench, solved by other eigensolvers with their defaults.

    hard_spectra_bench --problems 64 --write FOLDER
    hard_spectra_peers.py FOLDER [primme slepc arpack]

PRIMME (package primme of PyPI) with its default method, and with a diagonal preconditioner; SLEPc
(Debian's python3-slepc4py-real, which lies below /usr/lib/slepcdir and /usr/lib/petscdir: both want to
be in PYTHONPATH), Krylov-Schur; ARPACK by SciPy. Each is asked for 1 to 12 states to
residual norm 1e-6 (ARPACK: relative 1e-9). None says of a result more than that it converged: a
wrong result is counted as such. Tables in Markdown.
"""
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

RIGHT = 1e-6


def primme(a, k, preconditioned):
    import primme as library

    inverse = None
    if preconditioned:
        d = a.diagonal() - a.diagonal().min()
        d[np.abs(d) < 1e-2] = 1e-2
        inverse = sparse.diags(1.0 / d)
    # PRIMME's tolerance is relative to the norm of the matrix.
    norm = np.abs(a).sum(axis=1).max()
    return library.eigsh(a, k, which="SA", tol=1e-6 / norm, OPinv=inverse, maxiter=100000)[0]


def slepc(a, k):
    from petsc4py import PETSc
    from slepc4py import SLEPc

    matrix = PETSc.Mat().createAIJ(a.shape, csr=(a.indptr.astype("i"), a.indices.astype("i"), a.data))
    solver = SLEPc.EPS().create()
    solver.setOperators(matrix)
    solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
    solver.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
    solver.setDimensions(k)
    solver.setConvergenceTest(SLEPc.EPS.Conv.ABS)
    solver.setTolerances(1e-6, 100000)
    solver.solve()
    if solver.getConverged() < k:
        return None
    return np.array([solver.getEigenvalue(i).real for i in range(k)])


def arpack(a, k):
    from scipy.sparse.linalg import eigsh

    return eigsh(a, k, which="SA", tol=1e-9, maxiter=100000, return_eigenvectors=False)


ENGINES = {
    "PRIMME": ("primme", lambda a, k: primme(a, k, False)),
    "PRIMME, diagonal preconditioner": ("primme", lambda a, k: primme(a, k, True)),
    "SLEPc Krylov-Schur": ("slepc", slepc),
    "ARPACK": ("arpack", arpack),
}


def main():
    folder, wanted = Path(sys.argv[1]), sys.argv[2:] or ["primme", "slepc", "arpack"]
    counts = defaultdict(lambda: [0, 0, 0, 0])  # solves, right, wrong, unconverged
    for line in (folder / "lowest.txt").read_text().splitlines():
        name, family, energies = line.split(";")
        lowest = np.array(energies.split(), dtype=float)
        a = sparse.csr_matrix(sparse.load_npz(folder / name))
        for engine, (kind, solve) in ENGINES.items():
            if kind not in wanted:
                continue
            for k in range(1, min(12, a.shape[0] - 2) + 1):
                try:
                    found = solve(a, k)
                except ImportError:
                    raise
                except Exception as error:  # not converged is an exception in two of them
                    print(f"{engine}, {name}, {k}: {error}", file=sys.stderr)
                    found = None
                if found is None:
                    column = 3
                else:
                    right = np.all(np.abs(np.sort(found)[:k] - lowest[:k]) <= RIGHT)
                    column = 1 if right else 2
                for row in ((engine, family), (engine, "all")):
                    counts[row][0] += 1
                    counts[row][column] += 1
    print("| engine | family | solves | right | wrong | unconverged |\n|---|---|---|---|---|---|")
    for (engine, family), c in sorted(counts.items()):
        print(f"| {engine} | {family} | {c[0]} | {c[1]} | {c[2]} | {c[3]} |")


if __name__ == "__main__":
    main()
