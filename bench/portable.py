#!/usr/bin/env python3
"""Two builds side by side: what a portable build costs beside one for this processor alone.

    bench/portable.py BUILD_FOLDER... [--rounds 5] [--threads 2]

The first folder is what the others are compared with. Both need the programs cisolve,
bench/ci_matrix_bench and bench/iteration_bench. The builds take turns, round by round, and of every
figure the smallest counts: what disturbs a run makes it longer. Products and the building of the
matrix are of a generated CI matrix and an FCIDUMP file; vector operations are what an iteration of
the Davidson solver does outside its products (median of a run). Prints a table in Markdown.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile

PRODUCTS = "generate:molecule,orbitals=10,electrons=8"
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data")


def output(command, environment):
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def products(folder, threads, environment):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        output([f"{folder}/cisolve", "bench", PRODUCTS, "--backend", "cpu", "--format", "csr,packed",
                "--block", "1,4,8", "--threads", threads, "--json", file.name], environment)
        with open(file.name) as text:
            rows = json.load(text)["rows"]
    return {f"{row['format']}, k = {row['block']}": row["seconds"] * 1e3 for row in rows
            if row["format"] in ("csr", "packed") and "seconds" in row}


def iterations(folder, environment):
    text = output([f"{folder}/bench/iteration_bench", "--generate", PRODUCTS, "--format", "csr"],
                  environment)
    found = re.search(r"^median +\d+ +\d+ +[\d.]+ +([\d.]+)", text, re.MULTILINE)
    return {"vector operations of an iteration": float(found.group(1))}


def matrix(folder, environment):
    text = output([f"{folder}/bench/ci_matrix_bench", f"{DATA}/h2o_631g_frozen_core.fcidump", "4"],
                  environment)
    words = text.splitlines()[1].split()
    return {"CI matrix, counted": float(words[5]) * 1e3, "CI matrix, filled": float(words[6]) * 1e3}


def measure(folder, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=threads, XDG_CACHE_HOME=tempfile.gettempdir())
    return {**products(folder, threads, environment), **iterations(folder, environment),
            **matrix(folder, environment)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    best = [{} for _ in arguments.folders]
    for _ in range(arguments.rounds):
        for found, folder in zip(best, arguments.folders):
            for what, value in measure(folder, arguments.threads).items():
                found[what] = min(value, found.get(what, value))
    names = [output([f"{folder}/cisolve", "--version"], None).split()[-1]
             for folder in arguments.folders]
    print("| ms | " + " | ".join(names) + " |" + "".join(f" {name} / {names[0]} |" for name in names[1:]))
    print("|---|" + "---:|" * (2 * len(names) - 1))
    for what, first in best[0].items():
        values = [found[what] for found in best]
        print(f"| {what} | " + " | ".join(f"{value:.3g}" for value in values) + " |" +
              "".join(f" {value / first:.2f} |" for value in values[1:]))


if __name__ == "__main__":
    main()
