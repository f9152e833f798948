"""The documentation's notebooks, run by Jupyter's client."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.needs("nbclient")
def test_bond(compare, tmp_path, monkeypatch):
    """Notebook `bond`: what its cells print is what the page has"""
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    page = ROOT / "docs/notebooks/bond.md"
    made = tmp_path / "bond.ipynb"
    subprocess.run([sys.executable, ROOT / "scripts/notebooks.py", page, made], check=True)
    notebook = nbformat.read(made, 4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    printed = "".join(output.get("text", "") for cell in notebook.cells
                      for output in cell.get("outputs", []))
    said = "".join(re.findall(r"^```text\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL))
    numbers = [[float(x) for x in re.findall(r"-?\d+\.\d+", text)] for text in (printed, said)]
    compare.same("numbers", *numbers, 1e-3)
