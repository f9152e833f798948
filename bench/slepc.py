#!/usr/bin/env python3
"""SLEPc beside the program's own solvers: same ranks, matrix and tolerance, one report each.

    bench/slepc.py build/ci/cisolve [INPUT...]

Prints a Markdown table: wall seconds of the solve (SLEPc's include the loading of its module and of
PETSc), products, whether the lowest states are those that a thorough search verified, the largest
memory of a rank. Each row is one run. Only the run that finds the right states searches for lower
ones. A solve has 20 seconds.
"""
import json
import os
import subprocess
import sys
import tempfile

STATES = 3
ENGINES = [("davidson", []), ("lanczos", ["--method", "lanczos"])] + [
    (f"SLEPc {m}", ["--set", "solver.engine=slepc", "--set", f"solver.slepc_method={m}"])
    for m in ("krylovschur", "gd", "lobpcg")]


def run(program, ranks, arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        line = [program, "eigen", *arguments, "--states", str(STATES), "--backend", "cpu",
                "--operator", "stored", "--set", "spmv.format=csr", "--set", "output.analysis=false",
                "--set", "solver.time_limit=20",
                "--set", f"backend.threads={2 // ranks}", "--json", report]
        if ranks > 1:
            line = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n",
                    str(ranks)] + line
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read().decode()
        _, _, usage = os.wait4(process.pid, 0)
        if not os.path.exists(report):
            sys.exit(f"{' '.join(line)}\n{said}")
        with open(report) as file:
            return json.load(file), usage.ru_maxrss / 1024


def main():
    program, inputs = sys.argv[1], sys.argv[2:]
    print("| input | rows | ranks | solver | status | seconds of the solve | products | right states "
          "| MB of a rank |\n|---|---|---|---|---|---|---|---|---|")
    for name in inputs:
        right, _ = run(program, 1, [name, "--verify", "thorough"])
        assert right["verified"], name
        for ranks in (1, 2):
            for solver, arguments in ENGINES:
                made, memory = run(program, ranks, [name, "--verify", "off", *arguments])
                same = sum(abs(a["energy"] - b["energy"]) < 1e-8 and b["converged"]
                           for a, b in zip(right["states"], made["states"]))
                print(f"| {os.path.basename(name)} | {made['matrix']['rows']} | {ranks} | {solver} "
                      f"| {made['status']} | {made['seconds']['solve']:.2f} "
                      f"| {made['operator_applications']} | {same} of {STATES} | {memory:.0f} |",
                      flush=True)


main()
