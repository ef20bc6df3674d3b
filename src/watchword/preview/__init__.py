"""What would a subscription have brought? A draft, tried on the items of the archive before it is saved.

answer     `Draft` and `Preview`, which people are shown
variants   the draft without one of its parts, each a subscription of its own
loosening  a part of the draft without where its words have to stand
counting   one pass over the items, the newest first, that matches draft, variants and other subscriptions
words      which words the items have, for one that none has
preview    `preview`, which puts the answer together
"""

from __future__ import annotations

from watchword.preview.answer import Draft, Hit, Like, Near, Preview
from watchword.preview.preview import preview
from watchword.preview.variants import asks_for_nothing

__all__ = ["Draft", "Hit", "Like", "Near", "Preview", "asks_for_nothing", "preview"]
