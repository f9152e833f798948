#!/usr/bin/env python3
"""Pages of several runs in a browser without a window: does anything not fit, overlap or fade?

    tests/page/layout.py CISOLVE [PAGE.html...]

Makes the pages of RUNS with the program (or takes those given) and lays each out 360, 800 and 1280
pixels wide and as printed on A4, in light and dark colours. layout.js looks for elements that stick
out, scroll the whole page, break in the middle of a word, cover each other, or are too small or too
pale. It must find the fault in pages that have one (FAULTS). Exit status 1 if something was found
or overlooked, 77 without Chromium.
"""
import concurrent.futures
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
MOST = 3  # problems shown of a page
WIDTHS = {"360": 360, "800": 800, "1280": 1280, "print": 718}  # A4 less Chromium's margins
RUNS = {
    "states": f"eigen {DATA}/n2_sto3g.fcidump --states 6 --verify quick",
    "spins": f"eigen {DATA}/n2_sto3g.fcidump --multiplicity 1,3,5 --states 3 --verify quick",
    "irreps": f"eigen {DATA}/n2_sto3g.fcidump --point-group D2h --verify quick"
              " --irrep Ag,B3u,B2u,B1g,B1u,B2g,B3g,Au",
    "many": f"eigen {DATA}/nh3_sto3g.fcidump --states 30 --verify quick",
    "ring": "eigen generate:hubbard,sites=6,U=4 --states 8 --leading 12",
    "near": "eigen near.mtx --states 12 --set input.units=ev",
    "linear": "linear near.mtx --shift -1",
    "select": f"select {DATA}/nh3_sto3g.fcidump --states 2",
    "bench": "bench near.mtx --repeats 1 --block 1"
             " --format serial,csr,csr_symmetric,cusparse_csr_alg1,cusparse_sell,packed",
}
# Markup put before </body> of a page, and the problem that has to be reported.
FAULTS = {
    "a table that is too wide": (
        "<table><tr>" + "<td>-107.6541224478</td>" * 12 + "</tr></table>", "the page is "),
    "a word broken in the middle": (
        '<table style="width:4rem;table-layout:fixed;overflow-wrap:anywhere"><tr>'
        "<td>22ab022022ab022022</td></tr></table>", "broken across lines"),
    "a label on another": (
        '<svg viewBox="0 0 90 30" style="width:90px"><text x="5" y="20">1: 8.087</text>'
        '<text x="9" y="22">2: 8.088</text></svg>', " covers "),
    "a pale level": (
        '<svg viewBox="0 0 90 30" style="width:90px;background:#888"><line class="level" x1="5" '
        'y1="9" x2="60" y2="9" style="stroke:#777"/></svg>', 'of <line class="level"'),
    "pale letters": ('<p style="color:#777;background:#888">all is well</p>', "contrast "),
}


def near_levels():
    """A diagonal matrix, some of whose elements are 0.0007 apart."""
    values = [0, 1, 1.0007, 1.0014, 2, 2.0007, 2.05, 2.0507, 3, 3.0007, 3.0014, 3.1] + [9 + i / 8 for i in range(8)]
    lines = [f"{i + 1} {i + 1} {value}" for i, value in enumerate(values)]
    head = f"%%MatrixMarket matrix coordinate real symmetric\n{len(values)} {len(values)} "
    return head + f"{len(values)}\n" + "\n".join(lines) + "\n"


def pages_of_runs(program, folder):
    (folder / "near.mtx").write_text(near_levels())
    running = {}
    for name, line in RUNS.items():
        words = [program, *line.split(), "--backend", "cpu", "--html", f"{name}.html"]
        running[name] = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE, text=True,
                                         env=os.environ | {"OMP_NUM_THREADS": "1"})
    for name, process in running.items():
        errors = process.communicate()[1]
        if process.returncode != 0:
            sys.exit(f"{RUNS[name]}: status {process.returncode}: {errors}")
    return {name: (folder / f"{name}.html").read_text() for name in RUNS}


def frame(title, page, width):
    """The page `width` wide; as it is printed, if that is "print"."""
    if width == "print":
        page = page.replace("@media print", "@media all")
    return (f'<iframe title="{html.escape(title)}" style="border:0" width="{WIDTHS[width]}" '
            f'height="900" data-scrolls="{"yes" if width in ("360", "800") else "no"}" '
            f'srcdoc="{html.escape(page)}"></iframe>')


def laid_out(chromium, folder, dark, frames):
    """Problems by the frames' titles."""
    document = folder / ("dark.html" if dark else "light.html")
    script = (HERE / "layout.js").read_text()
    document.write_text("<!DOCTYPE html><meta charset=utf-8><script>" + script + "</script><body>" +
                        "".join(frames))
    profile = folder / f"profile-{dark}"
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               f"--user-data-dir={profile}", f"--blink-settings=preferredColorScheme={1 - dark}",
               "--dump-dom", document.as_uri()]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120,
                          env=os.environ | {"HOME": str(profile)})
    body = made.stdout[made.stdout.find("<body>") + 6:made.stdout.rfind("</body>")]
    return json.loads(html.unescape(body))


def main():
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        print("no Chromium")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pages = {path: pathlib.Path(path).read_text() for path in sys.argv[2:]}
        pages = pages or pages_of_runs(str(pathlib.Path(sys.argv[1]).resolve()), folder)
        frames = [frame(f"{page}, {width}", text, width)
                  for page, text in pages.items() for width in WIDTHS]
        sound = next(iter(pages.values()))
        frames += [frame(fault, sound.replace("</body>", markup + "</body>"), "360")
                   for fault, (markup, _) in FAULTS.items()]
        failed = False
        with concurrent.futures.ThreadPoolExecutor() as both:
            themes = both.map(lambda dark: laid_out(chromium, folder, dark, frames), (False, True))
        for dark, found in enumerate(themes):
            for fault, (_, words) in FAULTS.items():
                if not any(words in one for one in found.pop(fault)):
                    failed = True
                    print(f"overlooked: {fault}")
            for where, problems in found.items():
                failed = failed or bool(problems)
                where += ", dark" if dark else ", light"
                for problem in problems[:MOST]:
                    print(f"{where}: {problem}")
                if len(problems) > MOST:
                    print(f"{where}: and {len(problems) - MOST} more")
    return int(failed)


sys.exit(main())
