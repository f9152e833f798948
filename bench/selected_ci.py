"""Selected CI as users run it, as tables:

    python3 bench/selected_ci.py PROGRAM FCIDUMP [OPTIONS OF select …]

runs `PROGRAM select FCIDUMP OPTIONS` and prints a row for every list and state. A row has the
determinants, the energy (variational, corrected, extrapolated), and the seconds of selection, solve
and correction. Seconds and largest resident memory of the whole run follow.

    python3 bench/selected_ci.py --natural-gain PROGRAM FCIDUMP [OPTIONS OF select …]

runs it with and without `--natural`. It prints the number of determinants over natural orbitals that
have the variational energy of the last list over the file's orbitals, interpolated between the
logarithms of two lists' numbers. Several states count by the sum of their energies.
"""
import json
import math
import resource
import subprocess
import sys
import time


def bracketed(value, deviation):
    return f"{value:.7f} ± {deviation:.1e}" if deviation > 0 else f"{value:.10f}"


def selected(program, fcidump, options):
    """The report and the seconds of all."""
    begun = time.time()
    result = subprocess.run([program, "select", fcidump, *options, "--json", "-"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(result.stdout), time.time() - begun


def sizes(report, natural):
    """Determinants and energy of every list over such orbitals."""
    return [(step["determinants"], sum(state["variational"] for state in step["states"]))
            for step in report["selection"]["steps"] if step["natural"] == natural]


def natural_gain(program, fcidump, *options):
    usual, usual_seconds = selected(program, fcidump, options)
    natural, natural_seconds = selected(program, fcidump, [*options, "--natural"])
    wanted, energy = sizes(usual, False)[-1]
    lists = sizes(natural, True)
    (n, high), (m, low) = next(pair for pair in zip(lists, lists[1:]) if pair[1][1] <= energy)
    part = (high - energy) / (high - low)
    needed = round(math.exp(math.log(n) + part * (math.log(m) - math.log(n))))
    print("| determinants over the file's orbitals | energy | the same over natural ones | seconds | "
          "seconds with --natural |\n|---|---|---|---|---|")
    print(f"| {wanted} | {energy:.7f} | {needed} | {usual_seconds:.1f} | {natural_seconds:.1f} |")


def main():
    if sys.argv[1] == "--natural-gain":
        return natural_gain(*sys.argv[2:])
    program, fcidump, *options = sys.argv[1:]
    report, seconds = selected(program, fcidump, options)
    print("| determinants | epsilon | state | variational | corrected | extrapolated | select, s | "
          "solve | correct |\n|---|---|---|---|---|---|---|---|---|")
    for step in report["selection"]["steps"]:
        for number, state in enumerate(step["states"], 1):
            limit = state["extrapolated"]
            stages = " | ".join(f"{step['seconds'][stage]:.2f}" if number == 1 else ""
                                for stage in ("select", "solve", "correct"))
            print(f"| {step['determinants'] if number == 1 else ''} | {step['epsilon']:.1e} | "
                  f"{number} | {state['variational']:.10f} | "
                  f"{bracketed(state['total'], state['deviation'])} | "
                  f"{bracketed(limit['energy'], limit['uncertainty']) if limit else ''} | "
                  f"{stages} |")
    matrix = report["matrix"]
    print(f"\nthe last matrix: {matrix['rows']} rows, {matrix['nonzeros']} nonzeros, "
          f"{matrix['bytes'] / 1e9:.1f} GB in {matrix['format']}; " +
          ", ".join(f"{stage} {report['seconds'][stage]:.1f} s"
                    for stage in ("build", "convert", "solve")))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    print(f"\n{report['summary']}; {seconds:.1f} s and {memory:.1f} GB in all, on "
          f"{report['backend']}")


if __name__ == "__main__":
    main()
