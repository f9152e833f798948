"""Nuclei of the shell model: from an interaction file to verified levels, with default settings.

    python bench/shell_model.py FILE.snt PROTONS,NEUTRONS [...] [--states 5] [-- ARGUMENTS]
    python bench/shell_model.py --pf FILE.snt

Runs `cisolve eigen` of the PATH, each nucleus --runs times, and prints the median of its seconds. The
second form writes an interaction of the pf shell, random but scalar, for measurements of a size that
the sd shell does not have: 20 states |n l j m⟩ of each kind.
"""
import argparse
import json
import random
import statistics
import subprocess
import tempfile
from pathlib import Path


def write_pf_shell(path):
    orbits = [(0, 3, 7), (1, 1, 3), (0, 3, 5), (1, 1, 1)]
    generator = random.Random(1)
    all_orbits = [(*orbit, kind) for kind in (-1, 1) for orbit in orbits]
    lines = []
    for a, b in pairs(all_orbits):
        for c, d in pairs(all_orbits):
            kinds = [all_orbits[k][3] for k in (a, b, c, d)]
            if (c, d) < (a, b) or kinds[:2] != kinds[2:]:
                continue
            ja, jb, jc, jd = (all_orbits[k][2] for k in (a, b, c, d))
            for j in range(max(abs(ja - jb), abs(jc - jd)) // 2, min(ja + jb, jc + jd) // 2 + 1):
                if j % 2 and (a == b or c == d):
                    continue
                lines.append(f"{a + 1} {b + 1} {c + 1} {d + 1} {j} {generator.gauss(-0.2, 0.5):.4f}")
    with open(path, "w") as file:
        print("4 4 20 20", file=file)
        for number, orbit in enumerate(all_orbits, 1):
            print(number, *orbit, file=file)
        print("8 0", file=file)
        for number, energy in enumerate([-8.6, -5.7, -1.4, -4.1] * 2, 1):
            print(number, number, energy, file=file)
        print(len(lines), 0, file=file)
        print("\n".join(lines), file=file)


def pairs(orbits):
    """Of one kind a <= b, of two kinds protons first."""
    n = len(orbits)
    return [(a, b) for a in range(n) for b in range(a, n)]


def solved(file, protons, neutrons, states, further):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "r.json"
        subprocess.run(["cisolve", "eigen", file, "--protons", str(protons), "--neutrons",
                        str(neutrons), "--states", str(states), "--json", str(report), *further],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.loads(report.read_text())


def j_text(state):
    if state["twice_j"] is None:
        return "mixed"
    j = state["twice_j"]
    return (str(j // 2) if j % 2 == 0 else f"{j}/2") + ("+" if state["parity"] > 0 else "-")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("nuclei", nargs="*")
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pf", metavar="FILE", help="write the interaction of the pf shell")
    known, further = parser.parse_known_args()
    if known.pf:
        return write_pf_shell(known.pf)
    print("| protons, neutrons | determinants | nonzeros | format | matrix, GB | build, s | solve, s "
          "| whole run, s | products | verified | lowest levels, MeV |")
    print("|" + "---|" * 11)
    for nucleus in known.nuclei:
        protons, neutrons = map(int, nucleus.split(","))
        runs = [solved(known.file, protons, neutrons, known.states, [a for a in further if a != "--"])
                for _ in range(known.runs)]
        r = runs[-1]
        matrix = r["matrix"]
        seconds = {key: statistics.median(run["seconds"][key] for run in runs)
                   for key in ("build", "convert", "solve", "total")}
        levels = ", ".join(f"{s['energy']:.4f} ({j_text(s)})" for s in r["states"])
        print(f"| {nucleus} | {matrix['rows']:,} | {matrix['nonzeros']:,} | {matrix['format']} "
              f"| {matrix['bytes'] / 1e9:.3f} | {seconds['build'] + seconds['convert']:.2f} "
              f"| {seconds['solve']:.2f} | {seconds['total']:.2f} "
              f"| {r['operator_applications']} + {r['probe_applications']} "
              f"| {'yes' if r['verified'] else 'no'} | {levels} |")


if __name__ == "__main__":
    main()
