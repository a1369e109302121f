"""Results of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._errors import named_entry


@dataclass(frozen=True)
class Contacts:
    """Contacts by pairs of bodies, and the contact forces on the surface points of each body.

    Forces of friction are those of a step that begins in the current state.
    """

    names: list[list[str]]
    """For each of the k pairs, the names in the scene of two bodies, or of a body and an obstacle."""
    pairs: NDArray[np.int64]
    """(k, 2): indices of the bodies and obstacles of each pair; indices of obstacles follow those of bodies."""
    gaps: NDArray[np.float64]
    """(k,): smallest gap of each pair (m)."""
    counts: NDArray[np.int64]
    """(k,): number of active contacts (vertex-triangle, edge-edge, ...) of each pair."""
    normal: NDArray[np.float64]
    """(k, 3): barrier force of the second on the first of each pair (N)."""
    friction: NDArray[np.float64]
    """(k, 3): friction force of the second on the first of each pair (N)."""
    bodies: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    """Barrier forces and friction forces on the surface points of each body, by name (N)."""

    def __len__(self) -> int:
        return len(self.pairs)

    def on(self, body: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Barrier forces and friction forces on the surface points of a body: two arrays (p, 3) in newtons."""
        return named_entry("body", body, self.bodies)
