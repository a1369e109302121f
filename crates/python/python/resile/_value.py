"""Conversion between the text of a scene and Python values."""

from __future__ import annotations

import ast
import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$")
_TOKEN = re.compile(
    r"\s*(?://[^\n]*\n\s*|/\*.*?\*/\s*)*(\"(?:[^\"\\]|\\.)*\"|[()\[\]{}:,]|[^\s()\[\]{}:,\"]+)", re.DOTALL
)


class _Parser:
    """A parser of values in RON. Its methods consume the tokens of what they return."""

    def __init__(self, text: str) -> None:
        self.tokens = [match.group(1) for match in _TOKEN.finditer(text)]
        self.position = 0
        """Index of the next token."""

    def peek(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        """Consumes the next token."""
        self.position += 1
        return self.tokens[self.position - 1]

    def value(self) -> Any:
        """A number, a text, a list, a map, a tuple, a struct or a variant."""
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
        """The rest of a struct or a tuple after its opening bracket."""
        if self.peek() == ")" or self.tokens[self.position + 1 : self.position + 2] == [":"]:
            return self.fields(")")
        return tuple(self.items(")"))

    def items(self, end: str) -> list[Any]:
        """Values up to the bracket `end`."""
        values = []
        while self.peek() != end:
            values.append(self.value())
            if self.peek() == ",":
                self.take()
        self.take()
        return values

    def fields(self, end: str) -> dict[str, Any]:
        """Keys and values up to the bracket `end`."""
        fields: dict[str, Any] = {}
        while self.peek() != end:
            key = self.take()
            self.take()
            fields[ast.literal_eval(key) if key.startswith('"') else key] = self.value()
            if self.peek() == ",":
                self.take()
        self.take()
        return fields


def parse(text: str) -> Any:
    """Parses a value of a scene to numbers, strings, tuples, lists and dicts.

    A variant `Box(min: 1)` is `{"Box": {"min": 1}}`, and `File("a.msh")` is `{"File": "a.msh"}`, as in JSON.
    """
    return _Parser(text).value()


def to_json(fields: dict[str, Any]) -> str:
    """The fields of a scene as JSON. Fractions become strings such as "1/240", and NumPy arrays and numbers become lists and
    Python numbers."""
    return json.dumps(fields, default=_plain)


def _plain(value: Any) -> Any:
    """Converts a value that JSON does not support."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a scene has no values of type {type(value).__name__}; use numbers, text, lists and dicts")


def positional(value: float) -> str:
    """A number in the shortest form that parses to the same bits, without an exponent."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return np.format_float_positional(value, unique=True, trim="-")


def value_text(value: Any) -> str:
    """A value as text of a scene; strings are unchanged."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return positional(float(value))
    if isinstance(value, (tuple, list, np.ndarray)):
        return f"({', '.join(value_text(item) for item in value)})"
    raise TypeError(f"a {type(value).__name__} cannot be a value of a sweep; use text, numbers or tuples of numbers")
