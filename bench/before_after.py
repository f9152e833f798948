#!/usr/bin/env python3
"""Two builds of cisolve side by side: whole solves and products, in turns on one machine.

    bench/before_after.py solves   BEFORE AFTER --runs 5 "INPUT [OPTION...]"...
    bench/before_after.py products BEFORE AFTER --runs 2 "INPUT [OPTION...]"

BEFORE and AFTER are programs; the libraries that they need are found as they find them
(LD_LIBRARY_PATH is theirs, too). `solves` runs `cisolve eigen INPUT OPTION...` of each in turns,
and the first of a pair alternates as well. It prints medians of wall time, of the seconds that
building, conversion and solve took together and of the solve's, the products made, and whether the
energies are the same bits. `products` does likewise with `cisolve bench INPUT OPTION...` and prints
medians of the medians it reports. Tables are Markdown; "after / before" above 1 is slower.
"""
import argparse
import json
import shlex
import statistics
import subprocess
import tempfile
import time

STAGES = ("build", "convert", "solve")


def report_of(command):
    """The JSON report of a command and its wall time."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        begin = time.monotonic()
        run = subprocess.run([*command, "--json", file.name], capture_output=True, text=True)
        wall = time.monotonic() - begin
        if run.returncode not in (0, 2):  # converged, or not
            raise SystemExit(f"{shlex.join(command)}: {run.stderr.strip()[-300:]}")
        return json.load(open(file.name)), wall


def in_turns(programs, words, runs):
    """For each program a list of (report, wall time)."""
    found = ([], [])
    for k in range(runs):
        for which in ((0, 1) if k % 2 == 0 else (1, 0)):
            found[which].append(report_of([programs[which], *words]))
    return found


def solves(programs, inputs, runs):
    print("| input | wall before / s | after | after / before | stages before / s | after "
          "| after / before | solve before / s | after | products | same energy bits |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|")
    for text in inputs:
        found = in_turns(programs, ["eigen", *shlex.split(text)], runs)
        wall = [statistics.median(w for _, w in each) for each in found]
        stages = [statistics.median(sum(r["seconds"][s] for s in STAGES) for r, _ in each)
                  for each in found]
        solve = [statistics.median(r["seconds"]["solve"] for r, _ in each) for each in found]
        made = [sorted({r["operator_applications"] + r["probe_applications"] for r, _ in each})
                for each in found]
        bits = [{tuple(s["energy"] for s in r["states"]) for r, _ in each} for each in found]
        print(f"| {text} | {wall[0]:.3f} | {wall[1]:.3f} | {wall[1] / wall[0]:.3f} "
              f"| {stages[0]:.3f} | {stages[1]:.3f} | {stages[1] / stages[0]:.3f} "
              f"| {solve[0]:.3f} | {solve[1]:.3f} | {', '.join(str(n) for n in made)} "
              f"| {'yes' if bits[0] == bits[1] else 'no'} |", flush=True)


def products(programs, inputs, runs):
    print("| format | backend | k | before / ms | after | after / before |\n|---|---|---|---|---|---|")
    ratios = []
    for text in inputs:
        found = in_turns(programs, ["bench", *shlex.split(text)], runs)
        seconds = ({}, {})
        for each, table in zip(found, seconds):
            for report, _ in each:
                for row in report["rows"]:
                    if row.get("seconds"):
                        key = (row["format"], row["backend"], row["block"])
                        table.setdefault(key, []).append(row["seconds"])
        for key in seconds[0]:
            before, after = (1e3 * statistics.median(table[key]) for table in seconds)
            print("| {} | {} | {} |".format(*key)
                  + f" {before:.4f} | {after:.4f} | {after / before:.3f} |", flush=True)
            ratios.append(after / before)
    print(f"\nafter / before, geometric mean: {statistics.geometric_mean(ratios):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("solves", "products"))
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    {"solves": solves, "products": products}[given.what](
        (given.before, given.after), given.inputs, given.runs)


if __name__ == "__main__":
    main()
