#!/usr/bin/env python3
"""Pages of docs/notebooks as notebooks for Jupyter: python blocks become cells, text between them
Markdown; ```text blocks, what cells print, are left out.

    scripts/notebooks.py PAGE.md NAME.ipynb

As a hook of MkDocs (mkdocs.yml) it puts them beside the site's pages, with a link on each.
"""
import json
import pathlib
import re
import sys

FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def cell(kind, text):
    made = {"cell_type": kind, "metadata": {}, "source": text.strip().splitlines(keepends=True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook(page):
    """The notebook of a page's text, as JSON."""
    cells, end = [], 0
    for block in FENCE.finditer(page):
        cells.append(cell("markdown", page[end:block.start()]))
        if block[1] == "python":
            cells.append(cell("code", block[2]))
        end = block.end()
    cells.append(cell("markdown", page[end:]))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps({"cells": [c for c in cells if c["source"]], "nbformat": 4,
                       "nbformat_minor": 4, "metadata": {"kernelspec": kernel}}, indent=1)


def is_notebook(path):
    return pathlib.PurePath(path).parent.name == "notebooks"


def on_page_markdown(markdown, page, config, files):
    if not is_notebook(page.file.src_path):
        return markdown
    name = pathlib.PurePath(page.file.src_path).with_suffix(".ipynb").name
    made = pathlib.Path(config["site_dir"], "notebooks", name)
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(notebook(markdown), encoding="utf-8")
    return markdown + f'\n<p><a href="../{name}" download>This page as a notebook</a></p>\n'


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(notebook(pathlib.Path(sys.argv[1]).read_text()))
