"""The server: ``serve`` starts it."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from watchword.cli.notifying import MailFromOption, NetworkOption, PublicUrlOption, SmtpOption
from watchword.cli.reporting import INTERRUPTED, fail, note, print_logs_in_lines, reports_errors, say
from watchword.cli.system import DEFAULT_HOME, HomeOption

MISSING = "this needs the web framework: pip install 'watchword[serve]'"


@reports_errors
def serve(
    home: HomeOption = DEFAULT_HOME,
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 is every one of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8480,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the port.")] = 1,
    host_name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name of this server that browsers ask for, beside localhost; repeatable."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="A reverse proxy, or a network of them, whose X-Forwarded- is believed."),
    ] = None,
    base_path: Annotated[str, typer.Option(metavar="PATH", help="The path below which everything lies.")] = "",
    certificate: Annotated[str | None, typer.Option(metavar="FILE", help="Certificate in PEM: speak TLS.")] = None,
    key: Annotated[str | None, typer.Option(metavar="FILE", help="Its key.")] = None,
    every: Annotated[float, typer.Option(min=0.01, help="Seconds between two looks for changes of others.")] = 0.2,
    audit: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of events that is also decided by brute force.")
    ] = 0.0,
    run: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="Feeds or an OPML list that a watchword run beside it reads; repeatable."),
    ] = None,
    feed_network: Annotated[
        list[str] | None,
        typer.Option(metavar="NETWORK", help="A private network whose feeds may be added over HTTP; repeatable."),
    ] = None,
    public_url: PublicUrlOption = "",
    smtp: SmtpOption = "",
    mail_from: MailFromOption = "",
    notify_network: NetworkOption = None,
    notify: Annotated[
        bool, typer.Option("--notify/--no-notify", help="Send notifications, as watchword notify does.")
    ] = True,
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="A limit, such as body=65536; docs/limits.md lists them; repeatable."),
    ] = None,
    access_log: Annotated[bool, typer.Option("--access-log", help="Print a line for each request.")] = False,
) -> None:
    """Serve subscriptions, matching, inboxes and the console over HTTP.

    It prints its address, one line, when it is ready, and ends at Ctrl-C or SIGTERM when the requests that have begun
    are answered. Programs need a token: watchword tokens add NAME --scope read,write,match. People need a link:
    watchword login NAME.

    [bold]Examples[/bold]

      watchword serve --home desk

      watchword serve --home desk --run feeds.opml

      watchword serve --home desk --port 0 --workers 2 --limit body=65536

      watchword serve --home desk --host-name alerts.example.org --proxy 10.0.0.1 --base-path /alerts
    """
    from watchword.home import Home

    try:
        from watchword.serve.limits import Limits
        from watchword.serve.running import serve_home
        from watchword.serve.state import Settings
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("watchword"):
            raise
        fail(MISSING)
    settings = Settings(
        host=host,
        port=port,
        workers=workers,
        host_names=tuple(host_name or ()),
        proxies=tuple(proxy or ()),
        base_path=base_path,
        certificate=certificate,
        key=key,
        every=every,
        audit=audit,
        access_log=access_log,
        run=tuple(run or ()),
        feed_networks=tuple(feed_network or ()),
        public_url=public_url,
        smtp=smtp,
        mail_from=mail_from,
        notify_networks=tuple(notify_network or ()),
        notify=notify,
        limits=Limits.with_settings(limit or []),
    )
    at = Home(home)
    at.store().close()
    print_logs_in_lines()
    if serve_home(at, settings, say) == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
    note("the server has ended")
