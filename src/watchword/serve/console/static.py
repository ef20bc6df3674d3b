"""The style sheet and the script: `/console/static/NAME`, kept by browsers until they change.

Pages name them with the digest of both, ``console.css?v=3f9a…``, so that a new version is another address.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Response

from watchword.serve.problems import Problem

router = APIRouter()
FOLDER = Path(__file__).parent / "static"
KINDS = {
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""The files, with their media types."""
KEPT = "public, max-age=31536000, immutable"


@router.get("/console/static/{name}")
async def static(name: str) -> Response:
    """Return a file."""
    if name not in KINDS:
        raise Problem(404, "not-found", "there is no such file")
    return Response(_read(name), headers={"Cache-Control": KEPT, "Content-Type": KINDS[name]})


@cache
def _read(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


@cache
def digest() -> str:
    """Return a name for the state of all files."""
    return hashlib.sha256(b"".join(map(_read, KINDS))).hexdigest()[:12]
