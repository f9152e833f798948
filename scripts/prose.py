#!/usr/bin/env python3
"""Length and first words of the documentation's sentences.

    scripts/prose.py [PAGE.md...]      default: the pages of PAGES

Prints for each page the number of sentences and the words a sentence, mean and longest. The exit
status is 1 if a page's mean or longest is above its bound in BOUNDS. So it is if a sentence begins
with one of VAGUE, which hide the noun; such sentences are printed with file and line. Code, tables,
headings, comments and pictures do not count; a link is its text, inline code one word. A list item
ends a sentence.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/*.md", "docs/tutorials/*.md", "docs/notebooks/*.md",
         "docs/reference/*.md", "docs/adr/*.md"]
BOUNDS = {"adr": (20, 40)}  # by folder: mean and longest, words a sentence
OTHERS = 18, 35
VAGUE = re.compile(r"(The same|What|Of|Where)\b(?!.*\?$)")
ABBREVIATION = re.compile(r"(\b[A-Z]|\b(Phys|Chem|Comput|Commun|al|e\.g|i\.e|vs))\.$")
FENCE = re.compile(r"\s*```")
INDENTED = re.compile(r"    +\S")
ITEM = re.compile(r"^\s*([-*]|\d+\.) ")
SKIPPED = re.compile(r"\s*(\||#|<!--|!\[|:::|---+$)")  # tables, headings, comments, pictures, API, rules


def paragraphs(text):
    """Lists of (line number, line): paragraphs and list items."""
    paragraph, fenced, code = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        code = not paragraph and bool(INDENTED.match(line)) and not ITEM.match(line)
        skipped = fenced or code or not line.strip() or SKIPPED.match(line) or FENCE.match(line)
        if paragraph and (skipped or ITEM.match(line)):
            yield paragraph
            paragraph = []
        if not skipped:
            paragraph.append((number, ITEM.sub("", line)))
    if paragraph:
        yield paragraph


def plain(line):
    line = re.sub(r"`[^`]*`", "Code", line)
    line = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"<[^>]*>|\*\*", "", line)


def sentences(text):
    """(line number, words) of every sentence."""
    for paragraph in paragraphs(text):
        begin, words = None, []
        for number, line in paragraph:
            for word in plain(line).split():
                begin = begin or number
                words.append(word)
                if re.search(r"[.!?…][)\]\"*]*$", word) and not ABBREVIATION.search(word):
                    yield begin, words
                    begin, words = None, []
        if words:
            yield begin, words


def count(words):
    """Words that have a letter or a digit: dashes, arrows and operators have none."""
    return sum(any(c.isalnum() for c in word) for word in words)


def check(path):
    """Prints the figures of a page; its failures."""
    name = str(path.relative_to(ROOT))
    most, longest = BOUNDS.get(path.parent.name, OTHERS)
    found = [(line, words) for line, words in sentences(path.read_text(encoding="utf-8"))
             if count(words) > 0]
    lengths = [count(words) for _, words in found]
    mean = sum(lengths) / max(1, len(lengths))
    print(f"{name:34} {len(found):5} {mean:5.1f} {max(lengths, default=0):5}")
    failures = [f"{name}: {mean:.1f} words a sentence, at most {most}"] if mean > most else []
    for line, words in found:
        sentence = " ".join(words)
        if count(words) > longest:
            failures.append(f"{name}:{line}: {count(words)} words, at most {longest}: {sentence}")
        if VAGUE.match(sentence):
            failures.append(f"{name}:{line}: begins with '{VAGUE.match(sentence)[1]}': {sentence}")
    return failures


def main():
    pages = [pathlib.Path(page).resolve() for page in sys.argv[1:]] or [
        path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    print(f"{'page':34} {'sent.':>5} {'mean':>5} {'max':>5}")
    failures = [failure for page in pages for failure in check(page)]
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
