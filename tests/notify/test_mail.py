"""Mail to a real server of SMTP on the loopback interface."""

from __future__ import annotations

import email
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from tests.notify.receivers import Clock, make_home, send_all
from watchword.notify.letters import ITEMS
from watchword.notify.links import KEY, UNSUBSCRIBE, VERIFY, channel_of, is_valid, make_token
from watchword.notify.settings import Outside, is_mail_address
from watchword.notify.trying import send_now
from watchword.store import Channel, Item, Match, Store

FROM = "alerts@desk.example"


@dataclass
class Mailbox:
    """What came, and what the server says to recipients and to letters."""

    letters: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)
    to_recipient: str = "250 OK"
    to_letter: str = "250 OK"
    outside: Outside = field(default_factory=Outside)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if self.to_recipient == "closes":
            server.transport.close()
        if self.to_recipient.startswith("2"):
            envelope.rcpt_tos.append(address)
        return self.to_recipient

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.to_letter.startswith("2"):
            self.letters.append(email.message_from_bytes(envelope.content, policy=default))  # type: ignore[arg-type]
            self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        return self.to_letter


@pytest.fixture
def box() -> Iterator[Mailbox]:
    made = Mailbox()
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    controller = Controller(made, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        made.outside = Outside(
            public_url="https://desk.example/w", smtp=f"smtp+plain://127.0.0.1:{port}", mail_from=FROM, seconds=5
        )
        yield made
    finally:
        controller.stop()


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime.now(UTC))


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    make_home(tmp_path / "home")
    with Store.open(tmp_path / "home" / "store.sqlite", clock=clock) as made:
        yield made


def add(store: Store, address: str = "ada@island.example", name: str = "mail", **named: Any) -> Channel:
    return store.add_channel(Channel(0, "ada", name, "mail", address, **named))


def deliver(store: Store, batch: str, *items: Item) -> None:
    store.record(batch, items, [Match(one.identity, "ada-ferry") for one in items])


def text_of(letter: EmailMessage, kind: str = "plain") -> str:
    part = letter.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def test_a_letter_has_the_headers_that_mail_programs_ask_for(store: Store, box: Mailbox, clock: Clock) -> None:
    made = add(store)
    deliver(store, "1", Item("a", title="Η ferry αγκυροβόλησε", link="https://port.example/a", feed="Port"))
    send_all(store, clock=clock, outside=box.outside)
    (letter,) = box.letters
    assert box.envelopes == [(FROM, ["ada@island.example"])]
    assert letter["Subject"] == "Η ferry αγκυροβόλησε" and letter["From"].addresses[0].addr_spec == FROM
    assert letter["Message-ID"] == f"<{store.messages('ada')[0].id}@desk.example>"
    assert (
        letter["Auto-Submitted"] == "auto-generated"
        and letter["List-Id"] == f"Watchword <channel-{made.number}.desk.example>"
    )
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = letter["List-Unsubscribe"].strip("<>")
    assert link.startswith("https://desk.example/w/notify/unsubscribe/")
    token = link.rpartition("/")[2]
    assert channel_of(token) == made.number and is_valid(store.key(KEY), UNSUBSCRIBE, token, clock.now)
    assert not is_valid(store.key(KEY), VERIFY, token, clock.now, "ada@island.example")
    for kind in ("plain", "html"):
        text = text_of(letter, kind)
        assert "https://port.example/a" in text and "match: ferry" in text and link in text


def test_ends_of_lines_and_markup_in_titles_stay_text(store: Store, box: Mailbox, clock: Clock) -> None:
    add(store, name="mail <b>x")
    for number, title in enumerate(
        [
            "Ferry\r\nBcc: eve@evil.example\r\n\r\nowned",
            "Ferry\nSubject: other",
            "<script>alert(1)</script> ferry",
            "{{7*7}} ferry %s %(x)s",
            "ferry \u2028 \x00 \x85 end",
            "=?utf-8?q?ferry?= <x@y.example>",
            "ferry " * 200,
        ]
    ):
        item = Item(f"i{number}", title=title, text=title, link="javascript:alert(1)", feed=title, author=title)
        deliver(store, str(number), item)
    send_all(store, clock=clock, outside=box.outside)
    assert len(box.letters) == 7 and {tuple(to) for _, to in box.envelopes} == {("ada@island.example",)}
    for letter in box.letters:
        assert letter["Bcc"] is None and len(letter.get_all("Subject")) == 1 and len(letter.get_all("To")) == 1
        html = text_of(letter, "html")
        assert "<script" not in html and "javascript:" not in html and len(letter["Subject"]) < 200
    assert any("{{7*7}}" in text_of(letter) for letter in box.letters)


def test_addresses_that_would_inject_are_none() -> None:
    good = ("a@b.example", "ada.l+x@island.example", "a@localhost")
    bad = ["", "a", "a@", "@b", "a b@c.d", "a@b.example\r\nBcc: x@y.z", "a@b.example\n", "a@b,c@d", "<a@b.c>"]
    bad += ["a..b@c.d", ".a@b.c", "a.@b.c", "é@b.c", "a@é.c", "a@-b.c", "a@" + "b" * 260, "a" * 65 + "@b.c"]
    assert all(map(is_mail_address, good)) and not any(map(is_mail_address, bad))


@pytest.mark.slow
def test_a_digest_is_one_letter_that_says_how_many_more_there_are(store: Store, box: Mailbox, clock: Clock) -> None:
    add(store, settings={"times": ["07:30"]})
    deliver(store, "1", *(Item(f"i{number}", title=f"Ferry {number}") for number in range(10_000)))
    while store.outbox_counts("ada").new:
        send_all(store, clock=clock, outside=box.outside)
    assert box.letters == []
    clock.now += timedelta(days=1)
    send_all(store, clock=clock, outside=box.outside)
    (letter,) = box.letters
    assert letter["Subject"] == "10,000 items: Ferry 0"
    assert f"and {10_000 - ITEMS:,} more: https://desk.example/w/" in text_of(letter)


def test_a_person_gets_twenty_an_hour_and_the_rest_in_a_digest(store: Store, box: Mailbox, clock: Clock) -> None:
    add(store)
    deliver(store, "1", *(Item(f"i{number}", title=f"Ferry {number}") for number in range(100)))
    send_all(store, clock=clock, outside=box.outside)
    assert len(box.letters) == 20
    clock.now += timedelta(hours=1, seconds=1)
    send_all(store, clock=clock, outside=box.outside)
    assert len(box.letters) == 21 and box.letters[-1]["Subject"] == "80 items: Ferry 20"


def test_an_address_is_verified_before_it_is_told_anything(store: Store, box: Mailbox, clock: Clock) -> None:
    made = add(store, state="unverified")
    deliver(store, "1", Item("a", title="A ferry"))
    send_all(store, clock=clock, outside=box.outside)
    assert box.letters == []
    assert store.unsent("ada")[0].reason == "the address is not verified"
    assert send_now(store, made, "verify", box.outside).ok
    lines = text_of(box.letters[0]).split()
    token = next(line for line in lines if "/notify/verify/" in line).rpartition("/")[2]
    key, now = store.key(KEY), datetime.now(UTC)
    assert is_valid(key, VERIFY, token, now, made.address)
    assert not is_valid(key, VERIFY, token, now, "eve@evil.example")
    assert not is_valid(key, VERIFY, token, now + timedelta(hours=49), made.address)
    assert not is_valid(b"x" * 32, VERIFY, token, now, made.address)
    for wrong in ("", "1", "1.2", "x.0.y", token[:-1], token + "x", "9" * 30 + ".0.x", make_token(key, VERIFY, 99)):
        assert not is_valid(key, VERIFY, wrong, now, made.address)


@pytest.mark.parametrize(
    ("recipient", "letter", "state", "channel", "answer"),
    [
        ("550 no such user", "250 OK", "dead", "disabled", "550 no such user"),
        ("450 try later", "250 OK", "waiting", "ready", "450 try later"),
        ("250 OK", "554 spam", "dead", "ready", "554 spam"),
        ("250 OK", "451 busy", "waiting", "ready", "451 busy"),
        ("closes", "250 OK", "waiting", "ready", "the mail server ended the connection, or lacks what is needed"),
    ],
)
def test_what_a_mail_server_says_decides(
    store: Store, box: Mailbox, clock: Clock, recipient: str, letter: str, state: str, channel: str, answer: str
) -> None:
    add(store)
    box.to_recipient, box.to_letter = recipient, letter
    deliver(store, "1", Item("a", title="A ferry"))
    send_all(store, clock=clock, outside=box.outside)
    (message,) = store.messages("ada")
    assert (message.state, message.attempts[0].answer) == (state, answer)
    assert store.channel("ada", "mail").state == channel


def test_one_refused_recipient_does_not_touch_another(store: Store, box: Mailbox, clock: Clock) -> None:
    add(store, "gone@island.example", "one")
    add(store, "ada@island.example", "two")

    async def refuse(server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address.startswith("gone"):
            return "550 gone"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    box.handle_RCPT = refuse  # type: ignore[method-assign]
    deliver(store, "1", Item("a", title="A ferry"), Item("b", title="Another ferry"))
    send_all(store, clock=clock, outside=box.outside)
    assert [to for _, to in box.envelopes] == [["ada@island.example"]] * 2


def test_a_server_that_is_not_there_or_has_no_tls_is_said_without_its_address(
    store: Store, clock: Clock, box: Mailbox
) -> None:
    made = add(store)
    nowhere = Outside(public_url="https://d.example", smtp="smtp+plain://127.0.0.1:1", mail_from=FROM, seconds=2)
    assert send_now(store, made, "test", nowhere).text == "the mail server cannot be reached"
    plain = Outside(public_url="https://d.example", smtp=box.outside.smtp.replace("+plain", ""), mail_from=FROM)
    assert "lacks what is needed" in send_now(store, made, "test", plain).text
    assert not send_now(store, made, "test", Outside()).ok
    assert [one.kind for one in store.messages("ada")] == ["test"] * 3
    assert send_now(store, made, "test", box.outside).ok and box.letters[0]["Subject"] == "A test of the channel mail"


@pytest.mark.slow
def test_a_mail_server_that_is_away_is_not_tried_for_each_of_many_letters(store: Store, clock: Clock) -> None:
    for number in range(30):
        add(store, name=f"mail{number}")
    deliver(store, "1", Item("a", title="A ferry"))
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(64)  # and says nothing
    smtp = f"smtp+plain://127.0.0.1:{silent.getsockname()[1]}"
    began = datetime.now(UTC)
    send_all(
        store, clock=clock, outside=Outside(public_url="https://d.example", smtp=smtp, mail_from=FROM, seconds=0.3)
    )
    silent.close()
    assert datetime.now(UTC) - began < timedelta(seconds=5)
    assert all(len(one.attempts) == 1 and one.state == "waiting" for one in store.messages("ada"))
