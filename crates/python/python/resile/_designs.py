"""Plans of sweeps, as the crate `resile-sweep` makes them: the same runs and the same text, to the bit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import ArgumentError

DESIGNS = ("grid", "zip", "random", "latin-hypercube")
MOST_RUNS = 1_000_000
_FORMS = (
    "values are [0.1, 0.2], ['ImplicitEuler', 'Bdf2'], '0:1:20' (20 equally spaced numbers), '1e4:1e7:4:log' "
    "(equal ratios), or, in random and Latin hypercube designs, '0:1'"
)


def pieces(text: str, separator: str) -> list[str]:
    """The pieces between separators outside of brackets and quotes."""
    depth, quoted, begin, found = 0, False, 0, []
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth = max(depth - 1, 0)
        elif letter == separator and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [*found, text[begin:].strip()]


def positional(value: float) -> str:
    """A number in the shortest form that reads back to the same bits, without an exponent."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return np.format_float_positional(value, unique=True, trim="-")


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def number_text(value: float) -> str:
    """A number with 15 significant digits at most."""
    value = _rounded(value, 15)
    if value == 0.0:
        return "0"
    if 1e-5 <= abs(value) < 1e16:
        return positional(value)
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=1).replace("e+", "e")


def value_text(value: Any) -> str:
    """A value as text of a scene; a string is taken as it is."""
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
    """The random numbers of the program (Steele, Lea, Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def unit(self) -> float:
        return (self.next() >> 11) / 2.0**53

    def permutation(self, n: int) -> list[int]:
        order = list(range(n))
        for last in range(n - 1, 0, -1):
            other = int(self.unit() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order


@dataclass(frozen=True)
class Values:
    """The values of a parameter: a list, or an interval."""

    listed: tuple[str, ...] = ()
    ends: tuple[float, float] = (0.0, 0.0)
    count: int | None = None
    logarithmic: bool = False

    @classmethod
    def parse(cls, path: str, text: str) -> Values:
        def wrong(message: str) -> ArgumentError:
            return ArgumentError(f"vary[{path!r}]", text, message, _FORMS)

        listed = pieces(text, ",")
        if "" in listed:
            raise wrong("a value is missing")
        parts = pieces(text, ":")
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

    def all(self) -> list[str]:
        if self.listed:
            return list(self.listed)
        last = len(self) - 1
        inner = [number_text(self._between(float(k), float(last))) for k in range(1, last)]
        return [number_text(self.ends[0]), *inner, number_text(self.ends[1])]

    def at_fraction(self, fraction: float) -> str:
        if self.listed:
            return self.listed[min(int(fraction * len(self.listed)), len(self.listed) - 1)]
        return number_text(self._between(fraction, 1.0))

    def _between(self, part: float, whole: float) -> float:
        first, last = self.ends
        if self.logarithmic:
            return _rounded(first * (last / first) ** (part / whole), 12)
        return first * ((whole - part) / whole) + last * (part / whole)


def runs_of(parameters: dict[str, Values], design: str, runs: int | None, seed: int) -> list[tuple[str, ...]]:
    """The values of all runs, run by run."""
    if design not in DESIGNS:
        raise ArgumentError("design", design, f"no design `{design}`", f"known: {', '.join(DESIGNS)}")
    random = design in ("random", "latin-hypercube")
    if random != (runs is not None) or (runs is not None and runs < 1):
        message = "requires a number of runs from 1 on" if random else "has the number of runs that its values determine"
        raise ArgumentError("runs", str(runs), f"the design {design} {message}", "give or leave out `runs`")
    for path, values in parameters.items():
        if not values.listed and random == (values.count is not None):
            message = "`runs` gives the number of runs" if random else "the interval has no number of values"
            raise ArgumentError(f"vary[{path!r}]", str(values.ends), message, _FORMS)
    if random:
        _refuse_many(runs or 0)
        columns = parameters.values()
        return [
            tuple(values.at_fraction(fraction) for values, fraction in zip(columns, sample, strict=True))
            for sample in fractions(design, runs or 0, len(parameters), seed)
        ]
    lengths = [len(values) for values in parameters.values()]
    if design == "zip":
        if len(set(lengths)) > 1:
            raise ArgumentError("vary", str(lengths), "the design zip requires equally many values", _FORMS)
        return list(zip(*(values.all() for values in parameters.values()), strict=True))
    _refuse_many(math.prod(lengths))
    return list(itertools.product(*(values.all() for values in parameters.values())))


def _refuse_many(runs: int) -> None:
    if runs > MOST_RUNS:
        raise ArgumentError("vary", str(runs), f"a sweep has at most {MOST_RUNS} runs", "take fewer values")


def fractions(design: str, runs: int, parameters: int, seed: int) -> Iterable[tuple[float, ...]]:
    """Samples of the unit cube, run by run."""
    random = SplitMix64(seed)
    if design == "random":
        return [tuple(random.unit() for _ in range(parameters)) for _ in range(runs)]

    def column() -> Iterator[float]:
        strata = random.permutation(runs)
        return iter([(stratum + random.unit()) / runs for stratum in strata])

    return list(zip(*[list(column()) for _ in range(parameters)], strict=True))
