"""glTF played by hand, from the specification: every vertex at every key."""

import json
import struct

import numpy
from truth import NAMES, TIMES, TRUTH, off, path, positions, word

file = open(path("glb", "scene.glb"), "rb").read()
magic, version, length, text_length, text_kind = struct.unpack("<4sII I4s", file[:20])
assert (magic, version, length, text_kind) == (b"glTF", 2, len(file), b"JSON")
text = json.loads(file[20 : 20 + text_length])
data = file[20 + text_length + 8 :]


def array(number):
    accessor = text["accessors"][number]
    view = text["bufferViews"][accessor["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    found = numpy.frombuffer(data, kind, accessor["count"] * width, view["byteOffset"])
    return found.reshape(-1, width).astype(float)


def turned(points, quaternion):
    x, y, z, w = quaternion / numpy.linalg.norm(quaternion)
    along = numpy.array([x, y, z])
    return points + 2 * numpy.cross(along, numpy.cross(along, points) + w * points)


def check(node, name):
    """The largest error of a body, and whether it is moved as one."""
    mesh = text["meshes"][node["mesh"]]
    primitive = mesh["primitives"][0]
    base = array(primitive["attributes"]["POSITION"])
    targets = [array(t["POSITION"]) for t in primitive.get("targets", [])]
    curves = {}
    for channel in text.get("animations", [{"channels": []}])[0]["channels"]:
        if channel["target"]["node"] == text["nodes"].index(node):
            sampler = text["animations"][0]["samplers"][channel["sampler"]]
            assert off(array(sampler["input"])[:, 0], numpy.float32(TIMES - TIMES[0])) < 1e-6
            curves[channel["target"]["path"]] = array(sampler["output"])
    is_surface = primitive["mode"] == 4
    # The primitives of a surface share its vertices, and each has the triangles of a material.
    surfaces = [p for p in mesh["primitives"] if p["mode"] == primitive["mode"] == 4]
    assert all(p["attributes"] == primitive["attributes"] for p in surfaces)
    corners = [array(p["indices"]).ravel().astype(int) for p in surfaces or [primitive]]
    corners = numpy.concatenate(corners)
    worst = 0.0
    for sample in range(len(TIMES) if curves else 1):
        points = base
        if "weights" in curves:
            weights = curves["weights"].reshape(len(TIMES), -1)[sample]
            points = base + sum(w * t for w, t in zip(weights, targets) if w)
        if "rotation" in curves:
            points = turned(points, curves["rotation"][sample])
        shift = curves["translation"][sample] if "translation" in curves else node["translation"]
        # A point may be several vertices, where normals or texture coordinates differ.
        placed, expected = points + shift, positions(name, sample)
        if is_surface:
            placed, expected = placed[corners], expected[TRUTH[name + ".triangles"].ravel()]
        worst = max(worst, off(placed, expected))
    size = float(numpy.ptp(positions(name, 0), axis=0).max())
    return worst, "rotation" in curves, size


results = [check(node, word(node["name"])) for node in text["nodes"]]
assert len(results) == len(NAMES)
rigid = [(error, size) for error, is_rigid, size in results if is_rigid]
others = [error for error, is_rigid, _ in results if not is_rigid]
print(f"moved as one: {len(rigid)}, off by at most {max([e for e, _ in rigid], default=0):.1e} m")
print(f"others: {len(others)}, off by at most {max(others, default=0):.1e} m")
assert all(error <= 1e-4 * size + 1e-6 for error, size in rigid) and max(others, default=0) < 1e-6
print("the same")
