"""Lists of determinants beside Fulqrum and PySCF, on the cores of this machine, in one run.

    python bench/lists.py PROGRAM FOLDER [--runs N] [--peers PYTHON]

PROGRAM is cisolve; FOLDER has n2_ccpvdz_frozen_core.fcidump and lists/ with n2_strings_200.txt,
n2_strings_500.txt and n2_50000.npz. PYTHON has fulqrum (0.4), primme and pyscf; without it only
cisolve is measured. Every solve is a process of its own with default settings, and programs take
turns. Medians are printed: seconds from the files to the energies (for Fulqrum and PySCF without
the imports of Python), and milliseconds of a product with one vector. Fulqrum's matrix is stored,
its fastest way (to_csr_linearoperator_fast); PRIMME solves to the tolerance of cisolve's default,
a residual of 1e-6 Hartree.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

CASES = [("200² strings", "strings", "n2_strings_200.txt", 1),
         ("500² strings", "strings", "n2_strings_500.txt", 1),
         ("50,000 determinants", "determinants", "n2_50000.npz", 3)]

FULQRUM = """
import json, sys, time
import numpy as np, primme
import fulqrum as fq
from fulqrum.convert.integrals import fcidump_to_fq_fermionic_op
fcidump, kind, file, states = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
begin = time.time()
operator = fcidump_to_fq_fermionic_op(fcidump).extended_jw_transformation()
read = time.time() - begin
begin = time.time()
if kind == "strings":
    strings = open(file).read().split()
    space = fq.Subspace((strings, strings))
else:
    list_ = np.load(file)
    space = fq.Subspace([[f"{b:026b}{a:026b}" for a, b in zip(list_["alpha"].tolist(),
                                                            list_["beta"].tolist())]])
h = fq.SubspaceHamiltonian(operator, space).to_csr_linearoperator_fast()
built = time.time() - begin
rng = np.random.default_rng(1)
v0 = rng.standard_normal((h.shape[0], states))
energies, _ = primme.eigsh(h, states, which="SA", tol=1e-8)
total = time.time() - begin
x = rng.standard_normal(h.shape[0])
products = []
for _ in range(20):
    begin = time.time()
    h.matvec(x)
    products.append(time.time() - begin)
print(json.dumps({"energies": sorted(energies), "seconds": total, "read": read, "build": built,
                  "product": sorted(products)[10]}))
"""

PYSCF = """
import json, sys, time
import numpy as np
from pyscf import ao2mo
from pyscf.fci import selected_ci
from pyscf.tools import fcidump
file = sys.argv[3]
begin = time.time()
data = fcidump.read(sys.argv[1], verbose=False)
n = data["NORB"]
eri = ao2mo.restore(1, data["H2"], n)
read = time.time() - begin
begin = time.time()
strings = np.array(sorted(int(s, 2) for s in open(file).read().split()))
solver = selected_ci.SelectedCI()
solver.conv_tol = 1e-10
energy, _ = solver.kernel_fixed_space(data["H1"], eri, n, (5, 5), (strings, strings))
print(json.dumps({"energies": [energy + data["ECORE"]], "seconds": time.time() - begin,
                  "read": read}))
"""


def peer(python, code, *arguments):
    run = subprocess.run([python, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout.strip().splitlines()[-1])


def cisolve(program, fcidump, kind, file, states):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([program, "eigen", fcidump, f"--{kind}", file, "--states", str(states),
                        "--json", report.name, "--force"], check=True, capture_output=True)
        made = json.load(open(report.name))
    return {"energies": [s["energy"] for s in made["states"]],
            "seconds": made["seconds"]["total"], "build": made["seconds"]["build"],
            "status": made["status"], "verified": made["verified"]}


def product(program, fcidump, kind, file):
    """Milliseconds of one product in the format that takes the least."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([program, "bench", fcidump, f"--{kind}", file, "--backend", "cpu",
                        "--format", "csr,csr_symmetric", "--json", report.name, "--force"],
                       check=True, capture_output=True)
        rows = json.load(open(report.name))["rows"]
    best = min((r for r in rows if "seconds" in r), key=lambda r: r["seconds"])
    return best["seconds"], best["format"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers")
    options = parser.parse_args()
    fcidump = options.folder / "n2_ccpvdz_frozen_core.fcidump"
    print("| list | states | program | seconds | of which built | product / ms | lowest energy |")
    print("|---|---|---|---|---|---|---|")
    for name, kind, file, states in CASES:
        path = options.folder / "lists" / file
        found = {"cisolve": []}
        for _ in range(options.runs):
            found["cisolve"].append(cisolve(options.program, fcidump, kind, path, states))
            if not options.peers:
                continue
            found.setdefault("Fulqrum", []).append(
                peer(options.peers, FULQRUM, fcidump, kind, path, states))
            if kind == "strings":
                found.setdefault("PySCF", []).append(peer(options.peers, PYSCF, fcidump, kind, path))
        seconds, best = product(options.program, fcidump, kind, path)
        for program, runs in found.items():
            median = {key: statistics.median(r[key] for r in runs)
                      for key in ("seconds", "build", "product") if key in runs[0]}
            built = f"{median['build']:.2f}" if "build" in median else ""
            of_product = f"{1e3 * median['product']:.2f}" if "product" in median else ""
            if program == "cisolve":
                of_product = f"{1e3 * seconds:.2f} ({best})"
            print(f"| {name} | {states} | {program} | {median['seconds']:.2f} | {built} | "
                  f"{of_product} | {runs[0]['energies'][0]:.10f} |", flush=True)


main()
