//! Shells as bodies of a world.

use super::surface::Surface;
use crate::drive::{StudyError, scene_error};
use crate::verification::world;
use resile_energy::{
    Factor, Force, MembraneLaw, PlateBending, RestAngles, Schedule, SheetMaterial, ShellMembrane,
};
use resile_mesh::TriMesh;
use resile_system::{Body, Held, Mat3, Motion, Prescribed, State, Vec3};
use resile_world::World;

/// Mass per area of shells in statics: so small that load steps are not slowed down by inertia.
const STATIC_DENSITY: f64 = 1e-12;

/// Young's modulus, Poisson's ratio and thickness.
#[derive(Clone, Copy)]
pub(super) struct Sheet {
    pub(super) young: f64,
    pub(super) poisson: f64,
    pub(super) thickness: f64,
}

/// A shell, its loads and its supports.
pub(super) struct Shell {
    mesh: TriMesh,
    sheet: Sheet,
    /// Nodes with their forces at time 1; before, forces are proportional to time.
    forces: Vec<(usize, Vec3)>,
    /// For each node, which components of its displacement are held.
    held: Vec<[bool; 3]>,
    /// Initial positions.
    start: Vec<Vec3>,
}

impl Shell {
    /// The unloaded shell on a surface whose points are at `point_at(u, v)`.
    pub(super) fn new(
        surface: &Surface,
        sheet: Sheet,
        point_at: impl Fn(f64, f64) -> Vec3,
    ) -> Self {
        let mesh = surface.mesh(point_at);
        let (held, start) = (vec![[false; 3]; mesh.positions.len()], mesh.positions.clone());
        Self { mesh, sheet, forces: Vec::new(), held, start }
    }

    /// The node whose rest position is nearest to a point.
    pub(super) fn nearest_node(&self, point: Vec3) -> usize {
        let distance = |i: &usize| (self.mesh.positions[*i] - point).length_squared();
        let nodes = 0..self.mesh.positions.len();
        nodes.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a mesh has nodes")
    }

    /// The rest positions.
    pub(super) fn rest_positions(&self) -> &[Vec3] {
        &self.mesh.positions
    }

    /// Also holds the components that `axes` returns for a node and its rest position.
    pub(super) fn hold(&mut self, axes: impl Fn(usize, Vec3) -> [bool; 3]) {
        for (node, held) in self.held.iter_mut().enumerate() {
            let held_by_axes = axes(node, self.mesh.positions[node]);
            (0..3).for_each(|k| held[k] |= held_by_axes[k]);
        }
    }

    /// Adds a force on a node.
    pub(super) fn add_force(&mut self, node: usize, force: Vec3) {
        self.forces.push((node, force));
    }

    /// Sets the initial displacements of all nodes as a function of their rest positions. Held components keep them.
    pub(super) fn displace(&mut self, displacement_of: impl Fn(Vec3) -> Vec3) {
        let pairs = self.start.iter_mut().zip(&self.mesh.positions);
        pairs.for_each(|(start, rest)| *start = *rest + displacement_of(*rest));
    }

    /// The area of each node: a third of the areas of its triangles.
    pub(super) fn areas(&self) -> Vec<f64> {
        self.mesh.surface().vertex_areas(&self.mesh.positions)
    }

    /// A world with this shell, which has this mass per area, under its forces, which grow linearly from time 0 to 1.
    pub(super) fn world(&self, density: f64) -> World {
        let Sheet { young, poisson, thickness } = self.sheet;
        let sheet = SheetMaterial::new(young, poisson, thickness).expect("a proper material");
        let TriMesh { positions, triangles } = &self.mesh;
        let law = MembraneLaw::StVenantKirchhoff(sheet.plane());
        let membrane = ShellMembrane::new(positions, triangles, law).expect("a proper mesh");
        let angles = RestAngles::AsGiven;
        let bending = PlateBending::new(positions, triangles, sheet.plate(), angles, None);
        let ramp = Factor::table(Schedule::constant(1.0), vec![(0.0, 0.0), (1.0, 1.0)]);
        let ramp = ramp.expect("ascending times");
        let masses = self.areas().into_iter().map(|area| area * density).collect();
        let forces = Force::new(positions.len(), self.forces.clone(), ramp);
        let mut body = Body::new("shell", masses)
            .with(membrane)
            .with(bending.expect("a proper mesh"))
            .with(forces.expect("finite forces"));
        let hold = |(node, axes): (usize, &[bool; 3])| {
            axes.contains(&true).then(|| Prescribed {
                node,
                start: self.start[node],
                motion: Motion::Fixed,
                until: None,
                held: Held::axes(Mat3::IDENTITY, *axes),
            })
        };
        body.prescribed = self.held.iter().enumerate().filter_map(hold).collect();
        let state = State::new(0.0, self.start.clone(), vec![Vec3::ZERO; positions.len()]);
        let extent = positions.iter().fold(0.0_f64, |extent, x| extent.max(x.length()));
        world(vec![(body, state)], None, extent)
    }

    /// The static equilibrium under the full load, reached in equal load steps.
    pub(super) fn equilibrium(&self, case: &str, steps: u32) -> Result<World, StudyError> {
        let mut world = self.world(STATIC_DENSITY);
        let h = 1.0 / f64::from(steps);
        for step in 1..=steps {
            let end = if step == steps { 1.0 } else { h * f64::from(step) };
            world.load_step(h, end).map_err(|failure| scene_error(case, failure))?;
        }
        Ok(world)
    }

    /// Displacement of a node from its rest position.
    pub(super) fn displacement(&self, world: &World, node: usize) -> Vec3 {
        world.state(0).positions[node] - self.mesh.positions[node]
    }
}
