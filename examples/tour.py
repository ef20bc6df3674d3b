"""A first look: standing subscriptions, a stream of items, who is told about what, and why.

Run it with `make tour`, or `python examples/tour.py`. Everything it calls is the public API.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from watchword import KeywordIndex

HERE = Path(__file__).parent


def main() -> None:
    """Match every example item against the example subscriptions."""
    console = Console()

    # An index is a mapping from id to subscription ...
    with (HERE / "subscriptions.csv").open(encoding="utf-8", newline="") as file:
        index = KeywordIndex({row["id"]: row["subscription"] for row in csv.DictReader(file)})
    items = [json.loads(line) for line in (HERE / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [f"{item['title']}. {item['text']}" for item in items]

    # ... that can be asked backwards: which subscriptions does this text satisfy, and why?
    table = Table(title=f"{len(items)} items against {len(index)} subscriptions")
    for column in ("item", "told", "because"):
        table.add_column(column)
    for item, text in zip(items, texts, strict=True):
        told = index.match(text)
        for name in told:
            table.add_row(item["title"] if name == told[0] else "", name, str(index.explain(text, name)))
        if not told:
            table.add_row(item["title"], "nobody", "")
        table.add_section()
    console.print(table)

    # A whole batch at once, as an Arrow table of pairs.
    pairs = index.match_many(texts)
    console.print(f"match_many finds all {pairs.num_rows} pairs in one call.\n")

    # Subscriptions come and go while items pass.
    index["new-reader"] = "orchestra AND encore"
    del index["quiet-days"]
    console.print(f"After a change, “{items[9]['title']}” is for {' and '.join(index.match(texts[9]))}.\n")

    console.print("[bold]Why it matched[/bold]", f"(clean-energy: {items[1]['title']})")
    console.print(str(index.explain(texts[1], "clean-energy")), markup=False, end="\n\n")
    console.print("[bold]A near miss[/bold]", f"(rescues: {items[3]['title']})")
    console.print(str(index.explain(texts[3], "rescues")), markup=False)


if __name__ == "__main__":
    main()
