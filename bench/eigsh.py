#!/usr/bin/env python3
"""cisolve.eigsh beside SciPy's (ARPACK), PRIMME's and, on a GPU, CuPy's on matrices of everyday size.

    bench/eigsh.py [--program CISOLVE] [--runs 3] [--threads 2] [--output TABLE.md] [NAME...]
    bench/eigsh.py --overhead
    bench/eigsh.py --products [NAME...]

Every solver is asked for the k lowest eigenpairs with residuals ‖Av − λv‖ of 1e-6 at most; the
table has the residuals that came of it. Seconds are medians of runs in turns, each after a pause,
of the wall clock, with user seconds of all cores in brackets. Errors are those of the eigenvalues, against the exact
ones of a grid, dense diagonalisation up to 3,000 rows, and ARPACK at its full precision, asked for
six more, beyond. PRIMME is left out where it is not installed, CuPy where there is no GPU for it; both
solvers on a GPU begin with the matrix in host memory. Matrices of determinants are made by
`cisolve convert`, of the files of tests/data. `--overhead`: what a call takes beside the
library's functions. `--products`: iterations and products of a matrix and of its products alone,
with its diagonal and without. Needs NumPy and SciPy.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import cisolve

try:
    import primme
except ImportError:
    primme = None
try:
    import cupy
    import cupyx.scipy.sparse as gpu_sparse
    import cupyx.scipy.sparse.linalg as gpu_linalg
    if cisolve.cuda_unavailable_reason():
        cupy = None
except ImportError:
    cupy = None

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
RESIDUAL = 1e-6
PAUSE = 0.15  #: seconds before every solve: threads of the library before spin for a while


def grid(side):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return (sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line)).tocsr()


def grid_energies(side, k):
    line = 2 - 2 * np.cos(np.arange(1, side + 1) * np.pi / (side + 1))
    return np.sort((line[:, None] + line[None, :]).ravel())[:k]


def dominant(rows, per_row):
    """Symmetric, with a diagonal from 1 to 100 that outweighs what is beside it."""
    random = np.random.default_rng(1)
    a = sp.random_array((rows, rows), density=per_row / rows / 2, rng=random,
                        data_sampler=lambda size: random.normal(size=size))
    return (0.3 * (a + a.T) + sp.diags_array(np.linspace(1, 100, rows))).tocsr()


def graph(parts, rows):
    """The Laplacian of that many random graphs side by side: the null space has one vector of
    each."""
    random = np.random.default_rng(1)
    blocks = []
    for _ in range(parts):
        a = sp.random_array((rows, rows), density=3 / rows, rng=random)
        a = ((a + a.T + sp.diags_array(np.ones(rows - 1), offsets=1, shape=(rows, rows)) +
              sp.diags_array(np.ones(rows - 1), offsets=-1, shape=(rows, rows))) > 0).astype(float)
        a.setdiag(0)
        a.eliminate_zeros()
        blocks.append(sp.diags_array(a.sum(axis=0)) - a)
    return sp.block_diag(blocks).tocsr()


def hypercube(dimensions):
    """The Laplacian of a hypercube: 0 once, 2 as often as it has dimensions, 4 …"""
    a = sp.csr_array((1, 1))
    edge = sp.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    for _ in range(dimensions):
        a = sp.kron(a, sp.eye_array(2)) + sp.kron(sp.eye_array(a.shape[0]), edge)
    return a.tocsr()


def hubbard(sites, u):
    """The Hubbard ring at half filling in the basis of the sites, t = 1."""
    from itertools import combinations
    strings = [sum(1 << i for i in c) for c in combinations(range(sites), sites // 2)]
    number = {s: i for i, s in enumerate(strings)}
    hop = sp.lil_array((len(strings), len(strings)))
    for s in strings:
        for i in range(sites):
            j = (i + 1) % sites
            for a, b in ((i, j), (j, i)):
                if s >> a & 1 and not s >> b & 1:
                    between = s & ((1 << max(a, b)) - 1) & ~((2 << min(a, b)) - 1)
                    sign = -1 if bin(between).count("1") % 2 else 1
                    hop[number[s ^ 1 << a ^ 1 << b], number[s]] -= sign
    one = sp.eye_array(len(strings))
    double = np.array([[bin(a & b).count("1") for b in strings] for a in strings], float)
    return (sp.kron(hop, one) + sp.kron(one, hop) + u * sp.diags_array(double.ravel())).tocsr()


def determinants(program, file, *options):
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "a.npz"
        subprocess.run([program, "convert", DATA / file, made, *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return sp.csr_array(sp.load_npz(made))


#: Name: how the matrix is made of the program, k.
CASES = {
    "NH3 STO-3G, CISD": (lambda p: determinants(p, "nh3_sto3g.fcidump", "--space", "cisd"), 6),
    "H8 STO-3G, CISDT, irrep 0": (
        lambda p: determinants(p, "h8_chain_sto3g.fcidump", "--space", "cisdt", "--irrep", "0"), 6),
    "Be cc-pVDZ, irrep 0": (
        lambda p: determinants(p, "be_ccpvdz.fcidump", "--irrep", "0"), 1),
    "H2O 6-31G, CISD": (
        lambda p: determinants(p, "h2o_631g_frozen_core.fcidump", "--space", "cisd"), 3),
    "N2 STO-3G, irrep 0": (lambda p: determinants(p, "n2_sto3g.fcidump", "--irrep", "0"), 6),
    "H8 STO-3G, irrep 0": (lambda p: determinants(p, "h8_chain_sto3g.fcidump", "--irrep", "0"), 6),
    "Be cc-pVDZ": (lambda p: determinants(p, "be_ccpvdz.fcidump"), 6),
    "Hubbard ring of 6, U = 4": (lambda p: hubbard(6, 4.0), 4),
    "Hubbard ring of 8, U = 4": (lambda p: hubbard(8, 4.0), 4),
    "Hubbard ring of 10, U = 4": (lambda p: hubbard(10, 4.0), 4),
    "grid 40 x 40": (lambda p: grid(40), 6),
    "grid 150 x 150": (lambda p: grid(150), 6),
    "dominant diagonal": (lambda p: dominant(20000, 10), 6),
    "dominant diagonal, small": (lambda p: dominant(500, 10), 6),
    "Laplacian of 4 graphs": (lambda p: graph(4, 1000), 6),
    "Laplacian of a hypercube": (lambda p: hypercube(12), 6),
}


class Answer:
    def __init__(self, values, vectors, said=""):
        order = np.argsort(values)
        self.values, self.vectors = values[order], vectors[:, order]
        self.said = said


def by_cisolve(verify, threads, backend="cpu"):
    def solve(a, k, _):
        found = cisolve.eigsh(a, k, tol=RESIDUAL, verify=verify, threads=threads, backend=backend)
        said = ("verified" if found.verified else
                found.status if found.status != "converged" else "not verified")
        return Answer(found.eigenvalues, found.vectors, said)
    return solve


def by_scipy(a, k, scale):
    """Its tolerance is relative to the eigenvalue, or to eps^(2/3) where that is larger."""
    try:
        return Answer(*sla.eigsh(a, k, which="SA", tol=RESIDUAL / scale[0]))
    except sla.ArpackNoConvergence as error:
        return Answer(error.eigenvalues, error.eigenvectors, "no convergence")


def by_primme(a, k, scale):
    """Its tolerance is relative to the norm of the matrix."""
    return Answer(*primme.eigsh(a, k, which="SA", tol=RESIDUAL / scale[1]))


def by_cupy(a, k, scale):
    """Its tolerance is relative to the eigenvalue."""
    values, vectors = gpu_linalg.eigsh(gpu_sparse.csr_matrix(sp.csr_matrix(a)), k, which="SA",
                                       tol=RESIDUAL / scale[0])
    return Answer(values.get(), vectors.get())


def timed(solve, *arguments):
    user = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    begin = time.perf_counter()
    answer = solve(*arguments)
    return (answer, time.perf_counter() - begin,
            resource.getrusage(resource.RUSAGE_SELF).ru_utime - user)


def exact(name, a, k):
    if name.startswith("grid"):
        return grid_energies(int(name.split()[1]), k)
    if a.shape[0] <= 3000:
        return np.linalg.eigvalsh(a.toarray())[:k]
    return np.sort(sla.eigsh(a, k + 6, which="SA", ncv=60)[0])[:k]


def error_of(answer, right):
    if len(answer.values) < len(right):
        return f"{len(answer.values)} of {len(right)}"
    return f"{np.abs(answer.values - right).max():.0e}"


def measure(name, program, solvers, runs):
    make, k = CASES[name]
    a = make(program)
    right = exact(name, a, k)
    scale = (max(np.abs(right).max(), 1e-6), sla.norm(a, 1))
    found = {s: [] for s in solvers}
    for run in range(runs):
        for s in list(solvers)[run % len(solvers):] + list(solvers)[:run % len(solvers)]:
            time.sleep(PAUSE)
            found[s].append(timed(solvers[s], a, k, scale))
    lines = []
    for s in solvers:
        answer = found[s][0][0]
        residual = np.linalg.norm(a @ answer.vectors - answer.vectors * answer.values, axis=0).max()
        wall = statistics.median(f[1] for f in found[s])
        user = statistics.median(f[2] for f in found[s])
        lines.append([name, f"{a.shape[0]:,}", f"{a.nnz:,}", str(k), s, f"{wall:.4f} ({user:.4f})",
                      f"{residual:.0e}", error_of(answer, right), answer.said])
    return lines


class Library:
    """The library's module with a clock around its calls."""

    def __init__(self, module):
        self.seconds = 0.0
        self.eigen = self.clocked(module.eigen)
        self.Hamiltonian = type("Hamiltonian", (), {
            "from_csr": staticmethod(self.clocked(module.Hamiltonian.from_csr))})

    def clocked(self, call):
        def timed_call(*arguments):
            begin = time.perf_counter()
            found = call(*arguments)
            self.seconds += time.perf_counter() - begin
            return found
        return timed_call


def overhead(runs=31):
    """Milliseconds of a call, and those of it that the library's functions do not take."""
    print("| rows | nonzeros | call / ms | beside the library / ms |\n|---|---|---|---|")
    library = cisolve._matrix._cisolve = Library(cisolve._matrix._cisolve)
    for a in (grid(20), grid(150), dominant(20000, 40)):
        times = []
        for _ in range(runs):
            library.seconds = 0.0
            begin = time.perf_counter()
            cisolve.eigsh(a, 1, tol=1e-2, verify="off", threads=1)
            wall = time.perf_counter() - begin
            times.append((wall, wall - library.seconds))
        call, beside = (1e3 * statistics.median(t[i] for t in times) for i in (0, 1))
        print(f"| {a.shape[0]:,} | {a.nnz:,} | {call:.2f} | {beside:.2f} |", flush=True)


def products(program, names):
    """Iterations and products of a solve with a matrix, and with a LinearOperator, whose elements
    are unknown."""
    print("| matrix | iterations, products | with the diagonal | without |\n|---|---|---|---|")
    for name in names:
        make, k = CASES[name]
        a = make(program)
        operator, cells = sla.aslinearoperator(a), []
        for given, options in ((a, {}), (operator, {"diagonal": a.diagonal()}), (operator, {})):
            found = cisolve.eigsh(given, k, tol=RESIDUAL, verify="off", **options)
            cells.append(f"{found.iterations}, {found.products}")
        print("| " + " | ".join([name, *cells]) + " |", flush=True)


HEAD = ["matrix", "rows", "nonzeros", "k", "solver", "seconds (user)", "residual", "error", "says"]


def row(cells):
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of matrices' names")
    parser.add_argument("--program", default="cisolve")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path)
    parser.add_argument("--overhead", action="store_true")
    parser.add_argument("--products", action="store_true")
    given = parser.parse_args()
    names = [name for name in CASES
             if not given.names or any(part in name for part in given.names)]
    if given.overhead:
        return overhead()
    if given.products:
        return products(given.program, names)
    solvers = {"cisolve": by_cisolve(None, given.threads),
               "cisolve, verify=off": by_cisolve("off", given.threads), "SciPy": by_scipy}
    if primme is not None:
        solvers["PRIMME"] = by_primme
    if cupy is not None:
        solvers["cisolve, GPU"] = by_cisolve(None, given.threads, "cuda")
        solvers["cisolve, GPU, verify=off"] = by_cisolve("off", given.threads, "cuda")
        solvers["CuPy"] = by_cupy
    out = given.output.open("w") if given.output else sys.stdout
    print(row(HEAD) + "\n|" + "---|" * len(HEAD), file=out, flush=True)
    for name in names:
        for line in measure(name, given.program, solvers, given.runs):
            print(row(line), file=out, flush=True)


if __name__ == "__main__":
    main()
