"""Contact alone: what may touch, when it would, and the barrier between it, as functions of positions.

    from resile import contact

    mesh = contact.CollisionMesh(rest, triangles)
    candidates, fraction = mesh.search(x, x + step, d_hat=1e-3)
    barrier = contact.BarrierPotential(d_hat=1e-3, kappa=1e5)
    energy = barrier.value(mesh, candidates, x)          # J
    force = -barrier.gradient(mesh, candidates, x)       # (n, 3), N
    matrix = contact.hessian(barrier, mesh, candidates, x)   # scipy CSR (3n, 3n), N/m
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ._resile import BarrierPotential, Candidates, CollisionMesh, barrier

if TYPE_CHECKING:
    import scipy.sparse


def hessian(
    potential: BarrierPotential,
    mesh: CollisionMesh,
    candidates: Candidates,
    x: ArrayLike,
    *,
    projected: bool = False,
) -> scipy.sparse.csr_array:
    """The Hessian (N/m) of a potential at positions `x` (n, 3): a CSR matrix (3n, 3n), three rows a vertex.

    `projected` clamps negative eigenvalues pair by pair, so that the matrix is positive semidefinite.
    """
    import scipy.sparse

    places, values = potential.hessian_blocks(mesh, candidates, x, projected)
    blocks = values.reshape(-1, 3, 3)
    off = places[:, 0] != places[:, 1]
    rows = np.concatenate([places[:, 0], places[off, 1]])
    columns = np.concatenate([places[:, 1], places[off, 0]])
    blocks = np.concatenate([blocks, blocks[off].transpose(0, 2, 1)])
    inner = np.arange(3)
    i = np.broadcast_to(3 * rows[:, None, None] + inner[:, None], blocks.shape)
    j = np.broadcast_to(3 * columns[:, None, None] + inner, blocks.shape)
    size = 3 * len(np.asarray(x))
    return scipy.sparse.coo_array((blocks.ravel(), (i.ravel(), j.ravel())), shape=(size, size)).tocsr()


__all__ = ["BarrierPotential", "Candidates", "CollisionMesh", "barrier", "hessian"]
