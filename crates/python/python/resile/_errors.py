"""Exceptions. Each says what is wrong, where, and what to do; all can be pickled."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True)
class Problem:
    """An error or a warning of a scene."""

    severity: str
    """`"error"` or `"warning"`."""
    path: str
    """The field, such as `bodies.die.friction`; empty for the whole scene."""
    value: str
    """The part of the text that contains the error."""
    message: str
    """What is wrong."""
    remedy: str
    """What to do; may be empty."""
    place: tuple[str, int, int]
    """File, line and column, both from 1."""
    text: str
    """The complete message, with the line of the file and a caret."""

    def __str__(self) -> str:
        return self.text


class ResileError(Exception):
    """Base class of the exceptions of resile."""

    remedy: str = ""
    """What to do; may be empty."""

    def __str__(self) -> str:
        message = self._message()
        return f"{message}\nhelp: {self.remedy}" if self.remedy else message

    def _message(self) -> str:
        return str(self.args[0]) if self.args else ""


class SceneError(ResileError, ValueError):
    """A scene cannot be used. `problems` lists all errors and warnings; `path`, `value`, `message` and `remedy` are those of
    the first error."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)
        first = next((p for p in problems if p.severity == "error"), problems[0] if problems else None)
        self.path = first.path if first else ""
        self.value = first.value if first else ""
        self.message = first.message if first else ""
        self.remedy = first.remedy if first else ""

    def __str__(self) -> str:
        return "\n".join(problem.text for problem in self.problems)


class ArgumentError(ResileError, ValueError):
    """An argument has a wrong value, shape or type."""

    def __init__(self, path: str, value: str, message: str, remedy: str = "") -> None:
        super().__init__(path, value, message, remedy)
        self.path, self.value, self.message, self.remedy = path, value, message, remedy

    def _message(self) -> str:
        return self.message


class UnknownNameError(ResileError, KeyError):
    """There is no object of this kind with this name; `known` lists the existing names."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(kind, name, known)
        self.kind, self.value, self.known = kind, name, tuple(known)
        self.path = kind
        close_matches = difflib.get_close_matches(name, known, 1)
        if close_matches:
            self.remedy = f'did you mean "{close_matches[0]}"?'
        elif known:
            ellipsis = ", ..." if len(known) > 12 else ""
            self.remedy = "known: " + ", ".join(f'"{known_name}"' for known_name in known[:12]) + ellipsis
        else:
            self.remedy = ""

    def _message(self) -> str:
        return f'there is no {self.kind} named "{self.value}"'


Entry = TypeVar("Entry")


def named_entry(kind: str, name: str, entries: Mapping[str, Entry]) -> Entry:
    """The entry with this name. Raises `UnknownNameError` for other names, and `TypeError` for what is no text."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a {kind} must be a str, not {type(name).__name__}")
    try:
        return entries[name]
    except KeyError:
        raise UnknownNameError(kind, name, list(entries)) from None


class FileError(ResileError, OSError):
    """A file or folder cannot be read or written, or does not have the expected contents."""

    def __init__(self, path: str, message: str, remedy: str = "") -> None:
        super().__init__(path, message, remedy)
        self.path, self.value, self.message, self.remedy = path, path, message, remedy

    def __reduce__(self) -> tuple[type[FileError], tuple[str, str, str]]:
        return (type(self), (self.path, self.message, self.remedy))

    def _message(self) -> str:
        return self.message if not self.path or self.path in self.message else f"{self.path}: {self.message}"


class StepError(ResileError, ArithmeticError):
    """A step failed. If it is a step of a run, `run` is the run up to the last valid state."""

    run: Run | None = None

    def __init__(self, step: int, message: str, remedy: str = "") -> None:
        super().__init__(step, message, remedy)
        self.step, self.message, self.remedy = step, message, remedy

    def _message(self) -> str:
        return self.message


class ClosedError(ResileError, RuntimeError):
    """The object was closed."""

    remedy = "make a new one"

    def _message(self) -> str:
        return f"the {self.args[0]} is closed"


class BusyError(ResileError, RuntimeError):
    """Another thread uses the object at this moment."""

    remedy = "give each thread a simulation of its own, or use a lock"

    def _message(self) -> str:
        return f"another thread uses the {self.args[0]}"
