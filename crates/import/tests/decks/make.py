"""Writes the input decks of this folder: boxes of tetrahedra with supports and loads. `python3 make.py`

Each runs in CalculiX (`ccx -i NAME`) and here (`sim static NAME.inp`); `tests/decks.rs` compares both.
"""

from itertools import permutations, product
from pathlib import Path

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
FACES = [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]


class Box:
    """A box of cells, each of six tetrahedra around its diagonal."""

    def __init__(self, size, cells, quadratic, shape=lambda x: x):
        self.points, self.number, self.tets = [], {}, []
        self.quadratic = quadratic

        def node(key):
            if key not in self.number:
                self.number[key] = len(self.points) + 1
                self.points.append(tuple(k * s / (2 * c) for k, s, c in zip(key, size, cells)))
            return self.number[key]

        for cell in product(*(range(c) for c in cells)):
            for order in permutations(range(3)):
                at, path = [0, 0, 0], [(0, 0, 0)]
                for axis in order:
                    at[axis] = 1
                    path.append(tuple(at))
                corners = [tuple(2 * (c + k) for c, k in zip(cell, p)) for p in path]
                if self.volume(corners) < 0:
                    corners[1], corners[2] = corners[2], corners[1]
                keys = list(corners)
                if quadratic:
                    keys += [tuple((a + b) // 2 for a, b in zip(corners[i], corners[j])) for i, j in EDGES]
                self.tets.append([node(key) for key in keys])
        self.rest = list(self.points)
        ends = {}
        for tet in self.tets:
            for k, (i, j) in enumerate(EDGES if quadratic else []):
                ends[tet[4 + k]] = (tet[i], tet[j])
        mapped = [shape(p) for p in self.points]
        for middle, (a, b) in ends.items():
            mapped[middle - 1] = tuple((x + y) / 2 for x, y in zip(mapped[a - 1], mapped[b - 1]))
        self.points = mapped

    @staticmethod
    def volume(p):
        a, b, c = ([q - r for q, r in zip(p[k], p[0])] for k in (1, 2, 3))
        cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
        return sum(x * y for x, y in zip(cross, c))

    def where(self, test):
        return [n + 1 for n, p in enumerate(self.rest) if test(*p)]

    def faces(self, nodes):
        """Elements by the number (from 1) of their face that has all corners among these nodes."""
        nodes, found = set(nodes), {}
        for n, tet in enumerate(self.tets):
            for k, face in enumerate(FACES):
                if all(tet[i] in nodes for i in face):
                    found.setdefault(k + 1, []).append(n + 1)
        return found

    def text(self, sets, surfaces=(), halves=None, before=0):
        """The mesh with numbers from `before` on."""
        lines = ["*NODE, NSET=NALL"]
        lines += [f"{n + 1 + before}, {x:.12g}, {y:.12g}, {z:.12g}" for n, (x, y, z) in enumerate(self.points)]
        lines.append(f"*ELEMENT, TYPE={'C3D10' if self.quadratic else 'C3D4'}, ELSET=EALL")
        lines += [", ".join(str(k + before) for k in [n + 1, *tet]) for n, tet in enumerate(self.tets)]
        for name, nodes in sets.items():
            lines.append(f"*NSET, NSET={name}")
            lines += [", ".join(str(n + before) for n in nodes[k : k + 12]) for k in range(0, len(nodes), 12)]
        for name, nodes in surfaces:
            lines.append(f"*SURFACE, NAME={name}, TYPE=ELEMENT")
            lines += [f"{e + before}, S{k}" for k, elements in self.faces(nodes).items() for e in elements]
        for name, elements in (halves or {}).items():
            lines.append(f"*ELSET, ELSET={name}")
            lines += [", ".join(map(str, elements[k : k + 12])) for k in range(0, len(elements), 12)]
        return "\n".join(lines) + "\n"


STEEL = "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*DENSITY\n7.85E-9\n"
RUBBER = "*MATERIAL, NAME=RUBBER\n*ELASTIC\n10., 0.3\n*DENSITY\n1E-9\n"
ALL = "*SOLID SECTION, ELSET=EALL, MATERIAL={}\n"
OUTPUT = "*NODE PRINT, NSET=TIP\nU\n*NODE PRINT, NSET=FIX, TOTALS=ONLY\nRF\n*END STEP\n"
CONTACT = """*CONTACT PAIR, INTERACTION=TOUCH, TYPE=SURFACE TO SURFACE
SLAVE, MASTER
*SURFACE INTERACTION, NAME=TOUCH
*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR
1.E7
*FRICTION
0.3, 1.E6
"""
KINEMATIC = "*PLASTIC, HARDENING=KINEMATIC\n200., 0.\n400., 0.01\n"
COMBINED = "*PLASTIC, HARDENING=COMBINED\n200., 0.\n400., 0.01\n*CYCLIC HARDENING\n200., 0.\n300., 0.01\n"
CYCLE = "*AMPLITUDE, NAME=CYCLE\n0., 0., 1., 1., 3., -1., 4., -0.4\n"
STATIC = "*STEP\n*STATIC\n"
LARGE = "*STEP, NLGEOM\n*STATIC, DIRECT\n0.1, 1.\n"


def beam(quadratic, cells=(8, 2, 2), shape=lambda x: x):
    box = Box((80, 10, 10), cells, quadratic, shape)
    sets = {"FIX": box.where(lambda x, y, z: x == 0), "END": box.where(lambda x, y, z: x == 80)}
    sets["TIP"] = box.where(lambda x, y, z: (x, y, z) == (80, 10, 10))
    return box, sets


def cube(quadratic, cells):
    box = Box((10, 10, 10), cells, quadratic)
    sets = {
        "LEFT": box.where(lambda x, y, z: x == 0),
        "FIX": box.where(lambda x, y, z: y == 0),
        "BACK": box.where(lambda x, y, z: z == 0),
        "TOP": box.where(lambda x, y, z: y == 10),
        "TIP": box.where(lambda x, y, z: (x, y, z) == (10, 10, 10)),
    }
    return box, sets


def stack():
    """A column on another one of the same section, with a gap of 0.001."""
    lower = Box((4, 6, 4), (2, 3, 2), False)
    upper = Box((4, 4, 4), (2, 2, 2), False, lambda p: (p[0], p[1] + 6.001, p[2]))
    sets = {"FIX": lower.where(lambda x, y, z: y == 0), "TIP": lower.where(lambda x, y, z: (x, y, z) == (4, 6, 4))}
    text = lower.text(sets, [("MASTER", lower.where(lambda x, y, z: y == 6))])
    surfaces = [("SLAVE", upper.where(lambda x, y, z: y == 0))]
    return text + upper.text({"TOP": upper.where(lambda x, y, z: y == 4)}, surfaces, before=1000)


SYMMETRY = "*BOUNDARY\nLEFT, 1\nFIX, 2\nBACK, 3\n"
CLAMP = "*BOUNDARY\nFIX, 1, 3\n"


def decks():
    for quadratic in (False, True):
        box, sets = beam(quadratic)
        name = "beam-force-" + ("c3d10" if quadratic else "c3d4")
        yield name, box.text(sets) + STEEL + ALL.format("STEEL") + CLAMP + STATIC + "*CLOAD\nTIP, 2, -100.\n" + OUTPUT
    box, sets = beam(True)
    pressed = box.text(sets, [("UPPER", box.where(lambda x, y, z: y == 10))])
    load = "*DSLOAD\nUPPER, P, 0.5\n"
    yield "beam-pressure", pressed + STEEL + ALL.format("STEEL") + CLAMP + STATIC + load + OUTPUT
    weight = "*DLOAD\nEALL, GRAV, 9810., 0., -1., 0.\n"
    yield "beam-weight", box.text(sets) + STEEL + ALL.format("STEEL") + CLAMP + STATIC + weight + OUTPUT
    soft = [n + 1 for n, tet in enumerate(box.tets) if sum(box.rest[k - 1][0] for k in tet[:4]) > 160]
    hard = [n + 1 for n in range(len(box.tets)) if n + 1 not in set(soft)]
    two = box.text(sets, halves={"HARD": hard, "SOFT": soft})
    two += STEEL + "*MATERIAL, NAME=ALUMINIUM\n*ELASTIC\n70000., 0.33\n"
    two += "*SOLID SECTION, ELSET=HARD, MATERIAL=STEEL\n*SOLID SECTION, ELSET=SOFT, MATERIAL=ALUMINIUM\n"
    yield "beam-two-materials", two + CLAMP + STATIC + "*CLOAD\nTIP, 3, 50.\n" + OUTPUT
    taper = beam(True, (8, 2, 2), lambda p: (p[0], p[1] * (1 - p[0] / 160), p[2] * (1 + p[0] / 80)))
    tapered = taper[0].text(taper[1])
    yield "beam-tapered", tapered + STEEL + ALL.format("STEEL") + CLAMP + STATIC + "*CLOAD\nTIP, 2, 80.\n" + OUTPUT
    box, sets = beam(True, (8, 1, 1))
    large = box.text(sets) + RUBBER + ALL.format("RUBBER") + CLAMP + LARGE
    yield "beam-large-bending", large + "*CLOAD\nTIP, 2, -1.5\n" + OUTPUT
    box, sets = cube(False, (3, 3, 3))
    pulled = box.text(sets) + STEEL + ALL.format("STEEL") + SYMMETRY + STATIC
    yield "cube-pulled", pulled + "*BOUNDARY\nTOP, 2, 2, 0.02\nTOP, 1, 1, 0.01\n" + OUTPUT
    box, sets = cube(True, (2, 2, 2))
    squeezed = box.text(sets) + RUBBER + ALL.format("RUBBER") + SYMMETRY + LARGE
    yield "cube-large-squeeze", squeezed + "*BOUNDARY\nTOP, 1, 3, 0.\nTOP, 2, 2, -2.\n" + OUTPUT
    follower = box.text(sets, [("UPPER", sets["TOP"])]) + RUBBER + ALL.format("RUBBER") + SYMMETRY + LARGE
    yield "cube-large-pressure", follower + "*DSLOAD\nUPPER, P, 1.\n" + OUTPUT
    neo = "*MATERIAL, NAME=NEO\n*HYPERELASTIC, NEO HOOKE\n2., 0.05\n"
    pressed = stack() + STEEL + ALL.format("STEEL") + CONTACT + CLAMP + "*STEP, NLGEOM\n*STATIC, DIRECT\n0.25, 1.\n"
    yield "columns-pressed", pressed + "*BOUNDARY\nTOP, 1, 1, 0.\nTOP, 3, 3, 0.\nTOP, 2, 2, -0.05\n" + OUTPUT
    for name, hardening in (("cube-kinematic", KINEMATIC), ("cube-combined", COMBINED)):
        plastic = box.text(sets) + STEEL + hardening + ALL.format("STEEL") + CYCLE + SYMMETRY
        plastic += "*STEP, NLGEOM, INC=1000\n*STATIC, DIRECT\n0.1, 4.\n*BOUNDARY, AMPLITUDE=CYCLE\nTOP, 2, 2, 0.04\n"
        yield name, plastic + OUTPUT
    hyper = box.text(sets) + neo + ALL.format("NEO") + SYMMETRY + LARGE
    yield "cube-neo-hooke", hyper + "*BOUNDARY\nTOP, 2, 2, 3.\n" + OUTPUT


for name, text in decks():
    Path(__file__).with_name(f"{name}.inp").write_text(f"*HEADING\n{name}\n{text}")
