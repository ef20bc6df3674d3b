"""The options of each language's index: chosen before the first subscription in the language, and kept from then on.

They decide which texts are subscriptions and what these ask for (stop words, whether case counts). So the store
checks new subscriptions with them, and every index of its subscriptions is built with them: an index with other options
might refuse a text that the store took, or match other events than the index before. An index keeps its options
through all its versions, which is why a later change is refused.
"""

from __future__ import annotations

import json
from typing import Any

from watchword.errors import OptionError
from watchword.languages import language_class
from watchword.store.engine import Session, read_value

Options = dict[str, Any]


def format_options(language: str, options: Options) -> str:
    """Return options as the store keeps them, in JSON; an `OptionError` if the language does not take them."""
    try:
        text = json.dumps(options, sort_keys=True)
        language_class(language).check_options(**json.loads(text))  # as they will be read
    except TypeError as error:
        raise OptionError(f"these cannot be kept as options of {language}: {error}") from None
    return text


def read_options(session: Session) -> dict[str, Options]:
    """Return the chosen options by language."""
    rows = session.rows("SELECT language, options FROM options ORDER BY language")
    return {language: read_value(json.loads, text) for language, text in rows}


def write_options(session: Session, language: str, text: str) -> bool:
    """Choose options in place of those before; return False, and change nothing, if others are in use."""
    before = read_options(session).get(language, {})
    if before == json.loads(text):
        return True
    if session.row("SELECT 1 FROM changes WHERE language = ? LIMIT 1", (language,)) is not None:
        return False
    session.run(
        """INSERT INTO options (language, options) VALUES (?, ?)
        ON CONFLICT (language) DO UPDATE SET options = excluded.options""",
        (language, text),
    )
    return True
