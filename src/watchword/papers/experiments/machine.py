"""The machine that figures belong to, and how much memory is free on it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numba", "numpy", "pyarrow")


def machine() -> dict[str, object]:
    """Return what figures depend on besides the code: CPU, cores, memory, versions."""
    return {
        "cpu": cpu_model(),
        "cores": cores(),
        "memory_gb": round(total_memory() / 1e9, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }


def cpu_model() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def total_memory() -> int:
    """Return the bytes of memory of the machine; very many where the system does not say."""
    if not hasattr(os, "sysconf"):
        return 1 << 60
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def free_memory() -> int:
    """Return the bytes that this process may still take: what the machine has free, or its group is left with."""
    free = [_free_on_machine(), *_left_to_group(Path("/sys/fs/cgroup"))]
    return min(free)


def _free_on_machine() -> int:
    info = Path("/proc/meminfo")
    lines = info.read_text(encoding="ascii").splitlines() if info.exists() else []
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return found[0] if found else total_memory()


def _left_to_group(group: Path) -> list[int]:
    """Return what a limit on the processes of a container leaves, if there is one; files in the cache count as free."""
    try:
        most, taken = (int((group / name).read_text(encoding="ascii")) for name in ("memory.max", "memory.current"))
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):  # no such file, or "max"
        return []
    cached = sum(int(line.split()[1]) for line in lines if line.startswith(("active_file ", "inactive_file ")))
    return [max(0, most - taken + cached)]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
