"""Progress of a run: a line in a terminal, a bar in a notebook."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

Step = Callable[[int, int, float, int, float, float], None]


def _notebook() -> bool:
    """Whether this is a kernel of a notebook."""
    shell: Any = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


class Progress:
    """Shows how far a run is, at most five times a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.began = time.monotonic()
        self.shown = 0.0
        self.handle: Any = None
        self.in_notebook = _notebook()
        self.in_terminal = not self.in_notebook and sys.stderr.isatty()

    def __call__(self, steps: int, asked: int, at: float, newton: int, energy: float, expected: float) -> None:
        now = time.monotonic()
        if steps < asked and now - self.shown < 0.2:
            return
        self.shown = now
        left = (now - self.began) / max(steps, 1) * (asked - steps)
        text = f"{self.name}: step {steps} of {asked}, t = {at:.4g} s, energy {energy:.4g} J, {left:.0f} s left"
        if self.in_notebook:
            self._display(steps / max(asked, 1), text)
        elif self.in_terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def _display(self, share: float, text: str) -> None:
        ipython: Any = importlib.import_module("IPython.display")
        html = ipython.HTML(f"<progress max='1' value='{share:.4f}' style='width:20em'></progress> {text}")
        if self.handle is None:
            self.handle = ipython.display(html, display_id=True)
        else:
            self.handle.update(html)

    def close(self) -> None:
        """Ends the line."""
        if self.in_terminal and self.shown:
            sys.stderr.write("\n")
