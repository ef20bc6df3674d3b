"""The site of the documentation, made by Sphinx from the pages of this folder and of the root: ``make docs``.

The pages stay as GitHub shows them. The sidebar is made of the tables of index.md: a section is a caption, the text of
a link the title of its page. The reference below ``reference/`` is made from docstrings. A page loads nothing from a
network.
"""

from __future__ import annotations

import re
from pathlib import Path

from pygments.lexers import BashLexer
from sphinx.application import Sphinx

import watchword

ROOT = Path(__file__).resolve().parent.parent

project = "Watchword"
author = copyright = "The Watchword authors"
version = release = watchword.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
include_patterns = ["*.md", "docs/*.md", "docs/reference/*.rst"]
root_doc = "docs/index"
myst_heading_anchors = 4
suppress_warnings = [
    "misc.highlighting_failure",  # the lexer of EBNF knows another dialect than that of ISO
    "ref.python",  # `bytes` in an annotation is the type, also where a class has an attribute of that name
]

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "exclude-members": "plug, language, methods, reads"}
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"Watchword {version}"
html_extra_path = ["site"]
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e4f", "color-brand-content": "#0b6e4f"},
    "dark_css_variables": {"color-brand-primary": "#5fd3a6", "color-brand-content": "#5fd3a6"},
}
pygments_style, pygments_dark_style = "friendly", "github-dark"


def contents(index: str) -> str:
    """Return the sidebar as directives: a list of pages for each section of the page of contents."""
    parts = re.split(r"^## (.*)\n", index, flags=re.MULTILINE)
    found = []
    for caption, section in [*zip(parts[1::2], parts[2::2], strict=True), ("Reference", REFERENCE)]:
        pages = "\n".join(
            f"{title} <{link}>" for title, link in re.findall(r"^\| \[([^]]+)\]\(([^)]+)\)", section, re.M)
        )
        found.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n")
    return "\n".join(found)


REFERENCE = "\n".join(
    f"| [{title}](reference/{page}.rst)"
    for title, page in [
        ("Indexes", "indexes"),
        ("Languages", "languages"),
        ("Errors", "errors"),
        ("Spark", "spark"),
        ("The running system", "system"),
    ]
)


def without_dead_links(page: str, text: str) -> str:
    """Return a page without links that a site cannot follow: to folders of the repository, and inside of headings."""

    def shown(found: re.Match[str]) -> str:
        target = (ROOT / page).parent / found[2]
        return found[1] if target.is_dir() else found[0]

    text = re.sub(r"\[([^]]*)\]\(([^)#:]+)\)", shown, text)
    return re.sub(r"^#+ .*", lambda line: re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line[0]), text, flags=re.MULTILINE)


def setup(app: Sphinx) -> None:
    """Change pages when Sphinx reads them: dead links go, and the page of contents gets the sidebar."""

    def change(app: Sphinx, page: str, source: list[str]) -> None:
        source[0] = without_dead_links(page, source[0])
        if page == root_doc:
            source[0] += "\n" + contents(source[0])

    app.connect("source-read", change)
    app.add_lexer("console", BashLexer)  # commands without a prompt; the usual lexer takes them for output
