"""An artist's own mesh goes into a run and comes back by a cache, in Blender without a window.

    blender -b --python suzanne.py -- make folder         # folder/suzanne.obj and folder/scene.ron
    sim run folder/scene.ron -o folder/out && sim export folder/out --format pc2 --up z -o folder/cache
    blender -b --python suzanne.py -- check folder        # the cache on the object that was exported

Run by hand: Blender is too large to be installed for tests.
"""

import os
import struct
import sys

import bpy
import numpy

# Debian's Blender 3.4 asks for a name that its NumPy no longer has.
numpy.bool = bool

WHAT, FOLDER = sys.argv[sys.argv.index("--") + 1 :]
FOLDER = os.path.abspath(FOLDER)
OBJ, CACHE = f"{FOLDER}/suzanne.obj", f"{FOLDER}/cache/suzanne.pc2"

SCENE = """(
    version: 2,
    bodies: [(
        name: "suzanne",
        shape: Fill(file: "suzanne.obj", resolution: Tets(3000), surface: (draw: Original)),
        material: "gelatine", friction: 0.3, placement: (scale: 0.05, translate: (0, 0.12, 0)),
        angular_velocity: (2, 0, 3),
    )],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3)],
    gravity: (0, -9.81, 0),
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/120", duration: 0.5),
    output: (frame_rate: 24),
)
"""


def monkey():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add()
    return bpy.context.object


thing = monkey()
if WHAT == "make":
    with open(f"{FOLDER}/scene.ron", "w") as scene:
        scene.write(SCENE)
    bpy.ops.wm.obj_export(filepath=OBJ, export_selected_objects=True, forward_axis="NEGATIVE_Z", up_axis="Y")
    sys.exit()

raw = open(CACHE, "rb").read()
vertices, samples = struct.unpack("<i", raw[16:20])[0], struct.unpack("<i", raw[28:32])[0]
cache = numpy.frombuffer(raw[32:], "<f4").reshape(samples, vertices, 3)
own = numpy.array([list(v.co) for v in thing.data.vertices])
assert vertices == len(own), f"{vertices} vertices in the cache, {len(own)} in the mesh"
# The placement undone.
rest = (cache[0] - [0, 0, 0.12]) / 0.05
print(f"{vertices} vertices, {len(thing.data.polygons)} faces; the first sample is at most {abs(rest - own).max():.1e} off")
modifier = thing.modifiers.new("run", "MESH_CACHE")
modifier.cache_format, modifier.filepath = "PC2", CACHE
worst = 0.0
for number in range(samples):
    bpy.context.scene.frame_set(number)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = numpy.array([list(v.co) for v in evaluated.to_mesh().vertices])
    worst = max(worst, abs(found - cache[number]).max())
print(f"{samples} samples on the object itself, at most {worst:.1e} off, in its own order of vertices")
bpy.ops.object.light_add(type="SUN", rotation=(0.6, 0.3, 0))
bpy.ops.object.camera_add(location=(0.0, -0.35, 0.12), rotation=(1.45, 0, 0))
bpy.context.scene.camera = bpy.context.object
bpy.context.scene.render.engine = "CYCLES"
bpy.context.scene.cycles.samples, bpy.context.scene.cycles.use_denoising = 64, False
bpy.context.scene.cycles.device = "CPU"
bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 480, 360
bpy.context.scene.frame_set(samples - 4)
bpy.context.scene.render.filepath = f"{FOLDER}/suzanne.png"
bpy.ops.render.render(write_still=True)
