"""The options of each language's index: chosen before the first subscription in the language, and kept from then on.

They decide which texts are subscriptions and what these ask for (stop words, whether case counts). So the store
checks new subscriptions with them, and every index of its subscriptions is built with them: an index with other options
might refuse a text that the store took, or match other events than the index before. That is why a later change is
refused. `watchword.items.OPTIONS` has the options of a language for which none were chosen.

Topics are the exception: they are the option `hierarchies` of predicates, for the attribute `categories` of items, and
may be replaced at any time. Existing subscriptions then ask in the new tree. An index keeps the tree that it was built
with, so a new version of it is built (`watchword.following`), and a batch is repeated with the version that it had.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from watchword import items
from watchword.errors import OptionError
from watchword.languages import language_class
from watchword.store.engine import Session

Options = dict[str, Any]
TOPICS = "predicates"
"""The language that asks for topics."""


def format_options(language: str, options: Options) -> str:
    """Return options as the store keeps them, in JSON; an `OptionError` if the language does not take them."""
    try:
        text = json.dumps(options, sort_keys=True)
        language_class(language).check_options(**json.loads(text))  # as they will be read
    except TypeError as error:
        raise OptionError(f"these cannot be kept as options of {language}: {error}") from None
    return text


def read_options(session: Session) -> dict[str, Options]:
    """Return the options to make indexes with, by language; a language without any is left out."""
    return _with_defaults(read_chosen(session))


def read_chosen(session: Session) -> dict[str, Options]:
    """Return the chosen options by language."""
    rows = session.rows("SELECT language, options FROM options ORDER BY language")
    return {language: json.loads(text) for language, text in rows}


def digest_options(session: Session) -> str:
    """Return a digest of the chosen options of all languages."""
    digest = hashlib.sha256()
    for row in session.rows("SELECT language, options FROM options ORDER BY language"):
        digest.update(json.dumps(row).encode())
    return digest.hexdigest()


def _with_defaults(chosen: Mapping[str, Options]) -> dict[str, Options]:
    languages = dict.fromkeys((*items.OPTIONS, *chosen))
    return {language: {**items.OPTIONS.get(language, {}), **chosen.get(language, {})} for language in languages}


def write_options(session: Session, language: str, text: str) -> bool:
    """Choose options in place of those before; return False, and change nothing, if others are in use.

    Topics stay as they are, unless hierarchies are among the options.
    """
    before = read_chosen(session).get(language, {})
    if "hierarchies" in before and "hierarchies" not in json.loads(text):
        text = json.dumps(json.loads(text) | {"hierarchies": before["hierarchies"]}, sort_keys=True)
    if before == json.loads(text):
        return True
    if session.row("SELECT 1 FROM changes WHERE language = ? LIMIT 1", (language,)) is not None:
        return False
    replace_options(session, language, text)
    return True


def with_topics(chosen: Options, attribute: str, parents: Mapping[str, list[str]]) -> Options:
    """Return options with other topics for an attribute; without topics it has no hierarchy.

    >>> with_topics({"text": ["title"]}, "categories", {"national": ["politics"]})
    {'text': ['title'], 'hierarchies': {'categories': {'national': ['politics']}}}
    """
    trees = {name: tree for name, tree in chosen.get("hierarchies", {}).items() if name != attribute}
    return chosen | {"hierarchies": trees | ({attribute: dict(parents)} if parents else {})}


def replace_options(session: Session, language: str, text: str) -> None:
    """Write the options of a language in place of those before."""
    session.run(
        """INSERT INTO options (language, options) VALUES (?, ?)
        ON CONFLICT (language) DO UPDATE SET options = excluded.options""",
        (language, text),
    )
