"""Build the documentation as HTML: the pages of this folder and of the root, and the reference made from docstrings.

    python docs/build.py build/docs        # or: make docs

Every page becomes a file beside ``index.html``; the reference is below ``api/``. A link to a page leads to its HTML, a
link to another file of the repository to that file; a link that leads nowhere is an error.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import pdoc.doc
import pdoc.render
from markdown_it import MarkdownIt
from markdown_it.token import Token

import watchword

ROOT = Path(__file__).resolve().parent.parent
API = "api"
MODULES = (
    "watchword",
    "watchword.errors",
    "watchword.index.report",
    "watchword.patterns",
    "watchword.patterns.stream",
    "watchword.paths",
    "watchword.predicates",
    "watchword.feeds",
    "watchword.store",
    "watchword.following",
    "watchword.spark",
    "watchword.papers.models.estimate",
)
"""What users import; the rest is for who works on the package, and read in the source."""

_STYLE = """
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #222; }
nav { margin-bottom: 2rem; border-bottom: 1px solid #ccc; padding-bottom: .5rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #ccc; padding: .25rem .6rem; text-align: left; vertical-align: top; }
pre, code { font-family: ui-monospace, monospace; font-size: .9em; background: #f5f5f5; }
pre { padding: .8rem; overflow-x: auto; }
"""


class BrokenLink(Exception):
    """A page links to what is not there."""


def build(output: Path) -> None:
    """Write everything below a folder, in place of what an earlier build left there."""
    if (output / "index.html").is_file():
        shutil.rmtree(output)
    output.mkdir(parents=True, exist_ok=True)
    pages = {page: _name(page) for page in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))}
    for page, name in pages.items():
        (output / name).write_text(page_html(page, pages, output), encoding="utf-8")
    write_reference(output / API)


def _name(page: Path) -> str:
    return page.with_suffix(".html").name


def page_html(page: Path, pages: dict[Path, str], output: Path) -> str:
    """Return a page as HTML."""
    reader = MarkdownIt("commonmark").enable("table")
    text = page.read_text(encoding="utf-8")
    tokens = reader.parse(text)
    slugs: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _slug(tokens[place + 1], slugs))
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("href", _target(page, str(inner.attrGet("href")), pages, output))
    title = next((tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"), page.stem)
    body = reader.renderer.render(tokens, reader.options, {})
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
        f'<nav><a href="index.html">Contents</a> · <a href="README.html">Watchword</a> · '
        f'<a href="{API}/watchword.html">Reference</a></nav>\n{body}</html>\n'
    )


def _slug(heading: Token, known: dict[str, int]) -> str:
    """Return the name by which a heading is linked, as GitHub makes it: a second one of a name has -1 behind it."""
    words = "".join(part.content for part in heading.children or () if part.type in ("text", "code_inline"))
    name = re.sub(r"[^\w -]", "", words.lower()).strip().replace(" ", "-")
    count = known.get(name, 0)
    known[name] = count + 1
    return f"{name}-{count}" if count else name


def _target(page: Path, link: str, pages: dict[Path, str], output: Path) -> str:
    """Return where a link of a page leads in the output."""
    if re.match(r"[a-z]+:|#", link):
        return link
    path, sign, fragment = link.partition("#")
    target = (page.parent / path).resolve()
    if target in pages:
        return pages[target] + sign + fragment
    if not target.exists() or not target.is_relative_to(ROOT):
        raise BrokenLink(f"{page.relative_to(ROOT)}: {link} leads nowhere")
    return os.path.relpath(target, output.resolve()) + sign + fragment


def write_reference(folder: Path) -> None:
    """Write the reference of the public modules."""
    pdoc.render.configure(docformat="markdown", search=True, show_source=False, footer_text="Watchword")
    modules = {name: pdoc.doc.Module(_loaded(name)) for name in MODULES}
    _arrange(modules)
    for name, module in modules.items():
        file = folder / (name.replace(".", "/") + ".html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_inherited(pdoc.render.html_module(module, modules)), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")


def _loaded(name: str) -> Any:
    """Return a module in which every public name is there, also those that it looks up when they are first used."""
    module = import_module(name)
    for public in getattr(module, "__all__", ()):
        vars(module)[public] = getattr(module, public)
    return module


def _inherited(page: str) -> str:
    """Let links to what an index inherits lead to where it is described, which is with `Index`."""
    shown = set(re.findall(r'id="([\w.]+)"', page))

    def href(found: re.Match[str]) -> str:
        return found[0] if found[1] in shown or f"Index.{found[2]}" not in shown else f'href="#Index.{found[2]}"'

    return re.sub(r'href="#(\w+Index\.(\w+))"', href, page)


def _arrange(modules: dict[str, pdoc.doc.Module]) -> None:
    """Show an index once, as an `Index`, and without what is there for those who write a language."""
    top, stream = modules[MODULES[0]], modules["watchword.patterns.stream"]
    stream.__dict__["members"] = {"StreamMatcher": stream.members["StreamMatcher"]}
    for module in modules.values():
        for name, member in list(module.members.items()):
            if module is not top and name in top.members and module.modulename != "watchword.errors":
                del module.members[name]
            elif isinstance(member, pdoc.doc.Class) and issubclass(member.obj, watchword.Index):
                _arrange_index(member)
            elif isinstance(member, pdoc.doc.Class) and issubclass(member.obj, tuple):
                _arrange_tuple(member)


def _arrange_index(shown: pdoc.doc.Class) -> None:
    for inside in ("plug", "methods", "language"):
        shown.members.pop(inside, None)
    if shown.obj is not watchword.Index:
        shown.__dict__["bases"] = [(watchword.Index.__module__, "Index", "Index")]


def _arrange_tuple(shown: pdoc.doc.Class) -> None:
    """Leave out what Python says of every named tuple, and name the types of its fields."""
    types = get_type_hints(shown.obj)
    for name in ("__init__", *shown.obj._fields):
        shown.members[name].__dict__["docstring"] = ""
    made = inspect.signature(shown.obj)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    fields = [field.replace(annotation=types[name]) for name, field in made.parameters.items()]
    shown.members["__init__"].__dict__["signature"] = made.replace(
        parameters=[itself, *fields], return_annotation=inspect.Signature.empty
    )


def main(arguments: Sequence[str], say: Callable[[str], object] = print) -> None:
    """Build into the folder that is named, or into build/docs."""
    output = Path(arguments[0]) if arguments else ROOT / "build" / "docs"
    build(output)
    say(f"{output / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
