"""Docstrings of the public names: all have one, it names every parameter, and the reference
(docs/reference/python.md) has the name."""
import ast
import inspect
import pathlib
import re

import pytest

import cisolve
import cisolve.sqd

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = [(cisolve, name) for name in cisolve.__all__] + [
    (cisolve.sqd, name) for name in cisolve.sqd.__all__ if getattr(cisolve.sqd, name).__module__ ==
    "cisolve.sqd"]
PYSCF = ["FCI", "SelectedCI", "SCI", "SpinorFCI"]


def public_members(kind):
    return {name: member for name, member in vars(kind).items()
            if not name.startswith("_") and (callable(member) or isinstance(member, property))}


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


def missing(function, doc):
    return [name for name in parameters(function) if not re.search(rf"\b{name}\b", doc or "")]


@pytest.mark.parametrize("module, name", NAMES, ids=lambda value: getattr(value, "__name__", value))
def test_public_names_are_documented(module, name):
    value = getattr(module, name)
    assert value.__doc__
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    assert f"::: {module.__name__}.{name}\n" in page
    if inspect.isfunction(value):
        assert missing(value, value.__doc__) == []
    if not inspect.isclass(value) or issubclass(value, Exception):
        return
    if value in (cisolve.Hamiltonian, cisolve.Matrix, cisolve.PositionIntegrals):  # made by users
        assert missing(value.__init__, value.__doc__) == []
    for member, what in public_members(value).items():
        assert inspect.getdoc(getattr(value, member)), member
        if inspect.isfunction(what):
            assert missing(what, what.__doc__) == [], member


@pytest.mark.parametrize("name", PYSCF)
def test_solvers_for_pyscf_are_documented(name):
    pytest.importorskip("pyscf")
    import cisolve.pyscf
    value = getattr(cisolve.pyscf, name)
    assert f"::: cisolve.pyscf.{name}\n" in (ROOT / "docs/reference/python.md").read_text(
        encoding="utf-8")
    kernel = value.__dict__.get("kernel") or value.kernel_fixed_space
    assert missing(kernel, kernel.__doc__) == []
    made = inspect.getsource(value.__init__)
    attributes = set(re.findall(r"self\.([a-z]\w*)", made)) - {"stdout", "verbose", "norb", "nelec"}
    assert [a for a in sorted(attributes) if not re.search(rf"\b{a}\b", value.__doc__)] == []


def test_stubs_have_the_docstrings_of_the_module():
    stubs = ast.parse((pathlib.Path(cisolve.__file__).parent / "_cisolve.pyi").read_text())
    found = {node.name: ast.get_docstring(node) for node in stubs.body
             if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for name in ("InputError", "ResourceError", "cuda_unavailable_reason"):
        assert found[name] in getattr(cisolve, name).__doc__


def test_the_page_of_an_index_has_no_links_between_files():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    page = ROOT / re.search(r'^readme = "(.*?)"', project, re.MULTILINE)[1]
    assert re.findall(r"\]\((?!https?://)", page.read_text(encoding="utf-8")) == []
