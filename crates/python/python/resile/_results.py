"""What a simulation tells of itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._errors import UnknownNameError


@dataclass(frozen=True)
class Contacts:
    """What touches, by pairs of bodies, and the forces on the points of each body.

    Friction is that which acts over a step that begins now.
    """

    names: list[list[str]]
    """The two bodies of each of k pairs, or a body and an obstacle, by their names in the scene."""
    pairs: NDArray[np.int64]
    """(k, 2): their numbers, those of obstacles behind those of bodies."""
    gaps: NDArray[np.float64]
    """(k,): the smallest gap between them (m)."""
    counts: NDArray[np.int64]
    """(k,): pairs of vertices, edges and triangles that act."""
    normal: NDArray[np.float64]
    """(k, 3): force of the barrier on the first from the second (N)."""
    friction: NDArray[np.float64]
    """(k, 3): force of friction on the first from the second (N)."""
    bodies: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]

    def __len__(self) -> int:
        return len(self.pairs)

    def on(self, body: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Forces of the barrier and of friction on the points of a body: two arrays (p, 3) in newtons."""
        try:
            return self.bodies[body]
        except KeyError:
            raise UnknownNameError("body", body, list(self.bodies)) from None
