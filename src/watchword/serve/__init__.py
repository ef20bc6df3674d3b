"""The server: subscriptions, matching, previews and inboxes over HTTP, for programs and for people.

    watchword serve --home desk                 http://127.0.0.1:8480

`make_app` (app.py) is the application, over one `Service` (state.py): the open home, its indexes in memory, figures and
limits. In the order in which a request passes:

    server.py     uvicorn with absolute deadlines, limits on connections, an end that drains; several processes
    guard.py      Host, proxies, base path, size of the body, headers of answers, the access log
    security.py   who asks: tokens, sessions, `caller("write")`
    limits.py     every limit with its default; token buckets; `read_body`
    api/          the routes for programs; console/ has the pages for people
    problems.py   every error as application/problem+json
    metrics.py    figures for Prometheus

This folder alone imports the web framework, and it uses public names of the package only.
"""
