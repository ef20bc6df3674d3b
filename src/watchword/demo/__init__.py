"""A made-up island and its news, to try Watchword without a network, an account or Java: `stories`.

`watchword demo` fills the archive of a home with a month of them, and publishes one more every few seconds (`filling`).
"""

from watchword.demo.stories import AUTHORS, FEEDS, month, story

__all__ = ["AUTHORS", "FEEDS", "month", "story"]
