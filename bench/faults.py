#!/usr/bin/env python3
"""Runs under faults: what ends, and what it leaves.

    bench/faults.py CISOLVE [--sweep kills,memory,disk,bombs,calls] [--kills 1000] [--limits 20]
                    [--calls 100] [--library FAULTS.so] [--seed 1]

kills   solves with every method, stored and direct, ended at random moments by random signals,
        each resumed from its checkpoint until it ends
memory  limits of the address space (RLIMIT_AS) from where the program starts to where the run fits
disk    limits of a file's size (RLIMIT_FSIZE) and, as root, full disks (a tmpfs of that size)
bombs   gzip files of one repeated byte
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

import h5py
import numpy

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
ALL_OUTPUTS = {"--json": "r.json", "--html": "r.html", "--vectors": "v.h5", "--rdm1": "one.npz",
               "--rdm2": "two.h5"}
GRACE = 2.0  # seconds on top of twice the time of a run that nothing disturbs
# Messages of other libraries that end the process themselves.
OTHERS = {"libgomp": "libgomp: ", "OpenBLAS": "OpenBLAS", "HDF5": "HDF5-DIAG",
          "loader": "error while loading shared libraries"}


class Faults:
    """Failures, a line each."""

    def __init__(self):
        self.lines = []

    def expect(self, good, line):
        if not good:
            self.lines.append(line)
            print("FAULT", line, file=sys.stderr, flush=True)


class Case:
    """Arguments of a run and the files that it writes."""

    def __init__(self, name, arguments, outputs=None):
        self.name = name
        self.outputs = dict(ALL_OUTPUTS if outputs is None else outputs)
        self.arguments = arguments.split() + ["--backend", "cpu"]
        for option, file in self.outputs.items():
            self.arguments += [option, file]


class Folder:
    """A folder in which one run after another works, and its files."""

    def __init__(self, program, path):
        self.out = self.err = ""
        self.program, self.path = program, pathlib.Path(path)
        # A run may depend on this environment and on the checks below only.
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.path) + ".cache")

    def clear(self):
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def start(self, arguments, limits=(), environment=None):
        def limit():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))
        # Pipes, for a file of these would have a limit of its size, too.
        return subprocess.Popen([self.program, *arguments], cwd=self.path, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=limit if limits else None,
                                env=dict(self.environment, **(environment or {})))

    def wait(self, process, seconds):
        """True if it has ended by then."""
        try:
            self.out, self.err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def run(self, arguments, patience, limits=(), environment=None):
        """Status, seconds; None for the status of a run that has to be killed."""
        begun = time.monotonic()
        process = self.start(arguments, limits, environment)
        if self.wait(process, patience):
            return process.returncode, time.monotonic() - begun
        process.kill()
        self.wait(process, None)
        return None, time.monotonic() - begun

    def temporaries(self):
        return sorted(p.name for p in self.path.iterdir() if ".tmp" in p.name)

    def damaged(self, names):
        """The files that exist and are not whole."""
        return [name for name in names if (self.path / name).exists() and not self.whole(name)]

    def whole(self, name):
        path = self.path / name
        try:
            if name.endswith(".json"):
                json.loads(path.read_text())
            elif name.endswith(".html"):
                return path.read_text().rstrip().endswith("</html>")
            elif name.endswith(".npz"):
                with numpy.load(path) as arrays:
                    return len([arrays[array] for array in arrays.files]) > 0
            elif name.endswith(".npy"):
                numpy.load(path)
            else:
                with h5py.File(path, "r") as file:
                    file.visititems(lambda _, item: item[()] is None
                                    if isinstance(item, h5py.Dataset) else None)
        except Exception as error:  # whatever a reader finds wrong
            print(name, error, file=sys.stderr)
            return False
        return True


# Libraries of which a call that failed is no more the program's own.
LIBRARIES = {"libhdf5": "HDF5", "libgomp": "libgomp", "libopenblas": "OpenBLAS",
             "libtrexio": "TREXIO", "libzip": "libzip", "libpng": "libpng",
             "ld-linux": "loader"}


def other_library(text, caller=""):
    """The library that ended the process, by its words, or by whose call failed."""
    return next((name for name, words in OTHERS.items() if words in text), None) or next(
        (name for file, name in LIBRARIES.items() if file in caller), None)


def judge(folder, case, status, seconds, limit, what, faults, statuses=(0, 3), caller=""):
    """The name of how a run ended, for the tables; what must not be is a fault."""
    library = other_library(folder.err, caller)
    if library and status not in statuses:
        how = f"ended by {library}"
    elif status is None:
        how = "hung"
    else:
        how = str(status) if status >= 0 else signal.Signals(-status).name
    last = folder.err.strip().splitlines()[-1:] or [""]
    faults.expect(how.startswith("ended by") or status in statuses, f"{what}: {how}: {last[0]}")
    faults.expect(seconds <= limit, f"{what}: {seconds:.1f} s, at most {limit:.1f}")
    faults.expect(not folder.damaged(case.outputs.values()),
                  f"{what}: half {folder.damaged(case.outputs.values())}")
    left = folder.temporaries()
    faults.expect(not left, f"{what}: left {left}")
    faults.expect(".tmp" not in folder.err, f"{what}: names a temporary file: {last[0]}")
    if status in (1, 3):
        faults.expect("cisolve: error: " in folder.err, f"{what}: {status} without a message")
    if status == 0:
        absent = [f for f in case.outputs.values() if not (folder.path / f).exists()]
        absent = [f for f in absent if f != case.outputs.get("--checkpoint")]
        faults.expect(not absent, f"{what}: status 0 without {absent}")
    return how


def counts(ended):
    return ", ".join(f"{how}: {number}" for how, number in sorted(ended.items()))


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def undisturbed(folder, case):
    """The report and the seconds of a run that nothing disturbs."""
    folder.clear()
    status, seconds = folder.run(case.arguments, 600)
    if status != 0:
        sys.exit(f"{case.name}: {status}: {folder.err}")
    report = json.loads((folder.path / case.outputs["--json"]).read_text())
    return report, seconds


# Kills.

def kill_cases():
    solve = f"eigen {DATA}/nh3_sto3g.fcidump --states 2 --threads 2 --tolerance 1e-7 " \
            "--set checkpoint.iterations=1 --set solver.p_space=100 --verify quick"
    outputs = {**ALL_OUTPUTS, "--checkpoint": "ck.h5"}
    for method in ("davidson", "lobpcg", "lanczos"):
        for operator in ("stored", "direct"):
            yield Case(f"{method}, {operator}", f"{solve} --method {method} --operator {operator}",
                       outputs)


def signals():
    """All that end a program, with those of real time."""
    never = {signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCONT, signal.SIGSTOP,
             signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGURG, signal.SIGWINCH}
    common = [signal.SIGKILL] * 8 + [signal.SIGTERM] * 6 + [signal.SIGINT] * 4
    return common + sorted(signal.valid_signals() - never - {signal.SIGKILL})


def checkpoint_iterations(folder):
    path = folder.path / "ck.h5"
    if not path.exists():
        return 0
    with h5py.File(path, "r") as file:
        return int(file.attrs["iterations"])


def shown_iterations(folder):
    found = re.findall(r"^ +(\d+) +\d+ +\d+ +\d+ ", folder.out, re.MULTILINE)
    return int(found[-1]) if found else 0


def kills(program, scratch, arguments, faults):
    engine = random.Random(arguments.seed)
    cases = list(kill_cases())
    print("| solve | kills | of them SIGKILL | before a checkpoint | in writing | ended with its "
          "best so far | whole solves | products without kills | most with kills | seconds |")
    print("|---|" + "---:|" * 9)
    for case in cases:
        folder = Folder(program, tempfile.mkdtemp(dir=scratch))
        whole, seconds = undisturbed(folder, case)
        energies = [state["energy"] for state in whole["states"]]
        states = len(energies)
        count = collections.Counter()
        begun = time.monotonic()
        folder.clear()
        cancelled = 0
        most = whole["operator_applications"]
        while count["kills"] < arguments.kills / len(cases):
            before = checkpoint_iterations(folder)
            restart = ["--restart", "ck.h5"] if before or (folder.path / "ck.h5").exists() else []
            process = folder.start(case.arguments + restart)
            number = engine.choice(signals())
            what = f"{case.name}, {signal.Signals(number).name if number < 32 else number}"
            sent = not folder.wait(process, engine.uniform(0.0, 1.3 * seconds))
            if sent:
                process.send_signal(number)
                if not folder.wait(process, 30):
                    faults.expect(False, f"{what}: goes on for 30 s")
                    process.kill()
                    folder.wait(process, None)
            status = process.returncode
            count["kills"] += sent
            count["KILL"] += sent and number == signal.SIGKILL
            # Leftovers of an earlier SIGKILL stay until the same output is written.
            left = [name for name in folder.temporaries() if f"-{process.pid}-" in name]
            count["writing"] += status == -signal.SIGKILL and bool(left)
            good = (0, 2, -number) if number in (signal.SIGTERM, signal.SIGINT) else (0, -number)
            faults.expect(status in good, f"{what}: status {status}: {folder.err}")
            faults.expect(not left or status == -signal.SIGKILL, f"{what}: left {left}")
            half = folder.damaged(case.outputs.values())
            faults.expect(not half, f"{what}: half {half}")
            kept = checkpoint_iterations(folder)
            if status not in (0, 2):
                count["before"] += kept == 0
                faults.expect(kept >= max(before, shown_iterations(folder) - 1),
                              f"{what}: the checkpoint has {kept} iterations, it had {before}, "
                              f"{shown_iterations(folder)} were shown")
                continue
            if status == 2:
                count["cancelled"] += 1
                cancelled += 1
                continue
            # The end of a solve.
            count["solves"] += 1
            report = json.loads((folder.path / "r.json").read_text())
            error = max(abs(state["energy"] - energy)
                        for state, energy in zip(report["states"], energies))
            faults.expect(report["status"] == "converged" and len(report["states"]) == states
                          and error < 1e-9, f"{what}: {report['status']}, energies off by {error}")
            # A cancelled solve has its residuals computed, and so has the one that goes on.
            products = report["operator_applications"]
            allowed = whole["operator_applications"] + (states + 1) * (1 + cancelled)
            most = max(most, products)
            faults.expect(products <= allowed,
                          f"{what}: {products} products, {whole['operator_applications']} without "
                          f"kills, cancelled {cancelled} times")
            faults.expect(not folder.temporaries(),
                          f"{what}: {folder.temporaries()} stay after the next run")
            folder.clear()
            cancelled = 0
        row(case.name, count["kills"], count["KILL"], count["before"], count["writing"],
            count["cancelled"], count["solves"], whole["operator_applications"], most,
            f"{time.monotonic() - begun:.0f}")


# Short memory.

def memory_cases():
    stored = f"eigen {DATA}/nh3_sto3g.fcidump --threads 2 --operator stored"
    direct = f"eigen {DATA}/nh3_sto3g.fcidump --threads 2 --operator direct"
    report = {"--json": "r.json", "--html": "r.html"}
    yield Case("stored", stored, report)
    yield Case("direct", direct, report)
    yield Case("stored, 8 states, vectors", f"{stored} --states 8",
               {**report, "--vectors": "v.npz"})
    yield Case("direct, 8 states, all outputs", f"{direct} --states 8")
    yield Case("stored, 8 threads, all outputs",
               f"eigen {DATA}/n2_sto3g.fcidump --threads 8 --operator stored")
    yield Case("checkpoints", f"{direct} --set checkpoint.iterations=1",
               {**report, "--checkpoint": "ck.h5"})


def least(low, high, step, good):
    """The least limit that is good, to a step; high is."""
    while high - low > step:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


def memory(program, scratch, arguments, faults):
    print("| run | program starts, MiB | run fits, MiB | limits | exit statuses | longest, s | "
          "allowed, s |")
    print("|---|---:|---:|---:|---|---:|---:|")
    mib = 1 << 20
    for case in memory_cases():
        folder = Folder(program, tempfile.mkdtemp(dir=scratch))
        _, seconds = undisturbed(folder, case)

        def ends_well(words, limit):
            folder.clear()
            return folder.run(words, 60, [(resource.RLIMIT_AS, limit)])[0] == 0
        starts = least(0, 2048 * mib, mib // 4, lambda limit: ends_well(["--version"], limit))
        fits = least(starts, 4096 * mib, mib, lambda limit: ends_well(case.arguments, limit))
        ended, worst = collections.Counter(), 0.0
        for i in range(arguments.limits):
            limit = starts + (fits - starts) * i // (arguments.limits - 1)
            folder.clear()
            status, took = folder.run(case.arguments, 60, [(resource.RLIMIT_AS, limit)])
            worst = max(worst, took)
            ended[judge(folder, case, status, took, 2 * seconds + GRACE,
                        f"{case.name}, {limit / mib:.1f} MiB", faults)] += 1
        row(case.name, f"{starts / mib:.0f}", f"{fits / mib:.0f}", arguments.limits,
            counts(ended), f"{worst:.1f}", f"{2 * seconds + GRACE:.1f}")


# Full disks.

def disk_cases():
    solve = f"eigen {DATA}/nh3_sto3g.fcidump --threads 2 --states 2"
    report = {"--json": "r.json", "--html": "r.html"}
    yield Case(".h5", solve)
    yield Case(".npz", solve, {**report, "--vectors": "v.npz", "--rdm1": "one.npz",
                               "--rdm2": "two.npz"})
    yield Case(".npy and checkpoints", f"{solve} --set checkpoint.iterations=1",
               {**report, "--vectors": "v.npy", "--checkpoint": "ck.h5"})
    yield Case(".trexio", f"eigen {DATA}/n2_sto3g.fcidump --threads 2",
               {**report, "--vectors": "v.trexio", "--rdm2": "two.trexio"})


def can_mount(folder):
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder],
                          capture_output=True).returncode == 0
    if made:
        subprocess.run(["umount", folder], check=True)
    return made


def disk(program, scratch, arguments, faults):
    print("| disk | outputs | sizes | from, to kB | exit statuses | report without arrays | "
          "longest, s | allowed, s |")
    print("|---|---|---:|---:|---|---:|---:|---:|")
    mounts = can_mount(tempfile.mkdtemp(dir=scratch))
    kinds = ["tmpfs", "size of a file"] if mounts else ["size of a file"]
    for kind in kinds:
        for case in disk_cases():
            folder = Folder(program, tempfile.mkdtemp(dir=scratch))
            _, seconds = undisturbed(folder, case)
            sizes = {name: (folder.path / name).stat().st_size for name in case.outputs.values()}
            report = [sizes[name] for name in ("r.json", "r.html")]
            high = sum(sizes.values()) if kind == "tmpfs" else max(sizes.values())
            ended, worst, alone = collections.Counter(), 0.0, 0
            for i in range(arguments.limits):
                # Even steps of the logarithm: the report is far smaller than the arrays.
                size = int(4096 * (1.2 * high / 4096) ** (i / (arguments.limits - 1)))
                if kind == "tmpfs":
                    folder.clear()
                    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs",
                                    folder.path], check=True)
                limits = [] if kind == "tmpfs" else [(resource.RLIMIT_FSIZE, size)]
                try:
                    if kind != "tmpfs":
                        folder.clear()
                    status, took = folder.run(case.arguments, 60, limits)
                    what = f"{kind}, {case.name}, {size} bytes"
                    ended[judge(folder, case, status, took, 2 * seconds + GRACE, what,
                                faults)] += 1
                    names = [name for name in case.outputs.values() if name in folder.err]
                    faults.expect(status != 3 or names, f"{what}: names no output: {folder.err}")
                    there = all((folder.path / name).exists() for name in ("r.json", "r.html"))
                    page = resource.getpagesize()
                    # A checkpoint comes before the report, and takes its room.
                    first = sizes.get("ck.h5", 0)
                    room = sum(-(-s // page) * page for s in report) + 2 * page + 2 * first \
                        if kind == "tmpfs" else max(report)
                    faults.expect(there or size < room, f"{what}: no report")
                    alone += there and status == 3
                finally:
                    if kind == "tmpfs":
                        subprocess.run(["umount", folder.path], check=True)
                worst = max(worst, took)
            row(kind, case.name, arguments.limits, f"4 to {1.2 * high / 1e3:.0f}", counts(ended),
                alone, f"{worst:.1f}", f"{2 * seconds + GRACE:.1f}")


# Bombs.

def bomb(path, head, piece, size):
    """A gzip file of `size` bytes that repeat a piece: members one after another."""
    packed = gzip.compress(piece, 9)
    with open(path, "wb") as file:
        file.write(gzip.compress(head))
        for _ in range(size // len(piece)):
            file.write(packed)


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
        begun = time.monotonic()
        process = folder.start(["info", path.name])
        _, status, used = os.wait4(process.pid, 0)
        seconds, status = time.monotonic() - begun, os.waitstatus_to_exitcode(status)
        mib = used.ru_maxrss / 1024
        faults.expect(status in (1, 3), f"bomb of {name}: {status}: {folder.err}")
        faults.expect(seconds < 30, f"bomb of {name}: {seconds:.1f} s")
        faults.expect(mib < 256, f"bomb of {name}: {mib:.0f} MiB")
        row(name, 4 * gib, path.stat().st_size, status, f"{seconds:.1f}", f"{mib:.0f}")
        path.unlink()


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
