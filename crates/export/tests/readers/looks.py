"""What bodies look like, in USD by Pixar's library and in glTF by trimesh: the run of tests/export/looks.rs."""

import numpy
import trimesh
from pxr import Usd, UsdGeom, UsdShade, UsdValidation
from truth import NAMES, TIMES, TRUTH, off, path, positions, word

RADIUS = 0.05


def facing(points, corners, normals):
    """The least cosine between the normals of corners and their face."""
    a, b, c = points[corners[:, 0]], points[corners[:, 1]], points[corners[:, 2]]
    faces = numpy.cross(b - a, c - a)
    faces /= numpy.linalg.norm(faces, axis=1)[:, None]
    return (faces[:, None] * normals).sum(axis=2).min()


def texture_of(places, is_second):
    """Where the file of the sail says that places at rest are in the texture."""
    return 0.4 * places[:, [0, 2]] + numpy.where(is_second, 0.1, 0.0)[:, None] * [1, 0]


def check_mesh(mesh, name, codes):
    points = mesh.GetPointsAttr()
    counts = numpy.array(mesh.GetFaceVertexCountsAttr().Get())
    corners = numpy.array(mesh.GetFaceVertexIndicesAttr().Get())
    interpolation = mesh.GetNormalsInterpolation()
    for code in codes:
        at = numpy.array(points.Get(code), dtype=float)
        normals = numpy.array(mesh.GetNormalsAttr().Get(code), dtype=float)
        assert abs(numpy.linalg.norm(normals, axis=1) - 1).max() < 2e-4
        if interpolation == "vertex":
            assert len(normals) == len(at)
            normals = normals[corners]
        assert len(normals) == len(corners)
        first = numpy.concatenate([[0], counts.cumsum()[:-1]])
        triangles = corners[first[:, None] + [0, 1, 2]]
        assert facing(at, triangles, normals[first[:, None] + [0, 1, 2]]) > 0.9
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    assert bool(st) == (name == "sail")
    if st:
        assert st.GetInterpolation() == "faceVarying"
        rest = numpy.array(points.Get(codes[0]), dtype=float)[corners]
        is_second = numpy.repeat(numpy.arange(len(counts)) > 0, counts)
        assert off(st.ComputeFlattened(), texture_of(rest, is_second)) < 1e-6


def check_subsets(mesh):
    """The faces of the second square of the sail have the material of the file, the first that of the body."""
    subsets = UsdShade.MaterialBindingAPI(mesh).GetMaterialBindSubsets()
    assert [list(subset.GetIndicesAttr().Get()) for subset in subsets] == [[1, 2, 3]]
    material, _ = UsdShade.MaterialBindingAPI(subsets[0].GetPrim()).ComputeBoundMaterial()
    assert material.GetPrim().GetDisplayName() == "red cloth"
    whole, _ = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()
    assert whole.GetPrim().GetName() == "material"
    assert UsdGeom.Subset.GetFamilyType(mesh, "materialBind") == "nonOverlapping"
    valid, reason = UsdGeom.Subset.ValidateFamily(mesh, "face", "materialBind")
    assert valid, reason


def check_curves(curves, name):
    assert abs(curves.GetWidthsAttr().Get()[0] - 2 * RADIUS) < 1e-7
    counts = list(curves.GetCurveVertexCountsAttr().Get())
    wrap, points = curves.GetWrapAttr().Get(), numpy.array(curves.GetPointsAttr().Get(0.0))
    found, start = set(), 0
    known = positions(name, 0)
    for count in counts:
        own = points[start : start + count]
        own = [int(abs(known - p).max(axis=1).argmin()) for p in own]
        pairs = list(zip(own, own[1:])) + ([(own[-1], own[0])] if wrap == "periodic" else [])
        found |= {tuple(sorted(pair)) for pair in pairs}
        start += count
    assert start == len(points)
    assert found == {tuple(sorted(pair)) for pair in TRUTH[name + ".edges"].tolist()}


def check_usd():
    stage = Usd.Stage.Open(path("usda", "scene.usda"))
    rate = stage.GetTimeCodesPerSecond()
    codes = [(time - TIMES[0]) * rate for time in TIMES]
    for body in stage.GetDefaultPrim().GetChildren():
        name = word(body.GetMetadata("displayName"))
        shapes = [child for child in body.GetChildren() if child.IsA(UsdGeom.PointBased)]
        for prim in shapes:
            material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
            shader = material.ComputeSurfaceSource()[0]
            assert shader.GetIdAttr().Get() == "UsdPreviewSurface"
            color = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get()[0]
            assert shader.GetInput("diffuseColor").Get() == color
            shape = UsdGeom.PointBased(prim)
            at = [numpy.array(shape.GetPointsAttr().Get(code), dtype=float) for code in codes]
            for code, here, there in zip(codes, at, at[1:]):
                velocities = numpy.array(shape.GetVelocitiesAttr().Get(code))
                assert off(velocities, (there - here) * rate) < 1e-5
            for code in codes:
                bound = UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), code)
                assert off(bound, UsdGeom.Boundable(prim).GetExtentAttr().Get(code)) < 1e-6
            if prim.IsA(UsdGeom.Mesh):
                check_mesh(UsdGeom.Mesh(prim), name, codes)
                if name == "sail":
                    check_subsets(UsdGeom.Mesh(prim))
            else:
                check_curves(UsdGeom.BasisCurves(prim), name)
    everything = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    errors = UsdValidation.ValidationContext(everything).Validate(stage)
    assert not errors, [error.GetErrorAsString() for error in errors]


def check_gltf():
    scene = trimesh.load(path("glb", "scene.glb"), process=False)
    found = {}
    for node in scene.graph.nodes_geometry:
        place, key = scene.graph[node]
        # A mesh of several materials has a node for each, called like the mesh with a suffix.
        found.setdefault(word(node).split("_")[0], []).append((scene.geometry[key], place[:3, 3]))
    assert set(NAMES) <= set(found), (NAMES, found.keys())
    assert all(len(found[name]) == (2 if name == "sail" else 1) for name in NAMES)
    triangles = TRUTH["sail.triangles"]
    chosen = {"sail": triangles[:2], "red cloth": triangles[2:]}
    for mesh, place in found["sail"]:
        own = chosen.pop(mesh.visual.material.name)
        at = mesh.vertices + place
        assert off(at[mesh.faces], positions("sail", 0)[own]) < 1e-6
        assert "vertex_normals" in mesh._cache
        assert facing(at, mesh.faces, mesh.vertex_normals[mesh.faces]) > 0.9
        corners = mesh.faces.ravel()
        is_second = numpy.full(len(corners), mesh.visual.material.name != "sail")
        assert off(mesh.visual.uv[corners], texture_of(at[corners], is_second)) < 1e-6
    assert not chosen
    ((ball, place),) = found["ball"]
    at = ball.vertices + place
    assert off(at[ball.faces], positions("ball", 0)[TRUTH["ball.triangles"]]) < 1e-6
    assert "vertex_normals" in ball._cache
    assert facing(at, ball.faces, ball.vertex_normals[ball.faces]) > 0.9
    assert len(ball.vertices) == len(positions("ball", 0)), "no vertex is split"
    assert abs(ball.vertex_normals - 2 * ball.vertices).max() < 0.02


check_usd()
check_gltf()
print("the same")
