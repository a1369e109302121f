#!/usr/bin/env bash
# MED files: meshio and Gmsh number solid elements in opposite orientation, so every element of one is inverted in the other.
#
# Gmsh turns solid elements when it writes or reads MED, the format of Salome and Code_Aster, because MED numbers the corners of a
# tetrahedron or hexahedron from the other side than Gmsh and VTK. meshio copies the numbers. Of a box that Gmsh meshes and writes as
# MED, meshio reads only cells of negative volume, with a boundary whose triangles and quadrangles still point outwards: faces taken from
# the cells and faces of the file have opposite pressures. The same box by way of .msh or .vtk is right. The tetrahedra that meshio
# writes are inverted in Gmsh. A round trip in one program shows nothing.
# Source: gmsh 4.15.2 and meshio 5.3.5 from PyPI; Gmsh needs libGLU and libXrender of the system.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check gmsh==4.15.2 meshio==5.3.5 h5py==3.16.0 numpy==2.4.6
"$place/env/bin/python" - <<'PY' | grep -v '^$'
import gmsh
import meshio
import numpy as np

FIRST_THREE = {"tetra": (1, 2, 3), "hexahedron": (1, 3, 4)}  # corners that span a cell from its corner 0


def volumes(mesh):
    """Sum of the volumes of the cells, the volume that the boundary faces enclose, and the number of negative cells."""
    inside, enclosed, negative = 0.0, 0.0, 0
    for block in mesh.cells:
        corners = mesh.points[block.data]
        if block.type in FIRST_THREE:
            spans = np.linalg.det(corners[:, FIRST_THREE[block.type]] - corners[:, :1])
            inside += spans.sum() / (6 if block.type == "tetra" else 1)
            negative += np.sum(spans < 0)
        elif block.type in ("triangle", "quad"):
            for second in range(1, corners.shape[1] - 1):
                enclosed += np.linalg.det(corners[:, [0, second, second + 1]]).sum() / 6
    return inside, enclosed, negative


gmsh.initialize()
gmsh.option.setNumber("General.Verbosity", 1)
for kind in ("tetrahedra", "hexahedra"):
    gmsh.clear()
    box = gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [box], name="body")
    gmsh.model.addPhysicalGroup(2, [tag for _, tag in gmsh.model.getEntities(2)], name="boundary")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
    if kind == "hexahedra":
        gmsh.model.mesh.setTransfiniteAutomatic()
    gmsh.model.mesh.generate(3)
    for extension, sign in (("msh", 1), ("vtk", 1), ("med", -1)):
        gmsh.write(f"box.{extension}")
        inside, enclosed, negative = volumes(meshio.read(f"box.{extension}"))
        print(f"{kind} from Gmsh by .{extension}: sum of volumes {inside:+.3f}, {negative} negative; "
              f"faces enclose {enclosed:+.3f}")
        assert np.isclose(inside, sign) and np.isclose(enclosed, 1), "the finding is out of date"
corner = meshio.Mesh(np.vstack([np.zeros(3), np.eye(3)]), [("tetra", [[0, 1, 2, 3]])])
for extension, sign in (("msh", 1), ("med", -1)):
    corner.write(f"corner.{extension}", file_format="gmsh22" if extension == "msh" else "med")
    gmsh.clear()
    gmsh.merge(f"corner.{extension}")
    [volume] = gmsh.model.mesh.getElementQualities(gmsh.model.mesh.getElementsByType(4)[0], "volume")
    print(f"tetrahedron from meshio by .{extension}: volume {volume:+.3f} in Gmsh")
    assert np.isclose(volume, sign / 6), "the finding is out of date"
gmsh.finalize()
print("holds: solid elements of MED files are inverted between Gmsh and meshio")
PY
