"""USD by Pixar's library: composed, measured, and every point in the world at every time."""

import os

import numpy
from pxr import Usd, UsdGeom
from truth import NAMES, TIMES, TRUTH, off, path, positions, word


def check(file, turn, up, unit):
    stage = Usd.Stage.Open(path("usda", file))
    assert UsdGeom.GetStageUpAxis(stage) == up
    assert abs(UsdGeom.GetStageMetersPerUnit(stage) - unit) < 1e-12
    worst = 0.0
    run = stage.GetDefaultPrim()
    bodies = {word(p.GetMetadata("displayName")): p for p in run.GetChildren()}
    assert sorted(bodies) == sorted(NAMES), (sorted(bodies), NAMES)
    rate = stage.GetTimeCodesPerSecond()
    for name, body in bodies.items():
        shapes = [UsdGeom.PointBased(p) for p in body.GetChildren() if p.IsA(UsdGeom.PointBased)]
        for sample, time in enumerate(TIMES):
            code = Usd.TimeCode((time - TIMES[0]) * rate)
            world = numpy.array(UsdGeom.Xformable(body).ComputeLocalToWorldTransform(code))
            expected = positions(name, sample) @ turn.T / unit
            for shape in shapes:
                points = numpy.array(shape.GetPointsAttr().Get(code), dtype=float)
                placed = points @ world[:3, :3] + world[3, :3]
                if shape.GetPrim().GetTypeName() == "Mesh":
                    chosen = expected
                    corners = numpy.array(UsdGeom.Mesh(shape).GetFaceVertexIndicesAttr().Get())
                    if set(UsdGeom.Mesh(shape).GetFaceVertexCountsAttr().Get()) == {3}:
                        assert (corners.reshape(-1, 3) == TRUTH[name + ".triangles"]).all()
                    valid = UsdGeom.Mesh.ValidateTopology(
                        UsdGeom.Mesh(shape).GetFaceVertexIndicesAttr().Get(),
                        UsdGeom.Mesh(shape).GetFaceVertexCountsAttr().Get(),
                        len(points),
                    )
                    assert valid if isinstance(valid, bool) else valid[0], valid
                else:
                    assert shape.GetPrim().GetTypeName() in ["BasisCurves", "Points"]
                    nearest = numpy.abs(expected[None] - placed[:, None]).max(axis=2).argmin(axis=1)
                    chosen = expected[nearest]
                worst = max(worst, off(placed, chosen) * unit)
                extent = shape.GetExtentAttr().Get(code)
                bound = UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(shape), code)
                assert off(extent, bound) * unit < 1e-6
                assert len(shape.GetDisplayColorAttr().Get()) == 1
                if sample + 1 < len(TIMES):
                    # Points moved by velocities are those between the samples.
                    later = (TIMES[sample + 1] - TIMES[0]) * rate
                    between = Usd.TimeCode(0.4 * code.GetValue() + 0.6 * later)
                    moved = numpy.array(shape.ComputePointsAtTime(between, between), dtype=float)
                    linear = numpy.array(shape.GetPointsAttr().Get(between), dtype=float)
                    assert off(moved, linear) * unit < 1e-5, off(moved, linear)
    return worst


errors = check("scene.usda", numpy.eye(3), "Y", 1.0)
if os.path.exists(path("usda", "turned.usda")):
    z_up = numpy.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    errors = max(errors, check("turned.usda", z_up, "Z", 0.01))
print(f"off by at most {errors:.1e} m")
assert errors < 2e-6
print("the same")
