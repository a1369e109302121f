#!/usr/bin/env bash
# Blender: an imported USD animation plays at one time code per frame, whatever `timeCodesPerSecond` says.
#
# A stage with 60 time codes a second and 61 samples lasts one second. In a Blender scene of 24 frames a second it lasts 2.5:
# frame 24 shows time code 24, which is 0.4 s. The import sets the frame range to the time codes and leaves the frame rate of
# the scene as it is. The same holds for transforms and for points (MeshSequenceCache). The animation is in time if the
# frame rate of the scene is set to `timeCodesPerSecond`, or the stage is exported at the frame rate of the scene.
# Source: bpy 4.2.0 and usd-core 26.11 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check bpy==4.2.0
python3 -m venv "$place/usd"
"$place/usd/bin/pip" install -q --disable-pip-version-check usd-core==26.11
"$place/usd/bin/python" - <<'PY'
from pxr import Usd, UsdGeom

RATE = 60
stage = Usd.Stage.CreateNew("moving.usda")
stage.SetTimeCodesPerSecond(RATE)
stage.SetFramesPerSecond(RATE)
stage.SetStartTimeCode(0)
stage.SetEndTimeCode(RATE)
mesh = UsdGeom.Mesh.Define(stage, "/points")
stage.SetDefaultPrim(mesh.GetPrim())
mesh.CreateFaceVertexCountsAttr([3])
mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
points = mesh.CreatePointsAttr()
for code in range(RATE + 1):
    x = code / RATE
    points.Set([(x, 0, 0), (x + 1, 0, 0), (x, 1, 0)], code)
stage.Save()
PY
"$place/env/bin/python" - <<'PY' | grep -v "USD import"
import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24
bpy.ops.wm.usd_import(filepath="moving.usda")
print(f"frame rate {scene.render.fps}, frames {scene.frame_start} to {scene.frame_end}")
(mesh,) = [body for body in bpy.data.objects if body.type == "MESH"]
shown = {}
for frame in (12, 24, 60):
    scene.frame_set(frame)
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shown[frame] = evaluated.to_mesh().vertices[0].co.x
    print(f"frame {frame} is {frame / 24:.2f} s of the scene and shows {shown[frame]:.2f} s of the animation")
assert scene.render.fps == 24 and abs(shown[24] - 0.4) < 1e-6 and abs(shown[60] - 1.0) < 1e-6, "time codes are scaled"
print("holds: frames are time codes")
PY
