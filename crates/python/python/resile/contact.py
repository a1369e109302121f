"""Contact without a simulation: candidate pairs, time of impact, the barrier potential as a function of positions, and the
friction potential as a function of velocities.

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
    """The Hessian of a potential: a CSR matrix (3n, 3n) with three rows per vertex.

    For a barrier, `at` are positions (n, 3) in m and the matrix is in N/m; `projected` clamps the negative eigenvalues of
    each pair, so that the matrix is positive semidefinite. For friction, `at` are velocities (n, 3) in m/s and the matrix is
    in kg/s; it is always positive semidefinite.
    """
    import scipy.sparse

    if isinstance(potential, FrictionPotential):
        indices, entries = potential.hessian_blocks(mesh, pairs, at)
    else:
        indices, entries = potential.hessian_blocks(mesh, pairs, at, projected)
    block_rows, block_columns = indices[:, 0], indices[:, 1]
    blocks = entries.reshape(-1, 3, 3)
    # An off-diagonal block also represents its transpose.
    off_diagonal = block_rows != block_columns
    rows = np.concatenate([block_rows, block_columns[off_diagonal]])
    columns = np.concatenate([block_columns, block_rows[off_diagonal]])
    blocks = np.concatenate([blocks, blocks[off_diagonal].transpose(0, 2, 1)])
    axes = np.arange(3)
    i = np.broadcast_to(3 * rows[:, None, None] + axes[:, None], blocks.shape)
    j = np.broadcast_to(3 * columns[:, None, None] + axes, blocks.shape)
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
