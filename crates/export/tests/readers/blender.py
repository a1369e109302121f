"""Reads exports of a run in Blender and holds the vertices of a body against the NumPy export.

    sim run first && for f in glb pc2 npz; do sim export out/first --format $f; done
    blender -b --python crates/export/tests/readers/blender.py -- out/first cube

Run by hand: Blender is too large to be installed for tests.
"""

import os
import sys

import bpy
import numpy
from mathutils import Vector

# Debian's Blender 3.4 asks for a name that its NumPy no longer has.
numpy.bool = bool

FOLDER, BODY = sys.argv[sys.argv.index("--") + 1 :]
FOLDER = os.path.abspath(FOLDER)
RUN = numpy.load(f"{FOLDER}/export.npz")
POSITIONS, TIMES = RUN[f"{BODY}.positions"], RUN["times"]


def begin():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round((len(TIMES) - 1) / TIMES[-1])


def vertices(thing):
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return numpy.array([list(vertex.co) for vertex in evaluated.to_mesh().vertices])


begin()
bpy.ops.import_scene.gltf(filepath=f"{FOLDER}/export.glb")
thing, worst = bpy.data.objects[BODY], 0.0
for number, time in enumerate(TIMES):
    bpy.context.scene.frame_set(round(time * bpy.context.scene.render.fps))
    for x in vertices(thing):
        x = thing.matrix_world @ Vector(x)
        y_up = numpy.array([x.x, x.z, -x.y])
        worst = max(worst, numpy.linalg.norm(POSITIONS[number] - y_up, axis=1).min())
print(f"glb: {len(vertices(thing))} vertices, at most {worst:.1e} m from one of the run's")

begin()
bpy.ops.import_scene.obj(filepath=f"{FOLDER}/export-pc2/{BODY}.obj")
thing = next(thing for thing in bpy.data.objects if thing.type == "MESH")
modifier = thing.modifiers.new("run", "MESH_CACHE")
modifier.cache_format, modifier.filepath = "PC2", f"{FOLDER}/export-pc2/{BODY}.pc2"
worst = 0.0
for number in range(len(TIMES)):
    bpy.context.scene.frame_set(number)
    worst = max(worst, abs(vertices(thing) - POSITIONS[number]).max())
print(f"pc2: {len(vertices(thing))} vertices in the run's order, at most {worst:.1e} m off")
