"""The pages of the documentation as data: sections, tables, links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pages() -> list[Path]:
    """Return every page that a reader may come to."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def without_code(text: str) -> str:
    """Return a page without what stands in fences."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Return the text below each heading of the second level."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str, heading: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of all tables whose first column has a heading.

    >>> list(rows("| sign | is |\\n| --- | --- |\\n| `a \\\\| b` | or |\\n", "sign"))
    [['`a | b`', 'or']]
    """
    inside = False
    for line in text.splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if not cells:
            inside = False
        elif cells[0] == heading:
            inside = True
        elif inside and not set(cells[0]) <= {"-", ":"}:
            yield cells


def anchors(text: str) -> set[str]:
    """Return the fragments that headings can be linked by, as GitHub makes them."""
    found: dict[str, int] = {}
    names = set()
    for title in re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        name = re.sub(r"[^\w -]", "", plain.lower()).strip().replace(" ", "-")
        count = found.setdefault(name, 0)
        found[name] += 1
        names.add(f"{name}-{count}" if count else name)
    return names


def links(text: str) -> list[str]:
    """Return where a page's links lead."""
    plain = re.sub(r"`[^`\n]*`", "", without_code(text))
    return re.findall(r"\]\(([^()\s]+(?:\([^()\s]*\))?)\)", plain)
