#!/usr/bin/env python3
"""Selections under SIGKILL: their ends, and the files left behind.

    bench/select_faults.py CISOLVE [--kills 20]

Each of a few selections is killed at so many moments, evenly over the time that it takes undisturbed.
Every time it begins anew, is killed, and goes on from its checkpoint until it ends. Then every list
must be as without a kill, with energies to 1e-9. No list that was kept may be made again, and only
the one that the kill met may be made twice. Every output must be whole, without a temporary file.
Prints a table in Markdown and the failures; with failures the exit status is 1. Needs numpy and h5py.
"""
import argparse
import collections
import json
import os
import re
import signal
import sys
import tempfile
import time

import h5py

from fault_runs import DATA, Case, Faults, Folder, row, undisturbed

OUTPUTS = {"--json": "r.json", "--html": "r.html", "--checkpoint": "s.h5"}


def cases():
    select = f"select {DATA}/n2_631g_frozen_core.fcidump --threads 2 "
    yield Case("N2, 2 states, by number", select + "--states 2 --determinants 20000", OUTPUTS)
    yield Case("N2, by epsilon", select + "--epsilon 3e-4", OUTPUTS)
    yield Case("N2, natural orbitals", select + "--determinants 20000 --natural", OUTPUTS)
    yield Case("N2 in STO-3G, all determinants",
               f"select {DATA}/n2_sto3g.fcidump --threads 2 --states 3 --determinants 100000", OUTPUTS)


def lists_shown(text):
    """Rows of the table that are the first of a list, before the last one is shown once more."""
    table = text.split("\nselection   ended:")[0]
    return len(re.findall(r"^ +\d+ +\d\.\de[+-]\d\d +1 ", table, re.MULTILINE))


def lists_kept(file):
    with h5py.File(file) as selection:
        return len(selection["steps"])


def lists_of(report):
    return [(step["determinants"], step["natural"]) for step in report["selection"]["steps"]]


def energies_of(report):
    return [state["variational"] for step in report["selection"]["steps"]
            for state in step["states"]]


def killed(folder, case, part, seconds):
    """Starts it and kills it after that part of its time, of which it returns how long it takes: a
    machine that has become faster is measured anew."""
    while True:
        folder.clear()
        begun = time.monotonic()
        process = folder.start(case.arguments)
        if not folder.wait(process, part * seconds):
            process.send_signal(signal.SIGKILL)
            if not folder.wait(process, 30):
                sys.exit(f"{case.name}: stays for 30 s after SIGKILL")
            return seconds
        seconds = time.monotonic() - begun


def rest(folder, case, whole, what, faults, count):
    """Goes on from what was kept; seconds."""
    count["kills"] += 1
    shown = lists_shown(folder.out)
    faults.expect(not folder.damaged(case.outputs.values()), f"{what}: half files")
    there = (folder.path / "s.h5").exists()
    count["before"] += not there
    kept = lists_kept(folder.path / "s.h5") if there else 0
    status, seconds = folder.run(case.arguments + (["--restart", "s.h5"] if there else []), 600)
    faults.expect(status == 0, f"{what}: then status {status}: {folder.err}")
    if status != 0:
        return 0.0
    report = json.loads((folder.path / "r.json").read_text())
    faults.expect(lists_of(report) == lists_of(whole), f"{what}: {lists_of(report)}")
    error = max(abs(a - b) for a, b in zip(energies_of(report), energies_of(whole)))
    faults.expect(error < 1e-9, f"{what}: energies off by {error}")
    made = lists_shown(folder.out)
    faults.expect(made == len(lists_of(whole)) - kept, f"{what}: {kept} kept, then {made} made")
    again = shown + made - len(lists_of(whole))
    count["again"] += max(again, 0)
    faults.expect(again <= 1, f"{what}: {again} lists were made twice")
    faults.expect(not folder.temporaries(), f"{what}: left {folder.temporaries()}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=20)
    arguments = parser.parse_args()
    faults = Faults()
    print("| selection | lists | determinants | seconds without kills | kills | before a list was "
          "kept | lists made twice, at most one a kill | longest rest, s |")
    print("|---|" + "---:|" * 7)
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases():
            folder = Folder(os.path.abspath(arguments.program), tempfile.mkdtemp(dir=scratch))
            whole, seconds = undisturbed(folder, case)
            shown = lists_shown(folder.out)
            faults.expect(shown == len(lists_of(whole)), f"{case.name}: shows {shown} lists")
            count = collections.Counter()
            longest = 0.0
            for i in range(arguments.kills):
                part = (i + 0.5) / arguments.kills
                seconds = killed(folder, case, part, seconds)
                what = f"{case.name}, killed after {part:.3f} of it"
                longest = max(longest, rest(folder, case, whole, what, faults, count))
            row(case.name, len(lists_of(whole)), lists_of(whole)[-1][0], f"{seconds:.1f}",
                count["kills"], count["before"], count["again"], f"{longest:.1f}")
    print(f"\n{len(faults.lines)} faults" + "".join(f"\n- {line}" for line in faults.lines))
    return 1 if faults.lines else 0


if __name__ == "__main__":
    sys.exit(main())
