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


def _is_notebook() -> bool:
    """Whether the interpreter is the kernel of a notebook."""
    shell: Any = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


class Progress:
    """Displays the progress of a run, at most five times a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.start = time.monotonic()
        self.last_display = 0.0
        """Time of the last display (s); 0 before the first."""
        self.handle: Any = None
        """The display of a notebook that is updated."""
        self.in_notebook = _is_notebook()
        self.in_terminal = not self.in_notebook and sys.stderr.isatty()

    def __call__(
        self,
        steps: int,
        steps_asked: int,
        sim_time: float,
        newton: int,
        energy: float,
        expected_energy: float | None,
    ) -> None:
        now = time.monotonic()
        if steps < steps_asked and now - self.last_display < 0.2:
            return
        self.last_display = now
        left = (now - self.start) / max(steps, 1) * (steps_asked - steps)
        text = (
            f"{self.name}: step {steps} of {steps_asked}, t = {sim_time:.4g} s, energy {energy:.4g} J, "
            f"{left:.0f} s left"
        )
        if self.in_notebook:
            self._display(steps / max(steps_asked, 1), text)
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
