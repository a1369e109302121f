"""Values of a scene's text as values of Python."""

from __future__ import annotations

import ast
import json
import re
from fractions import Fraction
from typing import Any

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$")
_TOKEN = re.compile(
    r"\s*(?://[^\n]*\n\s*|/\*.*?\*/\s*)*(\"(?:[^\"\\]|\\.)*\"|[()\[\]{}:,]|[^\s()\[\]{}:,\"]+)", re.DOTALL
)


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = [found.group(1) for found in _TOKEN.finditer(text)]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def value(self) -> Any:
        token = self.take()
        if token.startswith('"'):
            return ast.literal_eval(token)
        if token in ("true", "false"):
            return token == "true"
        if token == "None":
            return None
        if _NUMBER.match(token):
            return int(token) if re.fullmatch(r"[+-]?\d+", token) else float(token)
        if token in ("inf", "-inf", "NaN"):
            return float(token)
        if token == "[":
            return self.items("]")
        if token == "{":
            return self.fields("}")
        if token == "(":
            return self.group()
        if self.peek() == "(":
            self.take()
            inner = self.group()
            if isinstance(inner, tuple) and len(inner) == 1:
                inner = inner[0]
            return inner if token == "Some" else {token: inner}
        return token

    def group(self) -> Any:
        if self.peek() == ")" or self.tokens[self.at + 1 : self.at + 2] == [":"]:
            return self.fields(")")
        return tuple(self.items(")"))

    def items(self, end: str) -> list[Any]:
        found = []
        while self.peek() != end:
            found.append(self.value())
            if self.peek() == ",":
                self.take()
        self.take()
        return found

    def fields(self, end: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.peek() != end:
            key = self.take()
            self.take()
            found[ast.literal_eval(key) if key.startswith('"') else key] = self.value()
            if self.peek() == ",":
                self.take()
        self.take()
        return found


def parse(text: str) -> Any:
    """A value of a scene: numbers, text, tuples, lists and dicts.

    A variant `Box(min: 1)` is `{"Box": {"min": 1}}`, and `File("a.msh")` is `{"File": "a.msh"}`, as in JSON.
    """
    return _Reader(text).value()


def to_json(fields: dict[str, Any]) -> str:
    """A scene's fields as JSON. Fractions become text such as "1/240", NumPy arrays and numbers plain ones."""
    return json.dumps(fields, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a scene has no values of type {type(value).__name__}; use numbers, text, lists and dicts")
