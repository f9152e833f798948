"""Levels of spinor CI: every method, one to fourteen states, beside energies of LAPACK and ARPACK.

    spinor_levels.py PROGRAM FOLDER [--backend cpu|cuda] [--tolerance 1e-6]

FOLDER has h2o_x2c_10e14s and f_atom_kramers_7e16s (.fcidump or .fcidump.gz). Energies of water are
those of its matrix by LAPACK (`cisolve convert`, numpy.linalg.eigvalsh), of the F atom ARPACK's.
The default tolerance, a residual of 1e-6 Hartree, promises no 1e-9 where levels are as near to each
other as that. Ends with status 1 if an energy is off by more than 1e-9 Hartree or a run not verified.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ENERGIES = {
    "h2o_x2c_10e14s": [-75.0519982168, -74.6546043292, -74.6546041242, -74.6546036568, -74.5950390816,
                        -74.5508189520, -74.5508183291, -74.5508174466, -74.5485807220, -74.5485778660,
                        -74.5485776104, -74.5113850856, -74.4725545474, -74.4725464515],
    "f_atom_kramers_7e16s": 4 * [-99.5286199742] + 2 * [-99.5261289684] + 2 * [-98.6610637230]
    + 4 * [-98.2026775853] + 2 * [-98.2026266905],
}
METHODS = ("davidson", "lobpcg", "lanczos")


def solve(arguments, file, method, states):
    run = subprocess.run([arguments.program, "eigen", str(file), "--states", str(states), "--method",
                          method, "--backend", arguments.backend, "--verify", "thorough",
                          "--tolerance", arguments.tolerance,
                          "--json", "-"],
                         capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--tolerance", default="1e-6")
    arguments = parser.parse_args()
    failed = False
    print("| file | method | runs | off by 1e-9 | largest difference | not verified |\n" + "|---" * 6 + "|")
    for name, exact in ENERGIES.items():
        file = next(arguments.folder.glob(name + ".fcidump*"))
        for method in METHODS:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                reports = list(pool.map(lambda k: solve(arguments, file, method, k), range(1, 15)))
            differences = [max(abs(state["energy"] - energy)
                               for state, energy in zip(report["states"], exact)) for report in reports]
            worst = max(differences)
            unsure = sum(not report["verified"] for report in reports)
            counts = [len(report["states"]) for report in reports]
            assert counts == list(range(1, 15)), counts
            failed = failed or worst > 1e-9 or unsure > 0
            print(f"| {name} | {method} | {len(reports)} | "
                  f"{sum(d > 1e-9 for d in differences)} | {worst:.0e} | {unsure} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
