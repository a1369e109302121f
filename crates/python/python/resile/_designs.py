"""Designs of sweeps: the runs and their parameter values. Values have the same text as those of the crate `resile-sweep`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import ArgumentError

DESIGNS = ("grid", "zip", "random", "latin-hypercube")
MAX_RUNS = 1_000_000
_VALUE_FORMS = (
    "values are [0.1, 0.2], ['ImplicitEuler', 'Bdf2'], '0:1:20' (20 equally spaced numbers), '1e4:1e7:4:log' "
    "(equal ratios), or, in random and Latin hypercube designs, '0:1'"
)


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Splits a text at the separators outside of brackets and quotes, and strips the parts."""
    depth, is_quoted, start, parts = 0, False, 0, []
    for position, character in enumerate(text):
        if character == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth = max(depth - 1, 0)
        elif character == separator and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]


def positional(value: float) -> str:
    """A number in the shortest form that parses to the same bits, without an exponent."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return np.format_float_positional(value, unique=True, trim="-")


def _rounded(value: float, digits: int) -> float:
    """Rounds to this number of significant digits."""
    return float(f"{value:.{digits - 1}e}")


def number_text(value: float) -> str:
    """A number with at most 15 significant digits."""
    value = _rounded(value, 15)
    if value == 0.0:
        return "0"
    if 1e-5 <= abs(value) < 1e16:
        return positional(value)
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=1).replace("e+", "e")


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


class SplitMix64:
    """The generator of random numbers of the program (Steele, Lea, Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def next(self) -> int:
        """The next integer, uniform from 0 to 2^64 - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def unit(self) -> float:
        """The next number, uniform in [0, 1)."""
        return (self.next() >> 11) / 2.0**53

    def permutation(self, n: int) -> list[int]:
        """A random permutation of 0 to n - 1 (Fisher-Yates shuffle)."""
        order = list(range(n))
        for last in range(n - 1, 0, -1):
            other = int(self.unit() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order


@dataclass(frozen=True)
class Values:
    """The values of a parameter: a list, or an interval."""

    listed: tuple[str, ...] = ()
    """Values of a list; empty for an interval."""
    ends: tuple[float, float] = (0.0, 0.0)
    count: int | None = None
    """Number of values of an interval; `None` if the design determines it."""
    logarithmic: bool = False
    """Whether neighbouring values of an interval have equal ratios instead of equal differences."""

    @classmethod
    def parse(cls, path: str, text: str) -> Values:
        """Parses the values of the parameter `path`, such as `0.1,0.2` or `1e4:1e7:4:log`."""

        def wrong(message: str) -> ArgumentError:
            return ArgumentError(f"vary[{path!r}]", text, message, _VALUE_FORMS)

        listed = split_outside_brackets(text, ",")
        if "" in listed:
            raise wrong("a value is missing")
        parts = split_outside_brackets(text, ":")
        if len(listed) > 1 or len(parts) == 1:
            return cls(listed=tuple(listed))
        logarithmic = parts[-1] == "log"
        parts = parts[:-1] if logarithmic else parts
        if len(parts) not in (2, 3):
            raise wrong("an interval has the form `FIRST:LAST:COUNT`")
        try:
            first, last = float(parts[0]), float(parts[1])
            count = int(parts[2]) if len(parts) == 3 else None
        except ValueError:
            raise wrong("an interval has two numbers, and a whole number of values") from None
        if not (math.isfinite(first) and math.isfinite(last)) or first == last:
            raise wrong("the ends of an interval are different numbers")
        if count is not None and count < 2:
            raise wrong("an interval has two values or more")
        if logarithmic and not (first > 0.0 and last > 0.0 and 0.0 < last / first < math.inf):
            raise wrong("equal ratios require positive numbers whose ratio is a number")
        return cls(ends=(first, last), count=count, logarithmic=logarithmic)

    def __len__(self) -> int:
        return len(self.listed) or self.count or 0

    def texts(self) -> list[str]:
        """The values of a list, or the equally spaced values of an interval, as text."""
        if self.listed:
            return list(self.listed)
        first, last = self.ends
        intervals = len(self) - 1
        inner = [number_text(self._interpolated(float(k), float(intervals))) for k in range(1, intervals)]
        return [number_text(first), *inner, number_text(last)]

    def at_fraction(self, fraction: float) -> str:
        """The value at a fraction in [0, 1) of the list or the interval, as text."""
        if self.listed:
            return self.listed[min(int(fraction * len(self.listed)), len(self.listed) - 1)]
        return number_text(self._interpolated(fraction, 1.0))

    def _interpolated(self, part: float, whole: float) -> float:
        """The value at the fraction `part / whole` of the interval."""
        first, last = self.ends
        if self.logarithmic:
            return _rounded(first * (last / first) ** (part / whole), 12)
        return first * ((whole - part) / whole) + last * (part / whole)


def runs_of(parameters: dict[str, Values], design: str, runs: int | None, seed: int) -> list[tuple[str, ...]]:
    """For each run, the values of all parameters as text. `runs` and `seed` are those of random designs.

    Raises `ArgumentError` if the design does not exist or does not fit the values.
    """
    if design not in DESIGNS:
        raise ArgumentError("design", design, f"no design `{design}`", f"known: {', '.join(DESIGNS)}")
    random = design in ("random", "latin-hypercube")
    if random != (runs is not None) or (runs is not None and runs < 1):
        message = "requires a number of runs from 1 on" if random else "has the number of runs that its values determine"
        raise ArgumentError("runs", str(runs), f"the design {design} {message}", "give or leave out `runs`")
    for path, values in parameters.items():
        if not values.listed and random == (values.count is not None):
            message = "`runs` gives the number of runs" if random else "the interval has no number of values"
            raise ArgumentError(f"vary[{path!r}]", str(values.ends), message, _VALUE_FORMS)
    if random:
        _check_run_count(runs or 0)
        columns = parameters.values()
        return [
            tuple(values.at_fraction(fraction) for values, fraction in zip(columns, sample, strict=True))
            for sample in fractions(design, runs or 0, len(parameters), seed)
        ]
    lengths = [len(values) for values in parameters.values()]
    if design == "zip":
        if len(set(lengths)) > 1:
            raise ArgumentError("vary", str(lengths), "the design zip requires equally many values", _VALUE_FORMS)
        return list(zip(*(values.texts() for values in parameters.values()), strict=True))
    _check_run_count(math.prod(lengths))
    return list(itertools.product(*(values.texts() for values in parameters.values())))


def _check_run_count(runs: int) -> None:
    """Rejects a sweep of more than `MAX_RUNS` runs."""
    if runs > MAX_RUNS:
        raise ArgumentError("vary", str(runs), f"a sweep has at most {MAX_RUNS} runs", "take fewer values")


def fractions(design: str, runs: int, parameters: int, seed: int) -> Iterable[tuple[float, ...]]:
    """For each run, a sample of the unit cube with a coordinate for each parameter.

    In a Latin hypercube each coordinate has exactly one sample in each of `runs` equal intervals.
    """
    random = SplitMix64(seed)
    if design == "random":
        return [tuple(random.unit() for _ in range(parameters)) for _ in range(runs)]

    def stratified_samples() -> Iterator[float]:
        strata = random.permutation(runs)
        return iter([(stratum + random.unit()) / runs for stratum in strata])

    return list(zip(*[list(stratified_samples()) for _ in range(parameters)], strict=True))
