#!/usr/bin/env bash
# Blender: the Mesh Cache modifier ignores the times in PC2 and MDD files, and divides seconds by the frame rate.
#
# A PC2 header has a start frame and the number of frames between samples, an MDD file a time in seconds for each sample.
# In the default frame mode Blender shows sample k at frame k (or k after `frame_start`), whatever these say: a cache of 60
# samples a second plays 2.5 times slower in a scene of 24 frames a second. With `time_mode` TIME, "seconds", an evaluation
# at 0.5 s shows sample 0.5 / 24 instead of 12. A cache is in time if it has one sample per frame and starts at frame 0, or
# if `frame_scale` and `frame_start` are set.
# Source: bpy 4.2.0 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3.11 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check bpy==4.2.0
"$place/env/bin/python" - "$place" <<'PY' | grep -v '^$'
import struct
import sys

import bpy

PLACE = sys.argv[1]
SAMPLES = 11


def pc2(start, rate):
    """Sample k is at x = k."""
    path = f"{PLACE}/{start}-{rate}.pc2"
    with open(path, "wb") as file:
        file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 1, start, rate, SAMPLES))
        for k in range(SAMPLES):
            file.write(struct.pack("<3f", k, 0, 0))
    return path


def mdd(interval):
    path = f"{PLACE}/{interval}.mdd"
    with open(path, "wb") as file:
        file.write(struct.pack(">ii", SAMPLES, 1))
        file.write(struct.pack(f">{SAMPLES}f", *(interval * k for k in range(SAMPLES))))
        for k in range(SAMPLES):
            file.write(struct.pack(">3f", k, 0, 0))
    return path


def modified(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    mesh = bpy.data.meshes.new("point")
    mesh.from_pydata([(0, 0, 0)], [], [])
    point = bpy.data.objects.new("point", mesh)
    bpy.context.scene.collection.objects.link(point)
    cache = point.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = path[-3:].upper()
    cache.filepath = path
    return point, cache


def position(point):
    return round(point.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh().vertices[0].co.x, 4)


def at_frame(path, frame):
    point, _ = modified(path)
    bpy.context.scene.frame_set(frame)
    return position(point)


def at_time(path, seconds):
    point, cache = modified(path)
    cache.play_mode, cache.time_mode, cache.eval_time = "CUSTOM", "TIME", seconds
    bpy.context.view_layer.update()
    return position(point)


files = {"PC2, starts at 0, a sample a frame": pc2(0, 1), "PC2, starts at 5": pc2(5, 1), "PC2, two samples a frame": pc2(0, 0.5),
         "MDD, 24 samples a second": mdd(1 / 24), "MDD, 60 samples a second": mdd(1 / 60)}
fails = True
for name, path in files.items():
    shown = at_frame(path, 5)
    print(f"{name}: frame 5 shows sample {shown}")
    fails &= shown == 5
shown = at_time(pc2(0, 1), 0.25)
print(f"PC2, a sample a frame: 0.25 s at 24 frames a second shows sample {shown} instead of 6")
fails &= abs(shown - 0.25 / 24) < 1e-3
assert fails, "the finding is out of date"
PY
