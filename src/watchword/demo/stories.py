"""Stories of an island that does not exist, drawn by a seed: the same day and number are the same story.

>>> from datetime import date
>>> first = story(date(2026, 11, 1), 0)
>>> first.title
'Night boat to Saint Orlo on time again'
>>> first == story(date(2026, 11, 1), 0), first.feed
(True, 'Harbour news')

A story has a *scene* of one of five feeds: a title and sentences with blanks, such as ``{place}``, which words of
`WORDS` fill. A blank has one word throughout a story. `PER_DAY` stories a day over a month are some 2,400.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from watchword.items import Item

PER_DAY = 80
"""How many stories a day has."""
SITE = "https://island.example"
AUTHORS = ("Mara Lind", "Tomas Reed", "Ines Okoro", "Piet Vance", "Desk")

WORDS: dict[str, tuple[str, ...]] = {
    "place": ("Port Amel", "Saint Orlo", "Grey Bay", "Tarn Head", "Low Quay", "the old harbour"),
    "ship": ("night boat", "morning ferry", "car ferry", "mail boat", "fast ferry"),
    "state": ("delayed", "cancelled", "back in service", "rerouted", "on time again"),
    "cause": ("rough sea", "a storm", "fog", "a strike", "engine trouble", "an ice warning"),
    "count": ("twelve", "forty", "a hundred", "two hundred", "six"),
    "body": ("the council", "the port authority", "the island court", "the ministry", "the harbour board"),
    "plan": ("a debt relief plan", "a new harbour toll", "a wind farm", "a longer pier", "a fishing quota"),
    "person": ("the mayor", "the minister", "the harbour master", "the opposition leader", "a judge"),
    "verdict": ("approved", "rejected", "postponed", "sent back", "praised"),
    "power": ("wind power", "gas", "solar power", "tidal power", "heating oil"),
    "move": ("rose", "fell", "held steady", "doubled", "halved"),
    "team": ("Grey Bay Rovers", "Amel United", "Tarn Head", "the island eleven", "Saint Orlo Rowers"),
    "event": ("cup final", "regatta", "league match", "harbour race", "semi-final"),
    "score": ("two to one", "by a length", "on penalties", "after extra time", "three to nil"),
    "sky": ("gale warning", "calm spell", "storm", "cold front", "heat wave"),
    "when": ("tonight", "by Friday", "over the weekend", "before noon", "next week"),
}


class Scene(NamedTuple):
    """A kind of story: how its title and its sentences may read, and its categories."""

    titles: tuple[str, ...]
    sentences: tuple[str, ...]
    categories: tuple[str, ...]


FEEDS: dict[str, tuple[Scene, ...]] = {
    "Harbour news": (
        Scene(
            ("{ship} to {place} {state} by {cause}", "{ship} to {place} {state}"),
            (
                "The {ship} to {place} is {state} because of {cause}.",
                "Some {count} passengers waited at the quay.",
                "The crew expects to sail {when}.",
                "A night bus takes travellers along the coast road instead.",
                "The port office asks everybody to check the timetable before leaving home.",
            ),
            ("Sea", "Transport"),
        ),
        Scene(
            ("Dredging of {place} begins {when}", "Crane falls silent in {place} after {cause}"),
            (
                "Work at the pier stopped after {cause}.",
                "Fishing boats moor at {place} until it is over.",
                "{body} put the cost at {count} thousand crowns.",
                "No cargo was lost, said {person}.",
            ),
            ("Sea",),
        ),
    ),
    "Energy desk": (
        Scene(
            ("Price of {power} {move} {when}", "{power}: price {move} after {cause}"),
            (
                "The price of {power} {move}, and traders blame {cause}.",
                "The grid took {count} megawatts from the turbines off {place}.",
                "Households will see it on their bill {when}.",
                "{person} spoke of an energy crisis; the operator did not.",
                "A second cable to the mainland would help, {body} said.",
            ),
            ("Energy",),
        ),
    ),
    "Island politics": (
        Scene(
            ("{body} {verdict} {plan}", "{person} defends {plan}"),
            (
                "{body} {verdict} {plan} by a narrow vote.",
                "{person} called it a bailout in all but name.",
                "The debt of {place} has grown since the crisis.",
                "Critics want an election {when}.",
                "The budget for the ferry is part of the deal.",
            ),
            ("National", "Politics"),
        ),
        Scene(
            ("{person} questioned over {plan}", "Election: {person} leads in {place}"),
            (
                "Pollsters asked {count} voters at {place}.",
                "{person} denies any promise to the harbour board.",
                "The count begins {when}.",
                "Debt and relief were the words most often heard.",
            ),
            ("Elections", "Politics"),
        ),
    ),
    "Sports page": (
        Scene(
            ("{team} win the {event} {score}", "{event} at {place} put off by {cause}"),
            (
                "{team} took the {event} {score}.",
                "A crowd of {count} sang in the rain.",
                "The return match is {when} at {place}.",
                "The coach thanked the crowd for waiting.",
                "Their rowing eight trains in the harbour before dawn.",
            ),
            ("Sport",),
        ),
    ),
    "Weather office": (
        Scene(
            ("{sky} for {place} {when}", "{sky} over the strait"),
            (
                "Expect a {sky} {when}, strongest at {place}.",
                "Small boats should stay in harbour.",
                "Waves of up to {count} feet are possible off the cape.",
                "The next report comes in the morning.",
                "Rain clears from the west.",
            ),
            ("Weather",),
        ),
    ),
}
"""The scenes of each feed."""

_BLANK = re.compile(r"\{(\w+)\}")


def story(day: date, number: int) -> Item:
    """Return a story of a day; `number` counts from 0."""
    draw = random.Random(f"{day} {number}")
    feed = list(FEEDS)[number % len(FEEDS)]
    scene = draw.choice(FEEDS[feed])
    words = {name: draw.choice(choice) for name, choice in WORDS.items()}
    sentences = draw.sample(scene.sentences, draw.randint(2, len(scene.sentences)))
    seconds = min(number, PER_DAY) * 86_400 // (PER_DAY + 1) + draw.randrange(600)
    slug = feed.lower().replace(" ", "-")
    return Item(
        f"tag:island.example,{day}:{number}",
        title=_fill(draw.choice(scene.titles), words),
        text=" ".join(_fill(sentence, words) for sentence in sentences),
        link=f"{SITE}/{slug}/{day}-{number}",
        author=draw.choice(AUTHORS),
        published=datetime.combine(day, time(), UTC) + timedelta(seconds=seconds),
        language="en",
        feed=feed,
        feed_url=f"{SITE}/{slug}.xml",
        categories=scene.categories,
    )


def month(until: datetime, days: int = 30) -> Iterator[Item]:
    """Yield the stories of the days before a time, and of its day up to that time, in the order of publishing."""
    for back in range(days, -1, -1):
        day = until.astimezone(UTC).date() - timedelta(days=back)
        for number in range(PER_DAY):
            item = story(day, number)
            if item.published is not None and item.published <= until:
                yield item


def _fill(text: str, words: dict[str, str]) -> str:
    """Return a text with its blanks filled, its first letter a capital."""
    filled = _BLANK.sub(lambda blank: words[blank[1]], text)
    return filled[0].upper() + filled[1:]
