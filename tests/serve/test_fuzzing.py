"""Requests drawn from the OpenAPI: none makes the server fail, and whichever is refused is told so by a problem."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.serve.conftest import Running

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import schemathesis
    from schemathesis import GenerationMode

EXAMPLES = 8
"""Requests for each operation."""


@schemathesis.serializer(
    "application/x-ndjson", "application/vnd.apache.arrow.stream", "text/x-opml", "application/xml"
)
def as_bytes(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_request_makes_the_server_fail(desk: Running) -> None:
    schema = schemathesis.openapi.from_url(f"{desk.url}/openapi.json")
    count = 0
    for operation in schema.get_all_operations():
        check_operation(desk, operation.ok())
        count += 1
    assert count >= 13


def check_operation(desk: Running, operation: Any) -> None:
    """Send requests of an operation, good and bad ones, and check each answer."""

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(
        case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        | operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    )
    def send(case: Any) -> None:
        if case.path == "/match":
            case.query = {name: value for name, value in (case.query or {}).items() if name != "after"}  # it waits
        answer = case.call(headers={"Authorization": f"Bearer {desk.tokens['admin']}"})
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == ["application/problem+json"]
            problem = answer.json()
            assert problem["status"] == answer.status_code
            assert problem["detail"]

    send()
