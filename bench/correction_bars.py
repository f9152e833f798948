"""Test of the error bars of the second-order correction:

    python3 bench/correction_bars.py PROGRAM FCIDUMP DETERMINANTS [--deviation D] [--runs N]

selects the determinants once with the whole correction and N times (200) with a sampled one, each
with another seed. It prints the part of these that lies outside one, two and three standard
deviations from the whole; a normal distribution has 32, 4.6 and 0.3 %.
"""
import argparse
import json
import subprocess


def selected(program, fcidump, determinants, deviation, seed):
    command = [program, "select", fcidump, "--determinants", str(determinants), "--deviation",
               str(deviation), "--seed", str(seed), "--verify", "off", "--json", "-"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(result.stdout)["selection"]["steps"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("fcidump")
    parser.add_argument("determinants", type=int)
    parser.add_argument("--deviation", type=float, default=1e-5)
    parser.add_argument("--runs", type=int, default=200)
    args = parser.parse_args()
    whole = selected(args.program, args.fcidump, args.determinants, 0, 1)[-1]
    exact = whole["states"][0]["correction"]
    outside, summed, bias, bars = [0, 0, 0], 0, 0.0, 0.0
    for seed in range(1, args.runs + 1):
        last = selected(args.program, args.fcidump, args.determinants, args.deviation, seed)[-1]
        state = last["states"][0]
        off = state["correction"] - exact
        for k in range(3):
            outside[k] += abs(off) > (k + 1) * state["deviation"] + 1e-11
        summed += last["external_strings"]["summed"]
        bias += off
        bars += state["deviation"]
    n = args.runs
    print(f"{whole['determinants']} determinants, {whole['external_strings']['reached']} alpha "
          f"strings reached, {summed / n:.0f} of them summed; correction {exact:.8f}")
    print(f"of {n} runs outside 1, 2, 3 deviations: {outside[0]}, {outside[1]}, {outside[2]}; mean "
          f"deviation {bars / n:.1e}, mean error {bias / n:.1e}")


if __name__ == "__main__":
    main()
