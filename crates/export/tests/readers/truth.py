"""The arrays of npz/run.npz in a folder, which other formats are compared with."""

import os
import re
import sys

import numpy

FOLDER = sys.argv[1]
TRUTH = numpy.load(os.path.join(FOLDER, "npz", "run.npz"))
TIMES = TRUTH["times"]
NAMES = [key[: -len(".positions")] for key in TRUTH.files if key.endswith(".positions")]


def path(*parts):
    return os.path.join(FOLDER, *parts)


def positions(name, sample):
    """Where the vertices of a body are; of what stands there is one sample."""
    all_samples = TRUTH[name + ".positions"]
    return all_samples[sample if len(all_samples) > 1 else 0]


def off(found, expected):
    """The largest difference; shapes must be equal."""
    found, expected = numpy.asarray(found, dtype=float), numpy.asarray(expected, dtype=float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    return float(numpy.abs(found - expected).max()) if found.size else 0.0


def word(name):
    """The name of a body as arrays and files have it."""
    found = re.sub(r"[^\w.-]", "_", name)
    return name if found == name else found.rstrip("_") or "_"
