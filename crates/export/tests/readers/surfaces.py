"""OBJ and PLY by trimesh; PLY by meshio, too, which reads no edges, where there are none."""

import meshio
import numpy
import trimesh
from truth import NAMES, TIMES, TRUTH, off, path, positions

worst = {"obj": 0.0, "ply": 0.0}
for sample in range(len(TIMES)):
    whole = {"process": False, "maintain_order": True, "group_material": False, "split_groups": True}
    scene = trimesh.load(path("obj", f"frame_{sample:06}.obj"), **whole)
    expected = [positions(n, sample)[TRUTH[n + ".triangles"]] for n in NAMES]
    expected = [triangles for triangles in expected if len(triangles)]
    parts = scene.geometry.values() if isinstance(scene, trimesh.Scene) else [scene]
    found = numpy.concatenate([part.triangles for part in parts])
    worst["obj"] = max(worst["obj"], off(found, numpy.concatenate(expected)))

    file = path("ply", f"frame_{sample:06}.ply")
    mesh = trimesh.load(file, process=False)
    vertices, faces = mesh.vertices, mesh.faces
    if not any(name + ".edges" in TRUTH.files for name in NAMES):
        mesh = meshio.read(file)
        assert off(mesh.points, vertices) == 0.0
        assert off(mesh.cells_dict["triangle"], faces) == 0.0
    expected = numpy.concatenate([positions(n, sample) for n in NAMES])
    worst["ply"] = max(worst["ply"], off(vertices, expected))
    first, corners = 0, []
    for name in NAMES:
        corners.append(TRUTH[name + ".triangles"] + first)
        first += len(positions(name, 0))
    assert off(faces, numpy.concatenate(corners)) == 0.0
print(worst)
assert max(worst.values()) < 1e-6
print("the same")
