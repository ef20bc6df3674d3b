"""`GET /audit`: who changed what, for the scope `admin`."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel

from watchword.serve.security import Caller, caller
from watchword.serve.state import Service

router = APIRouter(tags=["audit"])


class Entry(BaseModel):
    """An entry of the audit log."""

    number: int
    time: datetime
    who: str
    what: str
    which: str
    source: str
    old: Any
    new: Any


class Entries(BaseModel):
    """Entries of the audit log, newest first."""

    entries: list[Entry]


@router.get("/audit", response_model=Entries)
def audit(
    request: Request,
    who: Annotated[Caller, Depends(caller("admin"))],
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[int | None, Query(ge=0, le=2**63 - 1, description="Only entries with a smaller number.")] = None,
) -> Response:
    """List who changed what, newest first."""
    service: Service = request.app.state.service
    found = service.store().audit(limit=limit, before=before)
    return Response(orjson.dumps({"entries": [asdict(one) for one in found]}), media_type="application/json")
