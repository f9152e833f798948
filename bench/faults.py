#!/usr/bin/env python3
"""Runs under faults: what ends, and what it leaves.

    bench/faults.py CISOLVE [--sweep kills,memory,disk,bombs,calls] [--kills 1000] [--limits 20]
                    [--calls 100] [--library FAULTS.so] [--seed 1]

kills   solves with every method, stored and direct, ended at random moments by random signals,
        each resumed from its checkpoint until it ends
memory  limits of the address space (RLIMIT_AS) from where the program starts to where the run fits
disk    limits of a file's size (RLIMIT_FSIZE) and, as root, full disks (a tmpfs of that size)
bombs   gzip files of one repeated byte, and right ones with much text for what they hold
calls   every n-th call of a function of the system fails (tests/support/faults.cpp, FAULTS.so)

After every run: no signal that nobody sent, no status but the documented ones, every output whole
or absent, no temporary file. Prints a table in Markdown for each sweep, and what went wrong; the
exit status is 1 then. Needs numpy and h5py.
"""
import argparse
import collections
import gzip
import os
import pathlib
import sys
import tempfile
import time

from fault_kills import kills
from fault_limits import disk, memory
from fault_runs import DATA, GRACE, Case, Faults, Folder, counts, judge, row, undisturbed


# Bombs.

def bomb(path, head, piece, size):
    """A gzip file of `size` bytes that repeat a piece: members one after another."""
    packed = gzip.compress(piece, 9)
    with open(path, "wb") as file:
        file.write(gzip.compress(head))
        for _ in range(size // len(piece)):
            file.write(packed)


def long_matrix(path):
    """A tridiagonal matrix of two million rows in 1 GB of text."""
    rows = 2_000_000
    with gzip.open(path, "wb", 1) as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{rows} {rows} "
                   f"{2 * rows - 1}\n1 1 2\n".encode())
        for first in range(2, rows + 1, 1000):
            file.write("".join(f"{i} {i - 1} -1{' ' * 238}\n{i} {i} 2{' ' * 238}\n"
                               for i in range(first, min(first + 1000, rows + 1))).encode())
        return file.tell()


def long_fcidump(path):
    """26 orbitals in 1 GB of text."""
    orbitals, blanks = 26, " " * 17_000
    pairs = [(p, q) for p in range(1, orbitals + 1) for q in range(1, p + 1)]
    with gzip.open(path, "wb", 1) as file:
        file.write(f"&FCI NORB={orbitals},NELEC=4,MS2=0,\n&END\n".encode())
        for i, (p, q) in enumerate(pairs):
            file.write("".join(f"{1 / (1 + i + j)} {p} {q} {r} {s}{blanks}\n"
                               for j, (r, s) in enumerate(pairs[:i + 1])).encode())
        file.write("".join(f"{-1 / p if p == q else 0} {p} {q} 0 0\n" for p, q in pairs).encode())
        file.write(b"0 0 0 0 0\n")
        return file.tell()


def long_files(program, scratch, faults):
    """Right files: memory follows what they hold, not their text."""
    for name, suffix, write in (("tridiagonal matrix", "mtx", long_matrix),
                                ("26 orbitals", "fcidump", long_fcidump)):
        folder = Folder(program, tempfile.mkdtemp(dir=scratch))
        path = folder.path / f"long.{suffix}.gz"
        unpacked = write(path)
        judge_reading(folder, path, name, unpacked, (0,), faults)


def judge_reading(folder, path, name, unpacked, statuses, faults):
    """Runs `info` of the file, and prints a row of the table."""
    begun = time.monotonic()
    process = folder.start(["info", path.name])
    _, status, used = os.wait4(process.pid, 0)
    seconds, status = time.monotonic() - begun, os.waitstatus_to_exitcode(status)
    mib = used.ru_maxrss / 1024
    faults.expect(status in statuses, f"{name}: {status}: {folder.err}")
    faults.expect(seconds < 30, f"{name}: {seconds:.1f} s")
    faults.expect(mib < 256, f"{name}: {mib:.0f} MiB")
    row(name, unpacked, path.stat().st_size, status, f"{seconds:.1f}", f"{mib:.0f}")
    path.unlink()


def bombs(program, scratch, arguments, faults):
    gib = 1 << 30
    banner = b"%%MatrixMarket matrix coordinate real symmetric\n"
    million = 1 << 20
    contents = {
        "blanks": (banner, b" " * million), "newlines": (banner, b"\n" * million),
        "zeros": (banner, b"\0" * million), "one comment": (banner + b"%", b"x" * million),
        "blanks without a header": (b"", b" " * million),
        "digits of one number": (banner + b"2 2 1\n1 1 ", b"1" * million),
        "entries too many": (banner + b"2 2 1\n", b"1 1 1\n" * (million // 6)),
        "blanks within an array": (b"%%MatrixMarket matrix array real general\n2 2\n1\n",
                                   b" " * million),
    }
    print("| content | bytes unpacked | in the file | exit status | seconds | memory, MiB |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, (head, piece) in contents.items():
        folder = Folder(program, tempfile.mkdtemp(dir=scratch))
        path = folder.path / "bomb.mtx.gz"
        bomb(path, head, piece, 4 * gib)
        judge_reading(folder, path, name, 4 * gib, (1, 3), faults)
    long_files(program, scratch, faults)


# Calls that fail.

def call_cases():
    report = {"--json": "r.json", "--html": "r.html"}
    small = f"eigen {DATA}/n2_sto3g.fcidump --threads 2 --operator"
    yield Case("stored, .h5", f"{small} stored --set checkpoint.iterations=1",
               {**report, "--vectors": "v.h5", "--rdm1": "one.h5", "--checkpoint": "ck.h5"})
    yield Case("direct, .npz, .npy", f"{small} direct",
               {**report, "--vectors": "v.npy", "--rdm2": "two.npz"})
    yield Case("stored, .trexio", f"{small} stored", {**report, "--vectors": "v.trexio"})


KINDS = {"malloc": "memory (malloc, operator new)", "map": "mmap", "open": "open, fopen",
         "write": "write, pwrite", "read": "read, pread", "sync": "fsync", "rename": "rename"}


def calls(program, scratch, arguments, faults):
    if not arguments.library:
        sys.exit("calls: needs --library")
    library = os.path.abspath(arguments.library)
    row("run", "function", "calls", "runs of each", "all fail from then on: exit statuses",
        "that one fails", "longest, s", "allowed, s")
    print("|---|---|---:|---:|---|---|---:|---:|")
    for case in call_cases():
        folder = Folder(program, tempfile.mkdtemp(dir=scratch))
        _, seconds = undisturbed(folder, case)
        for kind, words in KINDS.items():
            count_file = pathlib.Path(scratch) / "count"
            caller_file = pathlib.Path(scratch) / "caller"

            def fault(number, once):
                return {"LD_PRELOAD": library, "CISOLVE_FAULT_COUNT": str(count_file),
                        "CISOLVE_FAULT_CALLER": str(caller_file),
                        "CISOLVE_FAULT": f"{kind}:{number}" + (":once" if once else "")}
            folder.clear()
            folder.run(case.arguments, 60, environment=fault(10**9, False))
            count = int(count_file.read_text())
            # The first ones, of which a run has the same every time, and others evenly.
            numbers = sorted(set(range(1, min(count, arguments.calls // 4) + 1)) | {
                max(1, round(count * (i + 1) / arguments.calls))
                for i in range(arguments.calls)}) if count else []
            statuses, worst = [], 0.0
            for once in (False, True):
                ended = collections.Counter()
                for number in numbers:
                    folder.clear()
                    status, took = folder.run(case.arguments, 20, environment=fault(number, once))
                    worst = max(worst, took)
                    caller = caller_file.read_text() if caller_file.exists() else ""
                    what = f"{case.name}, {kind} {number} of {count}{' alone' if once else ''}, " \
                           f"called by {pathlib.Path(caller).name}"
                    ended[judge(folder, case, status, took, 2 * seconds + GRACE, what, faults,
                                (0, 1, 2, 3), caller)] += 1
                statuses.append(counts(ended))
            row(case.name, words, count, len(numbers), *statuses, f"{worst:.1f}",
                f"{2 * seconds + GRACE:.1f}")


SWEEPS = {"kills": kills, "memory": memory, "disk": disk, "bombs": bombs, "calls": calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--sweep", default=",".join(SWEEPS))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--limits", type=int, default=20)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--library")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    faults = Faults()
    for name in arguments.sweep.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            begun = time.monotonic()
            print(f"\n## {name}\n", flush=True)
            SWEEPS[name](program, scratch, arguments, faults)
            print(f"\n{time.monotonic() - begun:.0f} s", flush=True)
    print(f"\n{len(faults.lines)} faults" + "".join(f"\n- {line}" for line in faults.lines))
    return 1 if faults.lines else 0


if __name__ == "__main__":
    sys.exit(main())
