"""What editors, `help` and notebooks know of a constructor: the options of its language, each by name."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

import watchword
from watchword import Index

ALWAYS = {"id": None, "subscription": None, "method": "auto"}
KINDS = [getattr(watchword, name) for name in watchword.__all__ if name.endswith("Index") and name != "Index"]


def written(kind: type[Index]) -> ast.arguments:
    """Return the arguments of the constructor that is written for type checkers."""
    tree = ast.parse(Path(inspect.getfile(kind)).read_text(encoding="utf-8"))
    (found,) = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    return found.args


def declared(kind: type[Index]) -> dict[str, Any]:
    own = {name: option.default for name, option in kind.plug.options.items()}
    return ALWAYS | own | {name: ... for method in kind.plug.methods.values() for name in method.options}


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_written_with_its_default(kind: type[Index]) -> None:
    arguments = written(kind)
    names = [argument.arg for argument in arguments.kwonlyargs]
    defaults = [ast.literal_eval(default) for default in arguments.kw_defaults if default is not None]
    assert dict(zip(names, defaults, strict=True)) == declared(kind) and arguments.kwarg is None
    (method,) = (argument for argument in arguments.kwonlyargs if argument.arg == "method")
    assert method.annotation is not None
    offered = [node.value for node in ast.walk(method.annotation) if isinstance(node, ast.Constant)]
    assert offered == watchword.methods(kind.language)


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_in_the_signature(kind: type[Index]) -> None:
    parameters = dict(inspect.signature(kind).parameters)
    assert parameters.pop("subscriptions").kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert {name: parameter.default for name, parameter in parameters.items()} == declared(kind)
