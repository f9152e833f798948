#!/usr/bin/env python3
"""The C++ reference: pages that Doxygen makes of the headers below include/cisolve (docs/Doxyfile).

    scripts/cpp_reference.py FOLDER

A public member without a comment is an error. As a hook of MkDocs (mkdocs.yml) it puts them beside
docs/reference/cpp.md, with links on that page, where Doxygen is found.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "reference/cpp.md"
LINKS = """
<p><a href="api/namespacecisolve.html">Functions</a> · <a href="api/annotated.html">Classes</a> ·
<a href="api/files.html">Headers</a></p>
"""
MISSING = "\nThis site was built without Doxygen: the comments of the headers have the reference.\n"


def make(folder):
    """Raises CalledProcessError where Doxygen warns; its output has been printed."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs/Doxyfile").read_text(encoding="utf-8")
    settings += f'OUTPUT_DIRECTORY = "{folder.resolve()}"\nHTML_OUTPUT = .\n'
    subprocess.run(["doxygen", "-"], input=settings.encode(), cwd=ROOT, check=True)


def on_page_markdown(markdown, page, config, files):
    if page.file.src_path != PAGE:
        return markdown
    return markdown + (LINKS if shutil.which("doxygen") else MISSING)


def on_post_build(config):
    from mkdocs.exceptions import PluginError

    if not shutil.which("doxygen"):
        return
    try:
        make(pathlib.Path(config["site_dir"], "reference/cpp/api"))
    except subprocess.CalledProcessError:
        raise PluginError("include/cisolve: the comments above are missing or wrong") from None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        make(pathlib.Path(sys.argv[1]))
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
