"""Test of the backend that `auto` takes: whole runs of the program on each, and by its own choice.

    auto_backend.py --program build/cisolve [--runs 5] INPUT...

An input may have flags: "h2.fcidump --states 3". Medians of wall-clock seconds, runs of the three
interleaved; `ratio`: auto's over the better of the two.
"""
import argparse
import json
import shlex
import statistics
import subprocess
import time

BACKENDS = ("cpu", "cuda", "auto")


def seconds(program, arguments, backend):
    start = time.perf_counter()
    run = subprocess.run([program, "eigen", *arguments, "--backend", backend, "--json", "-"],
                         capture_output=True, text=True)
    taken = time.perf_counter() - start
    if run.returncode != 0:
        raise SystemExit(f"{arguments}: {run.stderr}")
    return taken, json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    parser.add_argument("--program", default="build/cisolve")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print("| input | rows | cpu / s | cuda / s | auto / s | took | ratio |\n" + "|---" * 7 + "|")
    for text in arguments.inputs:
        runs = {backend: [] for backend in BACKENDS}
        for _ in range(arguments.runs):
            for backend in BACKENDS:
                runs[backend].append(seconds(arguments.program, shlex.split(text), backend))
        cpu, cuda, auto = (statistics.median(s for s, _ in runs[b]) for b in BACKENDS)
        report = runs["auto"][0][1]
        print(f"| {text.split('/')[-1]} | {report['matrix']['rows']} | {cpu:.3f} | {cuda:.3f} | "
              f"{auto:.3f} | {report['backend']} | {auto / min(cpu, cuda):.2f} |", flush=True)


main()
