"""Progress of a run: a line in a terminal, a bar in a notebook."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

Step = Callable[[int, int, float, int, float, float | None], None]
"""A function of the number of steps, the requested number of steps, the time (s), the Newton iterations, the energy (J) and
the expected energy (J; `None` along an equilibrium path)."""


RunsEnded = Callable[[int, int], None]
"""A function of the number of runs that have ended and the number of all runs."""


def runs_callback(progress: bool | RunsEnded | None, name: str) -> RunsEnded | None:
    """The function of an argument `progress`: a display of this name for `True`. Raises `TypeError` for other objects."""
    if progress is True:
        return RunsProgress(name)
    if progress is False or progress is None:
        return None
    check_callback(progress)
    return progress


def check_callback(progress: Any) -> None:
    """Raises `TypeError` for a `progress` that is neither a function nor `None`."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be True, False or a function, not {type(progress).__name__}")


def _is_notebook() -> bool:
    """Whether the interpreter is the kernel of a notebook."""
    shell: Any = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


class _Line:
    """A line or a bar that is updated at most five times a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.start = time.monotonic()
        self.last_display = 0.0
        """Time of the last display (s); 0 before the first."""
        self.handle: Any = None
        """The display of a notebook that is updated."""
        self.in_notebook = _is_notebook()
        self.in_terminal = not self.in_notebook and sys.stderr.isatty()

    def _show(self, done: int, asked: int, state: str) -> None:
        """Displays that `done` of `asked` parts are done, with their state; the last part is always displayed."""
        now = time.monotonic()
        if done < asked and now - self.last_display < 0.2:
            return
        self.last_display = now
        left = (now - self.start) / max(done, 1) * (asked - done)
        text = f"{self.name}: {state}, {left:.0f} s left"
        if self.in_notebook:
            self._display(done / max(asked, 1), text)
        elif self.in_terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def _display(self, fraction: float, text: str) -> None:
        """Displays a bar and a text in a notebook."""
        ipython: Any = importlib.import_module("IPython.display")
        html = ipython.HTML(f"<progress max='1' value='{fraction:.4f}' style='width:20em'></progress> {text}")
        if self.handle is None:
            self.handle = ipython.display(html, display_id=True)
        else:
            self.handle.update(html)

    def close(self) -> None:
        """Ends the line of a terminal."""
        if self.in_terminal and self.last_display:
            sys.stderr.write("\n")


class Progress(_Line):
    """Displays the progress of a run."""

    def __call__(
        self,
        steps: int,
        steps_asked: int,
        sim_time: float,
        newton: int,
        energy: float,
        expected_energy: float | None,
    ) -> None:
        state = f"step {steps} of {steps_asked}, t = {sim_time:.4g} s, energy {energy:.4g} J"
        self._show(steps, steps_asked, state)


class RunsProgress(_Line):
    """Displays how many of several runs have ended."""

    def __call__(self, ended: int, runs: int) -> None:
        self._show(ended, runs, f"{ended} of {runs} runs")
        if ended == runs:
            self.close()
