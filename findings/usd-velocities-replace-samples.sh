#!/usr/bin/env bash
# USD: with velocities, points between two time samples are extrapolated from the earlier one, not interpolated.
#
# `points` of a deforming mesh interpolate linearly between their samples. If the mesh also has `velocities` with the same
# sample times, as caches with motion blur do, `ComputePointsAtTime` takes the earlier sample and adds the velocity times
# the time since, so the later sample has no effect until its own time. A body that starts from rest stays in place for
# the whole interval and then jumps; one that is stopped by a contact overshoots it by a frame. `points.Get(time)` of the
# same stage gives the interpolated points. Renderers that sample a shutter by `ComputePointsAtTimes` see the former.
# Source: usd-core 26.11 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check usd-core==26.11
"$place/env/bin/python" - <<'PY'
from pxr import Usd, UsdGeom

RATE = 24.0
# One node that moves from 0 to 1 in the first frame and stays there, with the velocities of a simulation at its samples.
positions, velocities = [0.0, 1.0, 1.0], [0.0, RATE, 0.0]
stage = Usd.Stage.CreateInMemory()
stage.SetTimeCodesPerSecond(RATE)
mesh = UsdGeom.Mesh.Define(stage, "/mesh")
mesh.CreateFaceVertexCountsAttr([3])
mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
points, moving = mesh.CreatePointsAttr(), mesh.CreateVelocitiesAttr()
for code, (x, v) in enumerate(zip(positions, velocities)):
    points.Set([(x, 0, 0), (x + 1, 0, 0), (x, 1, 0)], code)
    moving.Set([(v, 0, 0)] * 3, code)
rows = [(t, points.Get(t)[0][0], mesh.ComputePointsAtTime(t, t)[0][0]) for t in (0.5, 1.0, 1.5, 2.0)]
for time, attribute, computed in rows:
    print(f"time code {time}: attribute {attribute:.2f}, ComputePointsAtTime {computed:.2f}")
assert [row[1] for row in rows] == [0.5, 1.0, 1.0, 1.0], "the attribute is no longer interpolated"
assert [row[2] for row in rows] == [0.0, 1.0, 1.5, 1.0], "computed points have changed"
print("holds: computed points follow the earlier sample and its velocity")
PY
