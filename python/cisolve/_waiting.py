"""How long threads that wait stay awake, said before the libraries that have threads are loaded."""
from __future__ import annotations

import os
from contextlib import contextmanager

#: The program's own (core/waiting). By default they spin for milliseconds: beside other busy
#: processes loops of microseconds then take these milliseconds each.
_BRIEF = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0", "OPENBLAS_THREAD_TIMEOUT": "15"}
_OPENMP = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


@contextmanager
def brief_waits():
    """Libraries loaded within read the environment once: afterwards it is as the user has it. Where
    another package has loaded OpenMP's library before, that stays as it is."""
    openmp = any(name in os.environ for name in _OPENMP)
    added = {name: value for name, value in _BRIEF.items()
             if name not in os.environ and not (openmp and name in _OPENMP)}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
