"""Hashes are products that overflow. Signed ones are undefined for numba, which takes them never to overflow: with a
constant operand and a branch on its sign it then compiled look-ups that failed."""

from __future__ import annotations

import ast
from pathlib import Path

import watchword

KERNELS = sorted((Path(watchword.__file__).parent / "kernels").rglob("*.py"))


def _large_factors(tree: ast.AST) -> list[int]:
    """Return the lines where a number is multiplied by a plain constant too large for a product of 64 bits."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        for side in (node.left, node.right)
        if isinstance(side, ast.Constant) and isinstance(side.value, int) and side.value >= 1 << 33
    ]


def test_large_factors_are_unsigned() -> None:
    found = {path.name: lines for path in KERNELS if (lines := _large_factors(ast.parse(path.read_text())))}
    assert found == {}
