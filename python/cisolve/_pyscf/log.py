"""PySCF's logger for what cisolve says."""
from contextlib import contextmanager
from functools import partial

from pyscf.lib import logger

from .._calls import tell


@contextmanager
def told_by(solver):
    """Within it what cisolve says goes to the log of a solver of PySCF's."""
    said = tell.set((partial(logger.warn, solver), partial(logger.info, solver)))
    try:
        yield
    finally:
        tell.reset(said)
