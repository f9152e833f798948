"""cisolve in the place of another solver: what a case is made of.

A case is a test with the fixture `compare`; its docstring is its line on the page
(docs/results/compatibility.md, printed by page.py). Marks: `needs("name")` names a package that the
case is about and is skipped without; `slow` leaves a case out unless `--whole` is given.
"""
import importlib.metadata
import importlib.util
from unittest import mock

import numpy as np
import pytest

if importlib.util.find_spec("pyscf"):
    import cisolve.pyscf
    from pyscf import fci
else:
    collect_ignore_glob = ["test_*.py"]


def pytest_addoption(parser):
    parser.addoption("--whole", action="store_true", help="slow cases of compatibility, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(package): skipped where it is not installed")
    config.addinivalue_line("markers", "slow: only with --whole")


def pytest_collection_modifyitems(config, items):
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow and not config.getoption("--whole", False):
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


class Place:
    """Puts a solver into a CASCI or CASSCF object: PySCF's own, or cisolve's."""

    def __init__(self, ours):
        self.ours = ours

    def solver(self, mol=None, **attributes):
        """A solver by itself; attributes as those of PySCF's."""
        if self.ours:
            made = cisolve.pyscf.FCI(mol)
        else:
            made = fci.solver(mol, singlet=False) if mol else fci.direct_spin1.FCI()
        made.conv_tol = 1e-12
        return made.set(**attributes)

    def __call__(self, mc, **attributes):
        mc.fcisolver = self.solver(mc.mol, **attributes)
        return mc


class Compare:
    def __init__(self, node):
        self._node = node

    def same(self, name, found, expected, tolerance):
        """Records the largest difference of two numbers or arrays; fails above the tolerance."""
        found, expected = np.asarray(found), np.asarray(expected)
        assert found.shape == expected.shape, f"{name}: shapes {found.shape}, {expected.shape}"
        assert found.size, f"{name}: nothing to compare"
        difference = float(abs(found - expected).max())
        self._node.user_properties.append(("difference", (name, difference, tolerance)))
        assert difference <= tolerance, f"{name}: {found}, expected {expected}"

    def __call__(self, run, **tolerances):
        """`run(place)` by both solvers: a dictionary of what is compared, by name. Cases must solve
        by the solver that was placed."""
        results, kernel = [], cisolve.pyscf.FCI.kernel
        for ours in (False, True):
            with mock.patch.object(cisolve.pyscf.FCI, "kernel", autospec=True,
                                   side_effect=kernel) as calls:
                results.append(run(Place(ours)))
            assert calls.called == ours, "the solver that was placed did not solve"
        theirs, ours = results
        assert theirs.keys() == ours.keys() == tolerances.keys()
        for name, tolerance in tolerances.items():
            self.same(name.replace("_", " "), ours[name], theirs[name], tolerance)


@pytest.fixture
def compare(request):
    return Compare(request.node)


@pytest.fixture(autouse=True)
def case(request):
    """The page's words on a case, also on one that is skipped."""
    title = request.node.function.__doc__.splitlines()[0].rstrip(".")
    if hasattr(request.node, "callspec"):
        title += ": " + request.node.callspec.id
    needs = [mark.args[0] for mark in request.node.iter_markers("needs")] or ["pyscf"]
    versions = []
    for name in needs:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(name)
    request.node.user_properties.append(("case", (title, ", ".join(versions))))
    for name in needs:
        if versions[needs.index(name)] == name:
            pytest.skip(f"{name} is not installed")
