"""Worlds a second: `resile.run_many` beside `mujoco.rollout` of flex bodies of the same size, in turn.

Each world is one elastic cube with 8 nodes and 6 tetrahedra (NeoHookean here, Saint Venant-Kirchhoff there) that falls
onto a floor: 1 kg, 0.1 m, Young's modulus 1e5 Pa, 0.3 s of simulated time. Both run on the same number of threads and write
no frames. The runs of resile are held in memory, as are the states of MuJoCo; with --folders they are also made again in a
folder each. The programs do not do the same per step: MuJoCo takes one linearised step with soft contact, in which the nodes
go about 11 mm below the floor on impact at any step; resile solves each step to its tolerance, and no node gets below it.

    pip install mujoco==4.0.0
    python benches/python/many_worlds.py --worlds 1000 --threads 2 --rounds 5

Measure on an idle machine. A line is printed for each round and program, and the medians at the end. Processor
time depends less on other work of the machine than worlds a second.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import resile

SECONDS = 0.3
SCENE = resile.Scene.from_ron(
    f"""(
    version: 2,
    materials: {{"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))}},
    bodies: [(
        name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "rubber", friction: 0.5,
        placement: (translate: (0, 0.1, 0)), velocity: (0, 0, 0),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: {SECONDS}),
    output: (formats: []),
)""",
    name="cube",
)
MUJOCO = """<mujoco>
  <option timestep="{step}" gravity="0 -9.81 0" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" zaxis="0 1 0" friction="0.5"/>
    <flexcomp name="cube" type="grid" dim="3" count="2 2 2" spacing=".1 .1 .1" pos="0 .1 0" radius=".001" mass="1">
      <contact selfcollide="none" friction="0.5"/>
      <elasticity young="1e5" poisson="0.3" damping="0.001"/>
    </flexcomp>
  </worldbody>
</mujoco>"""


def velocities(worlds: int) -> np.ndarray:
    """What differs between the worlds: the horizontal velocity (m/s)."""
    return np.linspace(-1, 1, worlds)


class Ours:
    def __init__(self, worlds: int, threads: int, folders: bool = False) -> None:
        self.name = "resile.run_many, folders" if folders else "resile.run_many"
        self.threads, self.folders, self.scenes = threads, folders, []
        for speed in velocities(worlds):
            scene = copy.copy(SCENE)
            scene["bodies.cube.velocity[0]"] = speed
            self.scenes.append(scene)

    def run(self) -> float:
        """Makes all runs; seconds that they took."""
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            out = Path(folder) / "runs" if self.folders else None
            runs = resile.run_many(self.scenes, out, threads=self.threads)
            seconds = time.perf_counter() - start
            failed = [run for run in runs if isinstance(run, Exception)]
            if failed:
                raise failed[0]
        return seconds


class Theirs:
    name = "mujoco.rollout"

    def __init__(self, worlds: int, threads: int, step: float, integrator: str) -> None:
        import mujoco
        from mujoco import rollout

        self.model = mujoco.MjModel.from_xml_string(MUJOCO.format(step=step, integrator=integrator))
        assert (self.model.nflexvert, self.model.nflexelem) == (8, 6), "as many nodes and tetrahedra as ours"
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        self.steps, self.rollout = round(SECONDS / step), rollout
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.states = np.empty((worlds, mujoco.mj_stateSize(self.model, kind)))
        for row, speed in zip(self.states, velocities(worlds), strict=True):
            # A node has three sliders, in the order x, y, z.
            self.data[0].qvel[:] = np.tile([speed, 0, 0], self.model.nv // 3)
            mujoco.mj_getState(self.model, self.data[0], row, kind)

    def run(self) -> float:
        """Makes all runs; seconds that they took."""
        start = time.perf_counter()
        states, _ = self.rollout.rollout(self.model, self.data, self.states, nstep=self.steps)
        seconds = time.perf_counter() - start
        # An unstable world is begun anew and counted here; its states are finite.
        if any(warning.number for data in self.data for warning in data.warning):
            raise ArithmeticError("a world of MuJoCo became unstable; take a smaller --step")
        assert states.shape == (*self.states.shape[:1], self.steps, self.states.shape[1])
        return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--step", type=float, default=0.01, help="step of MuJoCo (s); resile takes 0.01")
    parser.add_argument("--integrator", default="discrete", help="of MuJoCo: discrete, Euler with a small step")
    parser.add_argument("--folders", action="store_true", help="also measure runs that are written to folders")
    asked = parser.parse_args()
    programs = [
        *(Ours(asked.worlds, asked.threads, folders) for folders in ([False, True] if asked.folders else [False])),
        Theirs(asked.worlds, asked.threads, asked.step, asked.integrator),
    ]
    rates: dict[str, list[float]] = {program.name: [] for program in programs}
    processor: dict[str, list[float]] = {program.name: [] for program in programs}
    for _ in range(asked.rounds):
        for program in programs:
            start = time.process_time()
            rates[program.name].append(asked.worlds / program.run())
            processor[program.name].append(1e3 * (time.process_time() - start) / asked.worlds)
            print(f"{program.name}: {rates[program.name][-1]:.0f} worlds/s", flush=True)
    for name, found in rates.items():
        ms = statistics.median(processor[name])
        print(
            f"{name}: median {statistics.median(found):.0f} worlds/s, {min(found):.0f} to {max(found):.0f}; "
            f"{ms:.2f} ms of processor time a world"
        )


if __name__ == "__main__":
    main()
