"""Lists of determinants on a GPU: products beside cuSPARSE's, and whole solves.

    python3 bench/lists_gpu.py PROGRAMS N2 WATER [--largest DETERMINANTS,THINNED]

PROGRAMS is a folder with cisolve and list_by_energy; N2 and WATER are FCIDUMP files of N2 and H2O in
cc-pVDZ. Lists are those of lowest orbital energy (list_by_energy), of N2, and the product of 1,543
strings of each spin of water. Products are those of `cisolve bench`, medians; cuSPARSE's is the
faster of its two CSR algorithms. Solves are of the lowest state with default settings, verified.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

PRODUCTS = [20_000, 100_000, 200_000, 3_000_000]


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)


def report(program, *arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run(program, *arguments, "--backend", "cuda", "--json", file.name, "--force")
        return json.load(open(file.name))


def products(cisolve, name, fcidump, flag, file):
    made = report(cisolve, "bench", fcidump, flag, file, "--block", "1,4", "--format",
                  "packed,csr,cusparse_csr_alg1,cusparse_csr_alg2")
    rows = [r for r in made["rows"] if "seconds" in r]
    cells = [name]
    for block in (1, 4):
        best = {}
        for row in rows:
            if row["block"] == block:
                key = "cusparse" if row["format"].startswith("cusparse") else row["format"]
                best[key] = min(best.get(key, 1e9), 1e3 * row["seconds"])
        cells += [f"{best['packed']:.4f}", f"{best['csr']:.4f}", f"{best['cusparse']:.4f}",
                  f"{best['cusparse'] / best['packed']:.2f}"]
    of = {r["format"]: r["bytes"] for r in rows}
    cells.append(f"{of['packed'] / of['csr']:.3f}")
    print("| " + " | ".join(cells) + " |", flush=True)


def solve(cisolve, name, fcidump, flag, file):
    made = report(cisolve, "eigen", fcidump, flag, file)
    seconds, matrix = made["seconds"], made["matrix"]
    applied = made["operator_applications"]
    print(f"| {name} | {matrix['rows']} | {matrix['nonzeros']:.3g} | {matrix['bytes'] / 1e9:.2f} | "
          f"{seconds['read']:.2f} | {seconds['build']:.2f} | {seconds['convert']:.2f} | "
          f"{seconds['solve']:.2f} | {seconds['total']:.2f} | {applied} | "
          f"{made['states'][0]['energy']:.10f} | {made['status']}, "
          f"{'verified' if made['verified'] else 'not verified'} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("n2", type=pathlib.Path)
    parser.add_argument("water", type=pathlib.Path)
    parser.add_argument("--largest", default="80000000,12")
    options = parser.parse_args()
    programs = options.programs.resolve()
    cisolve, lists = programs / "cisolve", programs / "list_by_energy"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for n in PRODUCTS:
            run(lists, options.n2, n, folder / f"{n}.npz")
        run(lists, options.water, "strings", 1543, folder / "water.npz")
        largest = options.largest.split(",")
        print("| list | k = 1: packed, ms | csr | cuSPARSE | over packed "
              "| k = 4: packed, ms | csr | cuSPARSE | over packed | bytes over csr's |")
        print("|" + "---|" * 10)
        for n in PRODUCTS:
            products(cisolve, f"{n:,}", options.n2, "--determinants", folder / f"{n}.npz")
        products(cisolve, "1,543² strings", options.water, "--strings", folder / "water.npz")
        print("\n| list | determinants | nonzeros | GB | read, s | build | convert | solve | all "
              "| products | energy | |")
        print("|" + "---|" * 12)
        for n in PRODUCTS:
            solve(cisolve, f"{n:,}", options.n2, "--determinants", folder / f"{n}.npz")
        solve(cisolve, "1,543² strings", options.water, "--strings", folder / "water.npz")
        run(lists, options.n2, largest[0], folder / "largest.npz", largest[1])
        solve(cisolve, f"every {largest[1]}th", options.n2, "--determinants",
              folder / "largest.npz")


main()
