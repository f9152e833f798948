"""Long solves and the process around them: Ctrl-C, functions of the user's, threads, forks."""
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import cisolve


def grid(n):
    """The Laplacian of a square."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return (sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line)).tocsr()


GRID = grid(40)
DIAGONAL = GRID.diagonal() + np.linspace(0, 1, GRID.shape[0])
QUICK = {"tol": 1e-3, "verify": "off", "options": {"solver.p_space": 20}}  # after some iterations


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_interrupted_it_gives_what_there_is():
    large = grid(700)  # minutes of work
    timer = interrupt_after(1.0)
    found = cisolve.eigsh(large, 6, tol=1e-11, time_limit=60, backend="cpu")
    timer.join()
    assert found.status == "interrupted" and not found.verified
    assert found.seconds < 30
    true = np.linalg.norm(large @ found.vectors - found.vectors * found.eigenvalues, axis=0)
    np.testing.assert_allclose(found.residuals, true, atol=1e-10)


def test_interrupted_in_a_function_of_the_users():
    def slow(x):
        time.sleep(0.05)
        return GRID @ x

    timer = interrupt_after(0.5)
    try:  # wherever Python is when the signal comes
        found = cisolve.eigsh(slow, 2, diagonal=DIAGONAL, time_limit=60, tol=1e-14)
        assert found.status == "interrupted"
    except KeyboardInterrupt:
        pass
    timer.join()
    cisolve.eigsh(np.eye(3), 1)  # and the library goes on


def test_progress():
    seen = []
    found = cisolve.eigsh(GRID, 2, callback=seen.append, **QUICK)
    assert len(seen) >= found.iterations > 1
    assert [s["iteration"] for s in seen] == sorted(s["iteration"] for s in seen)
    assert len(seen[-1]["energies"]) == 2 and seen[-1]["products"] > 0
    rounds = []
    cisolve.solve(GRID + sp.eye_array(1600), np.ones(1600), callback=rounds.append)
    assert rounds[-1]["relative_residual"] < rounds[0]["relative_residual"]


@pytest.mark.parametrize("answer, ends", [(None, False), (True, False), (1, False), (False, True),
                                          (0, True), (np.bool_(False), True)])
def test_what_a_callback_answers(answer, ends):
    found = cisolve.eigsh(GRID, 1, callback=lambda _: answer, **QUICK)
    assert (found.status == "cancelled") == ends


class Mine(Exception):
    pass


def raise_mine(_):
    raise Mine("here")


def test_exceptions_of_functions_come_out():
    for call in (lambda: cisolve.eigsh(GRID, 1, callback=raise_mine, **QUICK),
                 lambda: cisolve.eigsh(raise_mine, 1, diagonal=DIAGONAL),
                 lambda: cisolve.solve(GRID, np.ones(1600), callback=raise_mine)):
        with pytest.raises(Mine, match="here"):
            call()
    with pytest.raises(ValueError, match="ambiguous"):
        cisolve.eigsh(GRID, 1, callback=lambda _: np.zeros(3), **QUICK)


def test_a_function_may_keep_its_vectors():
    kept = []

    def multiply(x):
        kept.append(x)
        return GRID @ x

    cisolve.eigsh(multiply, 1, diagonal=DIAGONAL, maxiter=5, verify="off")
    assert all(np.isfinite(x).all() and abs(x).max() <= 1.0 for x in kept)  # of normalised vectors


def test_two_solves_at_once():
    found = [None, None]

    def solve(i):
        for _ in range(5):
            found[i] = cisolve.eigsh(GRID, 2, tol=1e-5, time_limit=60).eigenvalues

    threads = [threading.Thread(target=solve, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    exact = 4 - 2 * np.cos(np.pi / 41) - 2 * np.cos(np.pi * np.array([1, 2]) / 41)
    for w in found:
        np.testing.assert_allclose(w, exact, atol=1e-5)


def test_python_goes_on_during_a_solve():
    ends = []

    def solve():
        cisolve.eigsh(grid(250), 6, tol=1e-11, time_limit=1.0)  # minutes of work
        ends.append(time.monotonic())

    thread = threading.Thread(target=solve)
    thread.start()
    turns = []
    while thread.is_alive():
        turns.append(time.monotonic())
        time.sleep(0.01)
    # Were the GIL held, there would be turns at the beginning and at the end alone.
    assert sum(0.2 < ends[0] - turn < 0.8 for turn in turns) >= 3


def test_a_solve_within_a_solve():
    def nested(x):
        cisolve.eigsh(np.diag([1.0, 2.0]), 1, verify="off")
        return GRID @ x

    found = cisolve.eigsh(nested, 1, diagonal=DIAGONAL, maxiter=3, tol=1e-10, verify="off")
    assert found.status == "max_iterations"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_forked_after_use_is_told():
    cisolve.eigsh(np.eye(3), 1)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            cisolve.eigsh(np.eye(3), 1)
            os.write(write, b"nothing")
        except RuntimeError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    assert b"'spawn'" in os.read(read, 1000)
    os.waitpid(child, 0)
    assert cisolve.eigsh(np.eye(3), 1).status == "converged"


def waits_as_loaded(**given):
    """Environment seen by libgomp, and that afterwards."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "OPENBLAS_"))}
    ran = subprocess.run(
        [sys.executable, "-c", "import os, cisolve; print(os.environ.get('GOMP_SPINCOUNT'))"],
        env={**kept, "OMP_DISPLAY_ENV": "verbose", **given}, capture_output=True, text=True)
    return re.findall(r"GOMP_SPINCOUNT = '(\d+)'", ran.stderr), ran.stdout.strip()


def test_threads_that_wait_sleep_soon():
    said, after = waits_as_loaded()
    if not said:
        pytest.skip("no libgomp that tells its settings")
    assert said == ["1000"] and after == "None"


@pytest.mark.parametrize("before, spins", [("", False), ("ctypes.CDLL('libgomp.so.1')", True)])
def test_a_library_that_had_been_loaded_before_is_mentioned(before, spins):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "OPENBLAS_"))}
    solve = "import cisolve, numpy; [cisolve.eigsh(numpy.eye(9), 1) for _ in range(2)]"
    begin = f"import ctypes, logging; logging.basicConfig(); {before}"
    ran = subprocess.run([sys.executable, "-c", f"{begin}\n{solve}"], env=kept,
                         capture_output=True, text=True)
    if "libgomp.so.1: cannot open" in ran.stderr:
        pytest.skip("no libgomp that others have, too")
    assert ran.returncode == 0 and ran.stderr.count("GOMP_SPINCOUNT=1000") == spins, ran.stderr


def test_what_the_user_has_set_stays():
    said, after = waits_as_loaded(GOMP_SPINCOUNT="77")
    assert after == "77" and said in (["77"], [])
