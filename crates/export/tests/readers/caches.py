"""PC2 and MDD by struct and numpy, as Blender's modifier reads them, and the OBJ beside them."""

import os
import struct

import numpy
from truth import NAMES, TIMES, TRUTH, off, path, positions

for name in NAMES:
    text = open(path("pc2", name + ".obj")).read().splitlines()
    mesh = [list(map(float, line.split()[1:])) for line in text if line.startswith("v ")]
    assert off(numpy.float32(mesh), positions(name, 0)) == 0.0
    if len(TRUTH[name + ".positions"]) == 1:
        assert not os.path.exists(path("pc2", name + ".pc2"))
        continue
    file = open(path("pc2", name + ".pc2"), "rb").read()
    signature, version, count, start, rate, samples = struct.unpack("<12siiffi", file[:32])
    assert (signature, version, start, rate) == (b"POINTCACHE2\0", 1, 0.0, 1.0)
    cache = numpy.frombuffer(file, "<f4", offset=32).reshape(samples, count, 3)
    assert off(cache, TRUTH[name + ".positions"]) == 0.0
    file = open(path("mdd", name + ".mdd"), "rb").read()
    samples, count = struct.unpack(">ii", file[:8])
    assert off(numpy.frombuffer(file, ">f4", samples, 8), TIMES.astype("f4")) == 0.0
    cache = numpy.frombuffer(file, ">f4", offset=8 + 4 * samples).reshape(samples, count, 3)
    assert off(cache, TRUTH[name + ".positions"]) == 0.0
print("the same")
