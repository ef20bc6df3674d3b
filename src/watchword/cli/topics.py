"""Topics of the running system: ``topics import`` replaces them by those of a file, ``topics list`` shows them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated

import typer

from watchword.cli.reporting import fail, note, reports_errors, say
from watchword.cli.system import DEFAULT_HOME, HomeOption
from watchword.errors import OptionError
from watchword.visible import counted, visible

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help="Say which category lies below which.")
AttributeOption = Annotated[str, typer.Option(metavar="NAME", help="The attribute whose values are topics.")]
CATEGORIES = "categories"
MAX_TOPICS = 100_000


@app.command("import")
@reports_errors
def import_topics(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet with the columns child and parent.")
    ],
    attribute: AttributeOption = CATEGORIES,
    max_topics: Annotated[int, typer.Option(min=1, help="The most rows that the file may have.")] = MAX_TOPICS,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Replace the topics by those of a file, a row for each topic and parent.

    A topic may have several parents, a row each; a row without a parent makes a topic known that lies below none. A
    subscription to [bold]categories KIND OF 'politics'[/bold] hears of all that lies below it, also if it was made
    before: from the next batch on, with a new version of the index.

    [bold]Example[/bold]

      printf 'child,parent\\nnational,politics\\nlocal,politics\\n' > topics.csv

      watchword topics import topics.csv

      watchword subscribe ada "categories KIND OF 'politics'" --language predicates
    """
    from watchword.home import Home
    from watchword.tables import read_topics

    parents = read_topics(file, most=max_topics)
    with Home(home).store() as store:
        before = store.topics(attribute)
        try:
            store.set_topics(parents, attribute=attribute)
        except OptionError as error:
            fail(f"{file}: {error}")
    note(f"{counted(len(_nodes(parents)), 'topic')} of {attribute}: {_changes(before, parents)}")


@app.command("list")
@reports_errors
def list_topics(
    topic: Annotated[str | None, typer.Argument(metavar="TOPIC", help="Only this one and those below it.")] = None,
    attribute: AttributeOption = CATEGORIES,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List the topics, and below which others each lies.

    [bold]Example[/bold]

      watchword topics list politics
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        parents = store.topics(attribute)
    known = _nodes(parents)
    if topic is not None and topic not in known:
        near = ", ".join(get_close_matches(topic, known, 3))
        fail(f"there is no topic {topic!r}{f'; similar: {near}' if near else ''}")
    shown = known if topic is None else _below(topic, parents)
    if not shown:
        say("no topics: watchword topics import FILE")
        return
    print_table(("topic", "below"), [(visible(one), visible(", ".join(parents.get(one, ())))) for one in shown])


def _nodes(parents: Mapping[str, list[str]]) -> list[str]:
    """Return all topics, children and parents, each once."""
    return list(dict.fromkeys(node for child, above in parents.items() for node in (*above, child)))


def _below(topic: str, parents: Mapping[str, list[str]]) -> list[str]:
    """Return a topic and all that lie below it, those nearest to it first."""
    children: dict[str, list[str]] = {}
    for child, above in parents.items():
        for parent in above:
            children.setdefault(parent, []).append(child)
    found = {topic: None}
    waiting = [topic]
    for one in waiting:
        new = [child for child in children.get(one, ()) if child not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)


def _changes(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> str:
    """Return in words what differs: ``2 new, 1 moved, 0 gone``."""
    old, new = set(_nodes(before)), set(_nodes(after))
    moved = sum(sorted(before.get(node, ())) != sorted(after.get(node, ())) for node in old & new)
    return f"{len(new - old):,} new, {moved:,} moved, {len(old - new):,} gone"
