"""Contact alone: what may touch, when it would, the barrier between it as a function of positions, and friction as a
function of velocities.

    from resile import contact

    mesh = contact.CollisionMesh(rest, triangles, friction=0.3)
    candidates, fraction = mesh.search(x, x + step, d_hat=1e-3)
    barrier = contact.BarrierPotential(d_hat=1e-3, kappa=1e5)
    energy = barrier.value(mesh, candidates, x)          # J
    force = -barrier.gradient(mesh, candidates, x)       # (n, 3), N
    matrix = contact.hessian(barrier, mesh, candidates, x)   # scipy CSR (3n, 3n), N/m

    lagged = contact.LaggedContacts(mesh, candidates, barrier, x)
    friction = contact.FrictionPotential(slip_speed=1e-3)
    force = -friction.gradient(mesh, lagged, v)          # (n, 3), N
    matrix = contact.hessian(friction, mesh, lagged, v)  # scipy CSR (3n, 3n), kg/s
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ._resile import BarrierPotential, Candidates, CollisionMesh, FrictionPotential, LaggedContacts, barrier

if TYPE_CHECKING:
    import scipy.sparse


@overload
def hessian(
    potential: BarrierPotential, mesh: CollisionMesh, pairs: Candidates, at: ArrayLike, *, projected: bool = False
) -> scipy.sparse.csr_array: ...
@overload
def hessian(
    potential: FrictionPotential, mesh: CollisionMesh, pairs: LaggedContacts, at: ArrayLike, *, projected: bool = False
) -> scipy.sparse.csr_array: ...
def hessian(
    potential: Any, mesh: CollisionMesh, pairs: Any, at: ArrayLike, *, projected: bool = False
) -> scipy.sparse.csr_array:
    """The Hessian of a potential: a CSR matrix (3n, 3n), three rows a vertex.

    Of a barrier it is at positions `at` (n, 3) in m, in N/m; `projected` clamps negative eigenvalues pair by pair, so that
    the matrix is positive semidefinite. Of friction it is at velocities `at` (n, 3) in m/s, in kg/s, and always positive
    semidefinite.
    """
    import scipy.sparse

    if isinstance(potential, FrictionPotential):
        places, values = potential.hessian_blocks(mesh, pairs, at)
    else:
        places, values = potential.hessian_blocks(mesh, pairs, at, projected)
    blocks = values.reshape(-1, 3, 3)
    off = places[:, 0] != places[:, 1]
    rows = np.concatenate([places[:, 0], places[off, 1]])
    columns = np.concatenate([places[:, 1], places[off, 0]])
    blocks = np.concatenate([blocks, blocks[off].transpose(0, 2, 1)])
    inner = np.arange(3)
    i = np.broadcast_to(3 * rows[:, None, None] + inner[:, None], blocks.shape)
    j = np.broadcast_to(3 * columns[:, None, None] + inner, blocks.shape)
    size = 3 * len(np.asarray(at))
    return scipy.sparse.coo_array((blocks.ravel(), (i.ravel(), j.ravel())), shape=(size, size)).tocsr()


__all__ = [
    "BarrierPotential",
    "Candidates",
    "CollisionMesh",
    "FrictionPotential",
    "LaggedContacts",
    "barrier",
    "hessian",
]
