"""The snippets of the documentation run, one after the other, with a smaller scene in place of those of the library."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).resolve().parents[3]
DIE = """(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(
        name: "die", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "rubber", friction: 0.4,
        placement: (translate: (0, 0.06, 0)),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/100", duration: 0.2),
)"""
# What only shows something, or needs a program that is not installed here.
ELSEWHERE = ("torch.", "jax.", "bpy.", "viser.", "pyvista")
SMALLER = {
    '"dice"': '"dice.ron"',
    "sim.time < 1": "sim.time < 0.1",
    "0:1:20": "0:1:2",
    ".plot(smooth_shading=True)": "",
    'Scene.load("first")': 'Scene.load("dice.ron")',
    "bodies.cube": "bodies.die",
    '"cube"': '"die"',
    'render("first.mp4")': 'render("first.mp4", size=(64, 64))',
}
BEFORE = """
import matplotlib
matplotlib.use("Agg")
"""
SCENES = "\nscenes = [resile.Scene.load('dice.ron')] * 2\nimport pandas\n"


@pytest.mark.parametrize("page", ["docs/python.md", "docs/sweeps.md", "crates/python/README.md"])
def test_the_snippets_of_a_page_run(page: str, tmp_path: Path) -> None:
    (tmp_path / "dice.ron").write_text(DIE)
    snippets = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    assert snippets
    runnable = [snippet for snippet in snippets if not any(word in snippet for word in ELSEWHERE)]
    # Those that read a finished sweep come before the one that makes it.
    runnable.sort(key=lambda snippet: "read_csv" in snippet)
    text = "".join(SCENES + snippet if "(scenes" in snippet else snippet for snippet in runnable)
    for word, other in SMALLER.items():
        text = text.replace(word, other)
    script = tmp_path / "page.py"
    script.write_text(BEFORE + text)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
