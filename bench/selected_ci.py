"""Selected CI as users run it, as tables:

    python3 bench/selected_ci.py PROGRAM FCIDUMP [OPTIONS OF select …]

runs `PROGRAM select FCIDUMP OPTIONS` and prints a row for every list and state: determinants, the
variational energy, with the correction, extrapolated, and the seconds of selection, solve and
correction; then those of the whole run and its largest resident memory.
"""
import json
import resource
import subprocess
import sys
import time


def bracketed(value, deviation):
    return f"{value:.7f} ± {deviation:.1e}" if deviation > 0 else f"{value:.10f}"


def main():
    program, fcidump, *options = sys.argv[1:]
    begun = time.time()
    result = subprocess.run([program, "select", fcidump, *options, "--json", "-"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    seconds = time.time() - begun
    report = json.loads(result.stdout)
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
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    print(f"\n{report['summary']}; {seconds:.1f} s and {memory:.1f} GB in all, on "
          f"{report['backend']}")


if __name__ == "__main__":
    main()
