"""How people are told: ``channels``, the log ``notifications``, and ``notify``, which sends."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli.reporting import fail, note, print_logs_in_lines, reports_errors, say
from watchword.cli.system import DEFAULT_HOME, HomeOption
from watchword.visible import brief, counted, visible

if TYPE_CHECKING:
    from types import FrameType

    from watchword.notify.managing import Made
    from watchword.notify.settings import Outside

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help="Set up how people are told.")
MISSING = "this needs an HTTP client: pip install 'watchword[feeds]'"
SOURCE = "command line"
SubscriberArgument = Annotated[str, typer.Argument(metavar="NAME", help="Whose.")]
ChannelArgument = Annotated[str, typer.Argument(metavar="CHANNEL", help="Its name.")]
PublicUrlOption = Annotated[str, typer.Option(metavar="URL", help="The server as people reach it, for links in mail.")]
SmtpOption = Annotated[
    str,
    typer.Option(
        metavar="URL", envvar="WATCHWORD_SMTP", help="smtp://USER:PASSWORD@HOST:587, smtps:// or smtp+plain://"
    ),
]
MailFromOption = Annotated[str, typer.Option(metavar="ADDRESS", help="The address that mail comes from.")]
NetworkOption = Annotated[
    list[str] | None, typer.Option(metavar="NETWORK", help="A private network in which webhooks may be; repeatable.")
]


def _outside(public_url: str, smtp: str, mail_from: str, network: list[str] | None) -> Outside:
    try:
        from watchword.notify.settings import Outside

        return Outside(public_url, smtp, mail_from, tuple(network or ()))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("watchword"):
            raise
        fail(MISSING)


@app.command()
@reports_errors
def add(
    subscriber: SubscriberArgument,
    channel: ChannelArgument,
    kind: Annotated[str, typer.Option(help="webhook, mail, feed, apprise or nothing.")] = "webhook",
    address: Annotated[str, typer.Option(help="Of the webhook, the mail, or Apprise's URL.")] = "",
    at: Annotated[str, typer.Option(metavar="TIMES", help="Times of digests, such as 07:30,18:00.")] = "",
    days: Annotated[str, typer.Option(help="Days of digests, such as mon,thu.", show_default="every day")] = "",
    quiet: Annotated[str, typer.Option(metavar="HOURS", help="Quiet hours, such as 22:00-07:00.")] = "",
    budget: Annotated[
        int | None, typer.Option(help="Messages an hour; the rest comes in a digest.", show_default="20 for mail")
    ] = None,
    fallback: Annotated[str | None, typer.Option(metavar="CHANNEL", help="The one to use where this fails.")] = None,
    only_named: Annotated[bool, typer.Option("--only-named", help="Only what subscriptions direct here.")] = False,
    public_url: PublicUrlOption = "",
    smtp: SmtpOption = "",
    mail_from: MailFromOption = "",
    network: NetworkOption = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Add a channel of a subscriber, or replace the one of this name; print the secret of a new webhook, once.

    To an address of mail a letter is sent, whose link has to be followed first.

    [bold]Examples[/bold]

      watchword channels add ada desk --address https://desk.example.org/hook

      watchword channels add ada feed --kind feed

      watchword channels add ada phone --kind apprise --address ntfy://ntfy.sh/ada-alerts --quiet 22:00-07:00
    """
    from watchword.home import Home
    from watchword.notify.managing import Channels

    settings: dict[str, Any] = {"times": _list(at), "days": _list(days), "quiet": quiet, "budget": budget}
    chosen = {name: value for name, value in settings.items() if value}
    outside = _outside(public_url, smtp, mail_from, network)
    with Home(home).store() as store:
        channels = Channels(store, outside, is_admin=True)
        everything = not only_named
        made = channels.put(subscriber, channel, kind, address, chosen, everything=everything, fallback=fallback)
        store.add_audit(subscriber, "put channel", channel, source=SOURCE, new={"kind": kind})
    _report(made)


def _list(text: str) -> list[str]:
    return [part for part in text.replace(",", " ").split() if part]


def _report(made: Made) -> None:
    if made.secret:
        typer.echo(made.secret)
        note("the secret is shown this once: give it to the receiver, who verifies Standard Webhooks by it")
    elif made.letter is not None:
        said = "a letter is on its way: follow its link" if made.letter.ok else f"no letter: {made.letter.text}"
        note(f"{made.channel.name} is not verified yet; {said}")
    else:
        note(f"{made.channel.name} is {made.channel.state}")


@app.command("list")
@reports_errors
def list_channels(
    subscriber: Annotated[str | None, typer.Argument(metavar="NAME", help="Whose; all if left out.")] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List channels: where they lead, when they are told, and how they are.

    [bold]Example[/bold]

      watchword channels list ada
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        found = store.channels(subscriber)
    if not found:
        say("no channels")
        return
    rows = [
        (
            *map(visible, (one.subscriber, one.name, one.kind)),
            visible(brief(one.address.partition("://")[0] + "://…" if one.kind == "apprise" else one.address, 80)),
            visible(", ".join(f"{name} {_plain(value)}" for name, value in one.settings.items()) or "at once"),
            visible(f"{one.state} {one.reason}".strip() + (f", {one.failures:,} failures" if one.failures else "")),
        )
        for one in found
    ]
    print_table(("subscriber", "channel", "kind", "address", "when", "state"), rows)


def _plain(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


@app.command()
@reports_errors
def remove(subscriber: SubscriberArgument, channel: ChannelArgument, home: HomeOption = DEFAULT_HOME) -> None:
    """Remove a channel, with what waits for it and its log.

    [bold]Example[/bold]

      watchword channels remove ada desk
    """
    from watchword.home import Home

    with Home(home).store() as store:
        store.remove_channel(subscriber, channel)
        store.add_audit(subscriber, "remove channel", channel, source=SOURCE)
    note(f"{channel} of {subscriber} is removed")


@app.command()
@reports_errors
def test(
    subscriber: SubscriberArgument,
    channel: ChannelArgument,
    public_url: PublicUrlOption = "",
    smtp: SmtpOption = "",
    mail_from: MailFromOption = "",
    network: NetworkOption = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Send a test on a channel, and say what came of it.

    [bold]Example[/bold]

      watchword channels test ada desk
    """
    from watchword.home import Home
    from watchword.notify.managing import Channels

    outside = _outside(public_url, smtp, mail_from, network)
    with Home(home).store() as store:
        answer = Channels(store, outside, is_admin=True).test(subscriber, channel)
    if not answer.ok:
        fail(f"the test failed: {answer.text}")
    say(answer.text)


@app.command()
@reports_errors
def rotate(
    subscriber: SubscriberArgument,
    channel: ChannelArgument,
    at_once: Annotated[bool, typer.Option("--at-once", help="The secret before is not valid any more.")] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Print a new secret of a webhook, once; messages are signed by both for a day.

    [bold]Example[/bold]

      watchword channels rotate ada desk
    """
    from watchword.home import Home
    from watchword.notify.managing import Channels

    with Home(home).store() as store:
        secret = Channels(store, _outside("", "", "", None), is_admin=True).rotate(subscriber, channel, at_once=at_once)
        store.add_audit(subscriber, "rotate secret", channel, source=SOURCE)
    typer.echo(secret)


@app.command()
@reports_errors
def route(
    subscription: Annotated[str, typer.Argument(metavar="ID", help="A subscription.")],
    to: Annotated[str, typer.Option(metavar="CHANNELS", help="Names, with commas; by default all.")] = "",
    mute: Annotated[bool, typer.Option("--mute/--no-mute", help="Withhold what it matches.")] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Direct a subscription to channels, or let it mute: what it matches is then withheld.

    [bold]Examples[/bold]

      watchword channels route storms --to phone,desk

      watchword channels route no-sport --mute
    """
    from watchword.home import Home
    from watchword.notify.managing import Channels

    names = [name.strip() for name in to.split(",") if name.strip()]
    with Home(home).store() as store:
        Channels(store, _outside("", "", "", None), is_admin=True).route(subscription, names, mute)
    told = ", ".join(names) or "all channels that take everything"
    note(f"{subscription}: its matches are withheld" if mute else f"{subscription} goes to {told}")


@app.command()
@reports_errors
def profile(
    subscriber: SubscriberArgument,
    zone: Annotated[str | None, typer.Option(help="The zone of times, such as Europe/Athens.")] = None,
    stories: Annotated[
        bool | None, typer.Option("--stories/--items", help="The same story of several feeds is one, or each item.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show or change what holds for all channels of a subscriber.

    [bold]Example[/bold]

      watchword channels profile ada --zone Europe/Athens
    """
    from watchword.home import Home
    from watchword.notify.managing import Channels

    with Home(home).store() as store:
        found = store.profile(subscriber)
        if zone is not None or stories is not None:
            channels = Channels(store, _outside("", "", "", None), is_admin=True)
            by_story = found.by_story if stories is None else stories
            found = channels.set_profile(subscriber, found.zone if zone is None else zone, by_story)
    say(f"{subscriber}: times of {found.zone}, {'the same story once' if found.by_story else 'each item'}")


@app.command()
@reports_errors
def texts(
    on: Annotated[bool, typer.Option("--on/--off", help="Find stories by the texts of items too.")] = True,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Let the same story be found by its text too, for all subscribers, of items that come from now on.

    [bold]Example[/bold]

      watchword channels texts --on
    """
    from watchword.home import Home

    with Home(home).store() as store:
        store.compare_texts(on)
    note(f"stories are found by links and titles{', and by texts' if on else ''}")


@reports_errors
def notifications(
    subscriber: Annotated[str | None, typer.Argument(metavar="NAME", help="Whose; all if left out.")] = None,
    channel: Annotated[str | None, typer.Option(help="Of this channel only.")] = None,
    unsent: Annotated[bool, typer.Option("--unsent", help="What was not sent, and why.")] = False,
    dead: Annotated[bool, typer.Option("--dead", help="Messages that were given up.")] = False,
    replay: Annotated[bool, typer.Option("--replay", help="Send those again, under their ids.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="The newest, at most this many.")] = 50,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show sent messages, with each attempt and its answer; or withheld items, with the reason.

    [bold]Examples[/bold]

      watchword notifications ada

      watchword notifications ada --unsent

      watchword notifications ada --replay
    """
    from watchword.cli.printing import print_table
    from watchword.home import Home

    with Home(home).store() as store:
        if replay:
            if subscriber is None:
                fail("--replay: name the subscriber whose messages are to be sent again")
            note(f"{counted(store.replay(subscriber, channel=channel), 'message')} to be sent again")
            return
        if unsent:
            left = store.unsent(subscriber, channel=channel, limit=limit)
            rows: list[tuple[Any, ...]] = [
                (_moment(one.written), *map(visible, (one.subscriber, one.channel, one.title or one.item)), _why(one))
                for one in left
            ]
            print_table(("came (UTC)", "subscriber", "channel", "item", "why"), rows) if rows else say("nothing")
            return
        found = store.messages(subscriber, channel=channel, state="dead" if dead else None, limit=limit)
    rows = [
        (
            _moment(one.made),
            *map(visible, (one.subscriber, one.channel)),
            visible(brief(next(iter(one.titles), one.kind), 80) + (f" and {one.items - 1:,} more" * (one.items > 1))),
            visible(f"{one.state} {one.reason}".strip()),
            "\n".join(visible(f"{_moment(tried.time)} {tried.answer}") for tried in one.attempts),
        )
        for one in found
    ]
    header = ("made (UTC)", "subscriber", "channel", "what", "state", "attempts (UTC)")
    print_table(header, rows) if rows else say("nothing was sent yet")


def _moment(time: Any) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}"


def _why(one: Any) -> str:
    return visible(one.reason or one.state) + (f" until {_moment(one.due)}" if one.due else "")


@reports_errors
def notify(
    once: Annotated[bool, typer.Option("--once", help="Send what is due, then end.")] = False,
    public_url: PublicUrlOption = "",
    smtp: SmtpOption = "",
    mail_from: MailFromOption = "",
    network: NetworkOption = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Send notifications, until it is stopped (Ctrl-C); watchword serve does so by itself.

    Several may run at once, on this machine: they share the channels. Killed at any moment, nothing is lost.

    [bold]Examples[/bold]

      watchword notify --home desk

      WATCHWORD_SMTP=smtp://user:secret@mail.example.org watchword notify \
--mail-from alerts@example.org --public-url https://alerts.example.org
    """
    from watchword.home import Home

    outside = _outside(public_url, smtp, mail_from, network)
    try:
        from watchword.notify.dispatcher import Dispatcher
        from watchword.notify.senders import make_senders
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("watchword"):
            raise
        fail(MISSING)
    print_logs_in_lines()
    with Home(home).store() as store:
        sending = Dispatcher(lambda: store, lambda: make_senders(store, outside))

        def end(number: int, frame: FrameType | None) -> None:
            sending.stop()

        before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
        note("sending what is due" if once else "sending notifications, until it is stopped (Ctrl-C)")
        try:
            sending.run(once=once)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    note(f"{counted(sending.sent, 'message')} sent, {counted(sending.failed, 'attempt')} failed")
