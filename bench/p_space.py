#!/usr/bin/env python3
"""Size of a p-space that pays: seconds, iterations and products of a solve by the rows of P.

    bench/p_space.py [--program CISOLVE] [--backend cpu] [--threads 0] [--runs 5]
                     [--sizes 0,50,100,200,400,800,1500] [NAME...]

A table of what `cisolve eigen INPUT --set solver.p_space=ROWS` reports; 0: the size that the
program chooses. Seconds are medians of runs in turns: of the solve, and in brackets those of
finding the blocks, P and A_PP and making the operator ("convert"). Needs nothing but Python.
"""
import argparse
import json
import statistics
import subprocess
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"

#: Name: what is solved; paths are those of tests/data.
CASES = {
    "NH3 STO-3G, CISD, 6 states": "nh3_sto3g.fcidump --space cisd --states 6",
    "H8 STO-3G, irrep 0, 6 states": "h8_chain_sto3g.fcidump --irrep 0 --states 6",
    "N2 STO-3G, irrep 0, 6 states": "n2_sto3g.fcidump --irrep 0 --states 6",
    "Be cc-pVDZ, 6 states": "be_ccpvdz.fcidump --states 6",
    "H2O 6-31G, CISD, 3 states": "h2o_631g_frozen_core.fcidump --space cisd --states 3",
    "H2O 6-31G, 1 state": "h2o_631g_frozen_core.fcidump",
    "11 orbitals, 4 + 4 electrons, 4 states": "generate:molecule,orbitals=11,electrons=8 --states 4",
    "12 orbitals, 5 + 5 electrons, 1 state": "generate:molecule,orbitals=12,electrons=10",
}


def solve(program, case, backend, threads, size):
    """Seconds of the solve and of "convert", iterations, products of the solve and of its search."""
    words = case.split()
    if not words[0].startswith("generate:"):
        words[0] = str(DATA / words[0])
    command = [program, "eigen", *words, "--backend", backend, "--operator", "stored", "--json", "-",
               "--threads", str(threads), "--set", f"solver.p_space={size}"]
    made = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)
    return (made["seconds"]["solve"], made["seconds"]["convert"], made["iterations"],
            made["operator_applications"], made["probe_applications"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="cisolve")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="0,50,100,200,400,800,1500")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    print("| matrix |" + "".join(f" {size or 'chosen'} |" for size in sizes))
    print("|---|" + "---|" * len(sizes))
    for name, case in CASES.items():
        if options.names and not any(part in name for part in options.names):
            continue
        found = {size: [] for size in sizes}
        for _ in range(options.runs):
            for size in sizes:
                found[size].append(
                    solve(options.program, case, options.backend, options.threads, size))
        cells = ""
        for size in sizes:
            seconds, convert = (statistics.median(run[i] for run in found[size]) for i in (0, 1))
            _, _, iterations, products, search = found[size][0]
            cells += f" {seconds:.4f} ({convert:.4f}), {iterations}, {products}+{search} |"
        print(f"| {name} |{cells}", flush=True)


if __name__ == "__main__":
    main()
