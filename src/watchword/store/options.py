"""The options of each language's index: chosen before anybody subscribes in the language, and kept from then on.

They decide which texts are subscriptions and what these ask for (stop words, whether case counts). So the store
checks with them what it is asked to keep, and whoever builds an index of its subscriptions builds it with them: an
index made otherwise might refuse what the store took, or match something else than the last one. An index keeps its
options through all its versions, which is why a later change is refused.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from watchword.errors import OptionError
from watchword.languages import language_class

Options = dict[str, Any]


def written_options(language: str, options: Options) -> str:
    """Return options as the store keeps them, in JSON; an `OptionError` where the language does not take them."""
    try:
        written = json.dumps(options, sort_keys=True)
        language_class(language).check_options(**json.loads(written))  # as they will be read
    except TypeError as error:
        raise OptionError(f"these cannot be kept as options of {language}: {error}") from None
    return written


def read_options(connection: sqlite3.Connection) -> dict[str, Options]:
    """Return the options of the languages for which some were chosen."""
    rows = connection.execute("SELECT language, options FROM options ORDER BY language")
    return {language: json.loads(written) for language, written in rows}


def write_options(connection: sqlite3.Connection, language: str, written: str) -> bool:
    """Choose options in place of those before; return False, and change nothing, where others are in use."""
    before = read_options(connection).get(language, {})
    if before == json.loads(written):
        return True
    if connection.execute("SELECT 1 FROM changes WHERE language = ? LIMIT 1", (language,)).fetchone() is not None:
        return False
    connection.execute("INSERT OR REPLACE INTO options (language, options) VALUES (?, ?)", (language, written))
    return True
