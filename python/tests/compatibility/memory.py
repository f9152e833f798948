#!/usr/bin/env python3
"""Prints the resident memory of a CASSCF of CH2 (cc-pVTZ, six electrons in six orbitals) with each
solver in a process of its own, MiB by stage, and what files mapped take at the end.

    python python/tests/compatibility/memory.py
"""
import pathlib
import subprocess
import sys


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4 / 1024


def mapped():
    """MiB of every mapped file, `anonymous` what has none."""
    sizes, name = {}, ""
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            name = pathlib.Path(words[5]).name if len(words) > 5 else "anonymous"
        elif words[0] == "Rss:":
            sizes[name] = sizes.get(name, 0) + int(words[1]) / 1024
    return sizes


def run(ours):
    stages = []
    from pyscf import gto, mcscf, scf
    stages.append(("PySCF imported", resident()))
    if ours:
        import cisolve.pyscf
    stages.append(("cisolve imported", resident()))
    mol = gto.M(atom="C 0 0 0; H 0 0.99 0.37; H 0 -0.99 0.37", basis="cc-pvtz", spin=2, verbose=0)
    mf = scf.ROHF(mol).run()
    stages.append(("SCF", resident()))
    mc = mcscf.CASSCF(mf, 6, 6)
    if ours:
        mc.fcisolver = cisolve.pyscf.FCI(mol)
    mc.max_cycle_macro = 5
    mc.kernel()
    stages.append(("CASSCF", resident()))
    print(repr((stages, mapped())))


def main():
    theirs, ours = (eval(subprocess.run([sys.executable, __file__, solver], check=True, text=True,
                                        stdout=subprocess.PIPE).stdout)
                    for solver in ("pyscf", "cisolve"))
    print("| after | PySCF | cisolve | difference |\n|---|---|---|---|")
    for (stage, a), (_, b) in zip(theirs[0], ours[0]):
        print(f"| {stage} | {a:.0f} | {b:.0f} | {b - a:.0f} |")
    print("\n| of which at the end | PySCF | cisolve |\n|---|---|---|")
    for name, size in sorted(ours[1].items(), key=lambda file: -file[1]):
        before = theirs[1].get(name, 0)
        if abs(size - before) > 0.5:
            print(f"| {name} | {before:.1f} | {size:.1f} |")


if __name__ == "__main__":
    run(sys.argv[1] == "cisolve") if len(sys.argv) > 1 else main()
