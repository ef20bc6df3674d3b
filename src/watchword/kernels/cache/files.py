"""The files of one kernel: an index of signatures, and machine code, both with checksums.

Of a kernel with two signatures::

    packed.match-31.py311.index           32 bytes of SHA-256, then the pickle {key: "8c1d…e0", other key: "77f2…a9"}
    packed.match-31.py311.8c1d…e0.code    machine code whose SHA-256 begins with 8c1d…e0
    packed.match-31.py311.77f2…a9.code

Invariant: a file is written under another name and renamed when it is whole, and nothing is unpickled whose checksum is
wrong. So a file that was cut or changed is the same as none: its kernel is compiled again. Two processes that write at
once write different files of machine code; of their two indexes one stays, and what the other named is compiled again.

Numba's own files have no checksums, and number the files of machine code, so that two processes can each write theirs
under the same name.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from watchword.kernels.cache.folders import BASELINE, make_folder

_SEAL, _NAME = hashlib.sha256().digest_size, 32
_log = logging.getLogger("watchword.kernels")
_logged: set[str] = set()


class KernelFiles:
    """What numba reads one kernel from and writes it to, in place of its own `IndexDataCacheFile`."""

    def __init__(
        self, name: str, readable: Sequence[Path], writable: Path | None, dump: Callable[[Any], bytes]
    ) -> None:
        """Take the name of the kernel's files, their folders, and the function that pickles numba's objects."""
        self._name, self._readable, self._writable, self._dump = name, readable, writable, dump

    def load(self, key: Any) -> Any:
        """Return what was saved under a key; None if nothing whole is found."""
        for folder in self._readable:
            index = self._index(folder)
            name = index.get(key) or index.get(_baseline_key(key))
            code = self._code(folder / f"{self._name}.{name}.code", name) if name else None
            if code is not None:
                return pickle.loads(code)
        return None

    def save(self, key: Any, data: Any) -> None:
        """Keep data under a key; where that is not possible, say so once."""
        if self._writable is None:
            return
        code = self._dump(data)
        name = hashlib.sha256(code).hexdigest()[:_NAME]
        index = self._index(self._writable) | {key: name}
        try:
            make_folder(self._writable)
            _write(self._writable / f"{self._name}.{name}.code", code)
            self._write_index(index)
        except OSError as error:
            _log_once("write", "compiled kernels cannot be kept: %s", error)

    def flush(self) -> None:
        """Forget everything that is kept."""
        with suppress(OSError):
            self._write_index({})

    def _index(self, folder: Path) -> dict[Any, str]:
        path = folder / f"{self._name}.index"
        try:
            found = path.read_bytes()
        except OSError:
            return {}
        seal, body = found[:_SEAL], found[_SEAL:]
        if hashlib.sha256(body).digest() != seal:
            _log_damage(path)
            return {}
        try:
            index: dict[Any, str] = pickle.loads(body)
        except (AttributeError, ImportError):  # a type of an argument that is not there any more
            return {}
        return index

    def _code(self, path: Path, name: str) -> bytes | None:
        try:
            found = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(found).hexdigest()[:_NAME] == name:
            return found
        _log_damage(path)
        return None

    def _write_index(self, index: dict[Any, str]) -> None:
        if self._writable is not None:
            body = self._dump(index)
            _write(self._writable / f"{self._name}.index", hashlib.sha256(body).digest() + body)


def _baseline_key(key: Any) -> Any:
    """Return the key of the same kernel as compiled for `BASELINE`.

    Numba's key is (signature, (system, processor, features), digests of the function).
    """
    if not (isinstance(key, tuple) and len(key) == 3 and isinstance(key[1], tuple) and len(key[1]) == 3):
        return key
    return key[0], (key[1][0], *BASELINE), key[2]


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _log_damage(path: Path) -> None:
    _log_once("damage", "%s is damaged: its kernel is compiled again, and so are others that are damaged", path)


def _log_once(subject: str, line: str, detail: object) -> None:
    if subject not in _logged:
        _logged.add(subject)
        _log.warning(line, detail)
