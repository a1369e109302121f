#!/usr/bin/env bash
# Newton: a soft body made by `add_soft_grid` weighs more than its density times its volume, 3.4 times for 2 x 2 x 2 cells.
#
# Each particle gets the mass of a whole cell, on faces, edges and corners of the grid as well. With n cells along an edge
# the mass is ((n + 1) / n)^3 times that of the solid: 3.38 times for n = 2, 1.73 for n = 5, still 1.33 for n = 10. Elastic
# forces follow from the true volume, so sag, frequencies and impacts are those of a heavier material, and refinement
# changes the weight. `add_soft_mesh` with the same tetrahedra gives the right mass, a quarter of each tetrahedron per corner.
# Source: newton 1.8.0 with warp-lang 1.19.0 from PyPI, on the processor.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check newton==1.8.0 warp-lang==1.19.0 numpy==2.4.6
WARP_CACHE_PATH="$place/cache" "$place/env/bin/python" - <<'PY'
import newton
import numpy as np
import warp as wp

wp.config.quiet = True
EDGE, DENSITY = 0.2, 1000.0
common = dict(
    pos=wp.vec3(0.0, 0.0, 0.0), rot=wp.quat_identity(), vel=wp.vec3(0.0, 0.0, 0.0),
    density=DENSITY, k_mu=1e4, k_lambda=1e4, k_damp=0.0,
)
for n in (2, 5, 10):
    grid = newton.ModelBuilder()
    cell = EDGE / n
    grid.add_soft_grid(dim_x=n, dim_y=n, dim_z=n, cell_x=cell, cell_y=cell, cell_z=cell, **common)
    points, tets = np.array(grid.particle_q), np.array(grid.tet_indices)
    mesh = newton.ModelBuilder()
    mesh.add_soft_mesh(scale=1.0, vertices=[wp.vec3(*p) for p in points], indices=tets.flatten().tolist(), **common)
    exact = DENSITY * EDGE**3
    of_grid, of_mesh = sum(grid.particle_mass) / exact, sum(mesh.particle_mass) / exact
    print(f"{n}^3 cells: mass over density times volume {of_grid:.3f} by add_soft_grid, {of_mesh:.3f} by add_soft_mesh")
    assert np.isclose(of_grid, ((n + 1) / n) ** 3), "the mass of the grid has changed"
    assert np.isclose(of_mesh, 1.0), "the mass of the mesh has changed"
print("holds: every particle of a grid has the mass of a whole cell")
PY
