"""Runs under faults: how they end, and what they leave."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
ALL_OUTPUTS = {"--json": "r.json", "--html": "r.html", "--vectors": "v.h5", "--rdm1": "one.npz",
               "--rdm2": "two.h5"}
GRACE = 2.0  # seconds on top of twice the time of a run that nothing disturbs
# What other libraries say when they end the process themselves.
OTHERS = {"libgomp": "libgomp: ", "OpenBLAS": "OpenBLAS", "HDF5": "HDF5-DIAG",
          "loader": "error while loading shared libraries"}


class Faults:
    """What went wrong, a line each."""

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
    """Where one run after another works, and what is in it."""

    def __init__(self, program, path):
        self.out = self.err = ""
        self.program, self.path = program, pathlib.Path(path)
        # With the checks below this is all that a run may depend on.
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
        """Whether it has ended by then."""
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
        """Of these files those that are there and not whole."""
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
    faults.expect(".tmp" not in folder.err, f"{what}: names a temporary file: {last[0]}")
    if status in (1, 3):
        faults.expect("cisolve: error: " in folder.err, f"{what}: {status} without a message")
    if status == 0:
        absent = [f for f in case.outputs.values() if not (folder.path / f).exists()]
        absent = [f for f in absent if f != case.outputs.get("--checkpoint")]
        faults.expect(not absent, f"{what}: status 0 without {absent}")
    if how.startswith("ended by") and folder.temporaries():  # as after SIGKILL: for the next run
        again, _ = folder.run(case.arguments, 60)
        faults.expect(again == 0, f"{what}: the next run ends with {again}")
    left = folder.temporaries()
    faults.expect(not left, f"{what}: left {left}")
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
