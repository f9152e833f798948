"""Runs with short memory and on full disks."""
import collections
import resource
import subprocess
import tempfile

from fault_runs import DATA, GRACE, Case, Folder, counts, judge, row, undisturbed


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
