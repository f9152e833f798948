"""Links of the site (mkdocs.yml, hooks). A page may point at a file of the sources that is no page:
on a Git host the link works, on the site it becomes the file's name. The build fails if the target
does not exist, or its page has no such anchor."""
import pathlib
import re

from mkdocs.exceptions import PluginError

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def slug(title):
    """The anchor of a heading, as Python-Markdown and Git hosts make it."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def anchors(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {slug(title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def on_page_markdown(markdown, page, config, files):
    docs = pathlib.Path(config["docs_dir"]).resolve()
    here = (docs / page.file.src_path).parent

    def link(match):
        text, target = match.groups()
        if re.match(r"\w+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        file = (here / path).resolve() if path else docs / page.file.src_path
        if not file.exists():
            raise PluginError(f"{page.file.src_path}: {target} is not there")
        if anchor and file.suffix == ".md" and anchor not in anchors(file):
            raise PluginError(f"{page.file.src_path}: {target}: no such heading")
        if docs in file.parents and file.is_file():
            return match[0]
        name = file.relative_to(docs.parent)
        return text if str(name) in text else f"{text} (`{name}`)"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
