#!/usr/bin/env python3
"""Full CI with a stored matrix, without one, and as `auto` chooses: whole solves.

    bench/operator_bench.py PROGRAM [--runs 3] [--limit 120] [--processor] "INPUT [OPTION...]"...

PROGRAM is cisolve. Each input is solved by `cisolve eigen INPUT OPTION... --operator KIND` in
turns. The table has medians of the wall time of the process, and the ratio of `auto` to the better
of the other two. With --processor it has user and system seconds instead, which other programs on
the machine disturb less. A run beyond the limit, or without enough memory, counts as infinite.
"""
import argparse
import json
import math
import resource
import shlex
import statistics
import subprocess
import tempfile
import time

KINDS = ("stored", "direct", "auto")


def processor_seconds():
    """Processor seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def solve(program, words, kind, limit, clock):
    """Seconds by that clock, the report's matrix format and its energies."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        begin = clock()
        try:
            run = subprocess.run([program, "eigen", *words, "--operator", kind, "--json",
                                  file.name], capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return math.inf, "", ()
        seconds = clock() - begin
        if run.returncode == 3:
            return math.inf, "", ()
        if run.returncode not in (0, 2):
            raise SystemExit(f"{shlex.join(words)} {kind}: {run.stderr.strip()[-300:]}")
        report = json.load(open(file.name))
        return seconds, report["matrix"]["format"], [s["energy"] for s in report["states"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--processor", action="store_true")
    options = parser.parse_args()
    clock = processor_seconds if options.processor else time.monotonic
    print("| input | stored / s | direct / s | auto / s | auto took | auto / better "
          "| largest difference of energies |\n|---|---|---|---|---|---|---|")
    for text in options.inputs:
        words = shlex.split(text)
        found = {kind: [] for kind in KINDS}
        for _ in range(options.runs):
            for kind in KINDS:
                if found[kind] and math.isinf(found[kind][-1][0]):
                    continue
                found[kind].append(solve(options.program, words, kind, options.limit, clock))
        seconds = {kind: statistics.median(s for s, _, _ in found[kind]) for kind in KINDS}
        energies = [e for kind in KINDS for _, _, e in found[kind] if e]
        apart = max((abs(x - y) for e in energies for x, y in zip(e, energies[0])), default=0.0)
        better = min(seconds["stored"], seconds["direct"])
        print(f"| {text} | {seconds['stored']:.3f} | {seconds['direct']:.3f} | {seconds['auto']:.3f} "
              f"| {found['auto'][0][1]} | {seconds['auto'] / better:.2f} | {apart:.1e} |", flush=True)


if __name__ == "__main__":
    main()
