"""Solves ended at random moments by random signals, each resumed until it ends."""
import collections
import json
import random
import re
import signal
import tempfile
import time

import h5py

from fault_runs import ALL_OUTPUTS, DATA, Case, Folder, row, undisturbed


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
            # What an earlier SIGKILL has left stays until the same output is written.
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
