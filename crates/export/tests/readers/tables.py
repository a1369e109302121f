"""CSV by Python's own reader, against the arrays."""

import csv

import numpy
from truth import TIMES, TRUTH, off, path, positions, word

worst, rows = 0.0, 0
times = {float(time): sample for sample, time in enumerate(TIMES)}
with open(path("csv", "paths.csv"), newline="") as table:
    for row in csv.DictReader(table):
        name, sample, vertex = word(row["body"]), times[float(row["time"])], int(row["vertex"])
        found = numpy.float32([row["x"], row["y"], row["z"]])
        worst = max(worst, off(found, positions(name, sample)[vertex]))
        if row["vx"]:
            speed = numpy.float32([row["vx"], row["vy"], row["vz"]])
            worst = max(worst, off(speed, TRUTH[name + ".velocities"][sample][vertex]))
        rows += 1
assert rows == sum(TRUTH[key].shape[0] * TRUTH[key].shape[1] for key in TRUTH.files if key.endswith("positions"))
assert worst == 0.0, worst
print("the same")
