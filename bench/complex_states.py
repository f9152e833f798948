"""Complex eigenproblems on cores: spinor CI by the program, and Hermitian matrices beside SciPy's eigsh.

    complex_states.py [--program build/cisolve] [--data FOLDER] [--runs 5]

`--data`: complex FCIDUMP files to be solved for one, four and twelve states by default settings.
Medians of wall-clock seconds of whole runs; in Python of the call alone.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import cisolve


def program(arguments, file, states):
    start = time.perf_counter()
    run = subprocess.run([arguments.program, "eigen", str(file), "--states", str(states), "--json", "-"],
                         capture_output=True, text=True, check=True)
    return time.perf_counter() - start, json.loads(run.stdout)


def spinors(arguments):
    print("| file | determinants | states | seconds | products | in search | verified |\n" + "|---" * 7 + "|")
    for file in sorted(pathlib.Path(arguments.data).glob("*.fcidump")):
        for states in (1, 4, 12):
            runs = [program(arguments, file, states) for _ in range(arguments.runs)]
            seconds, report = statistics.median(r[0] for r in runs), runs[0][1]
            print(f"| {file.stem} | {report['matrix']['rows']} | {states} | {seconds:.2f} | "
                  f"{report['operator_applications']} | {report['probe_applications']} | "
                  f"{'yes' if report['verified'] else 'no'} |")


def ci_like(rows, in_a_row, seed):
    """Hermitian, a spread diagonal and small couplings with random phases."""
    rng = np.random.default_rng(seed)
    count = rows * in_a_row // 2
    i, j = rng.integers(rows, size=(2, count))
    values = 0.05 * rng.normal(size=count) * np.exp(2j * np.pi * rng.random(count))
    off = sp.csr_array((values, (i, j)), shape=(rows, rows))
    return sp.csr_array(off + off.conj().T + sp.diags_array(np.sort(rng.exponential(5.0, rows))))


def ring(sites, flux):
    """Electrons on a ring with a flux: pairs of levels at flux 0."""
    hop = sp.diags_array([np.ones(sites - 1), [1.0]], offsets=[1, 1 - sites]) * -np.exp(1j * flux)
    return sp.csr_array(hop + hop.conj().T)


def matrices(arguments):
    print("\n| matrix | rows | states | SciPy / s | cisolve / s | ratio | largest difference |\n"
          + "|---" * 7 + "|")
    for name, matrix, states in (("CI-like", ci_like(20_000, 40, 1), 4),
                                 ("CI-like", ci_like(100_000, 40, 2), 1),
                                 ("ring with a flux", ring(400, 0.3), 4)):
        ours, theirs = [], []
        for _ in range(arguments.runs):
            start = time.perf_counter()
            exact = np.sort(sla.eigsh(matrix, states, which="SA")[0])
            theirs.append(time.perf_counter() - start)
            start = time.perf_counter()
            found = cisolve.eigsh(matrix, states)
            ours.append(time.perf_counter() - start)
        a, b = statistics.median(theirs), statistics.median(ours)
        print(f"| {name} | {matrix.shape[0]} | {states} | {a:.2f} | {b:.2f} | {a / b:.1f} | "
              f"{np.abs(found.eigenvalues - exact).max():.0e} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/cisolve")
    parser.add_argument("--data")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.data:
        spinors(arguments)
    matrices(arguments)


if __name__ == "__main__":
    main()
