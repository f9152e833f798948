#!/usr/bin/env python3
"""Effect of other busy processes on the time of a run: alone, and beside spinning processes.

    bench/busy_machine.py PROGRAM [--busy N] [--repetitions N] [--only NAME]... [--own WORDS]...
                          [--linked LOWEST]

Runs each case in turns, alone and beside N (default 2) processes for every core that do nothing but
compute. It prints a table in Markdown: medians, with the fewest and most seconds, their ratio, and
the processor time of a run, which shows threads that spin. A fair share of each core beside N
others takes N + 1 times as long; the first rows, one thread that does nothing but compute, show the
system's actual share. The cases are those below; --only takes some of them, --own adds
`PROGRAM WORDS`, --linked a program that links the library: examples/library's, on N2. Variables
such as OMP_WAIT_POLICY apply to the runs.

The machine should do nothing else: the load before the first run stands above the table.
"""
import argparse
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
CASES = {
    "H2, 4 determinants": ["eigen", DATA / "h2_sto3g.fcidump"],
    "N2, 14400 determinants": ["eigen", DATA / "n2_sto3g.fcidump", "--states", "4"],
    "linear, N2": ["linear", DATA / "n2_sto3g.fcidump", "--shift-from-ground", "-0.1", "--method", "minres"],
    "linear, LiH, 29241 determinants": ["linear", DATA / "lih_ccpvdz.fcidump", "--shift-from-ground", "-0.1",
                                        "--method", "minres"],
    "water, 245025 determinants": ["run", ROOT / "configs" / "water.yaml"],
}
VARIABLES = ["OMP_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OPENBLAS_THREAD_TIMEOUT"]


def one_thread(seconds):
    """A command that computes for so long."""
    return [sys.executable, "-S", "-c", f"import time\nwhile time.process_time() < {seconds}: pass"]


class BusyProcesses:
    """Processes that compute without end, while the object lives in a `with`."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        spin = [sys.executable, "-S", "-c", "while True: pass"]
        self.processes = [subprocess.Popen(spin) for _ in range(self.count)]
        time.sleep(1.0)  # until the system has spread them over the cores

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def run(command):
    """Wall and processor seconds of one run. Ends the script where it fails."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{shlex.join(command)}: {errors.strip() or status}")
    return wall, usage.ru_utime + usage.ru_stime


def measure(commands, repetitions, busy):
    """{name: (runs alone, runs beside busy processes)}, both kinds in turns."""
    results = {name: ([], []) for name in commands}
    for _ in range(repetitions):
        for name, command in commands.items():
            results[name][0].append(run(command))
            with BusyProcesses(busy):
                results[name][1].append(run(command))
    return results


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def table(results):
    lines = ["| case | alone, s | beside them, s | ratio | processor alone, s | beside them, s |",
             "|---|---|---|---|---|---|"]
    for name, (alone, beside) in results.items():
        walls = [[wall for wall, _ in runs] for runs in (alone, beside)]
        processors = [statistics.median(used for _, used in runs) for runs in (alone, beside)]
        ratio = statistics.median(walls[1]) / statistics.median(walls[0])
        lines.append(f"| {name} | {spread(walls[0])} | {spread(walls[1])} | {ratio:.2f} "
                     f"| {processors[0]:.2f} | {processors[1]:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--busy", type=int, default=2, help="busy processes for every core")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", action="append", metavar="NAME", help="cases whose names begin so")
    parser.add_argument("--own", action="append", default=[], metavar="WORDS", help="another case")
    parser.add_argument("--linked", type=pathlib.Path, metavar="LOWEST",
                        help="the program of examples/library")
    arguments = parser.parse_args()
    words = {name: case for name, case in CASES.items()
             if not arguments.only or any(name.startswith(o) for o in arguments.only)}
    words |= {own: shlex.split(own) for own in arguments.own}
    commands = {f"one thread, {seconds} s": one_thread(seconds) for seconds in (0.03, 0.3)}
    for name, case in words.items():
        commands[name] = [str(word) for word in [arguments.program.resolve(), *case]]
    if arguments.linked:
        commands["N2, a linked program"] = [str(arguments.linked.resolve()),
                                            str(DATA / "n2_sto3g.fcidump"), "4"]

    cores = len(os.sched_getaffinity(0))
    busy = cores * arguments.busy
    settings = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    print(f"{cores} cores, {busy} busy processes, {arguments.repetitions} repetitions, "
          f"Linux {platform.release()}, load before {os.getloadavg()[0]:.1f}"
          f"{', ' if settings else ''}{' '.join(settings)}\n", flush=True)
    print(table(measure(commands, arguments.repetitions, busy)))


if __name__ == "__main__":
    main()
