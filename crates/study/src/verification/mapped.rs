//! Solids that are mapped from boxes.

use crate::drive::{StudyError, scene_error};
use resile_energy::{
    Force, Lame, Material, QuadraticTetElasticity, Schedule, SurfacePatch, TetElasticity,
};
use resile_integrators::ImplicitEuler;
use resile_mesh::TetMesh;
use resile_mesh::generate::BoxGrid;
use resile_solver::{LinearChoice, Method, NewtonSettings};
use resile_system::{Body, Held, Mat3, Motion, Prescribed, State, Vec3};
use resile_world::{Collisions, World, WorldSettings};
use std::collections::BTreeMap;

/// Newton's tolerance (m/s) over the size of the solid (m).
const TOLERANCE: f64 = 1e-8;
/// Maximum distance of a point from a side of the unit cube to which it belongs.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

/// Order of the tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Linear,
    /// Quadratic with straight edges.
    Quadratic,
    /// Quadratic with mapped mid-edge nodes.
    Curved,
}

/// A solid that is mapped from the unit cube. Nodes have coordinates (u, v, w) in the cube and positions (m).
pub(super) struct MappedSolid {
    cells: [usize; 3],
    order: Order,
    /// Coordinates of nodes in the cube; those of a mid-edge node are the mean of those of its two corners.
    unit: Vec<Vec3>,
    /// Rest positions of nodes (m).
    rest: Vec<Vec3>,
    /// Masses of nodes (kg).
    masses: Vec<f64>,
    /// The boundary.
    surface: SurfacePatch,
    elements: Elements,
}

/// The nodes of all elements.
enum Elements {
    Linear(Vec<[u32; 4]>),
    Quadratic(Vec<[u32; 10]>),
}

impl MappedSolid {
    /// The image of the unit cube, which is divided into these cells, under `map`; the density is 1. `map` returns the
    /// position of each node; the midside nodes of straight quadratic elements are midpoints of edges instead.
    pub(super) fn new(cells: [usize; 3], order: Order, map: impl Fn(Vec3) -> Vec3) -> Self {
        let grid = BoxGrid { cells, size: Vec3::ONE }.build().expect("a box has cells");
        let unit: Vec<Vec3> = grid.positions.iter().map(|x| *x + Vec3::splat(0.5)).collect();
        let positions = unit.iter().map(|u| map(*u)).collect();
        let unit_mesh = TetMesh { positions: unit.clone(), tets: grid.tets.clone() };
        let mesh = TetMesh { positions, tets: grid.tets };
        let triangles = mesh.surface().triangles;
        if order == Order::Linear {
            let surface = SurfacePatch { triangles, quadratic: Vec::new() };
            let masses = mesh.lumped_masses(1.0);
            let elements = Elements::Linear(mesh.tets);
            return Self { cells, order, unit, rest: mesh.positions, masses, surface, elements };
        }
        let (unit_mesh, mut mesh) = (unit_mesh.quadratic(), mesh.quadratic());
        if order == Order::Curved {
            mesh.positions = unit_mesh.positions.iter().map(|u| map(*u)).collect();
        }
        let mid_edge_nodes: BTreeMap<[u32; 2], u32> = mesh.middles().collect();
        let mid_edge_node = |a: u32, b: u32| mid_edge_nodes[&[a.min(b), a.max(b)]];
        let face = |[a, b, c]: [u32; 3]| {
            [a, b, c, mid_edge_node(a, b), mid_edge_node(b, c), mid_edge_node(c, a)]
        };
        let quadratic = triangles.into_iter().map(face).collect();
        let surface = SurfacePatch { triangles: Vec::new(), quadratic };
        let masses = mesh.node_masses(1.0);
        let elements = Elements::Quadratic(mesh.elements);
        Self {
            cells,
            order,
            unit: unit_mesh.positions,
            rest: mesh.positions,
            masses,
            surface,
            elements,
        }
    }

    /// Cells and order of the elements as text.
    pub(super) fn description(&self) -> String {
        let [a, b, c] = self.cells;
        let order = match self.order {
            Order::Linear => "linear",
            Order::Quadratic => "quadratic",
            Order::Curved => "curved",
        };
        format!("{a} x {b} x {c}, {order}")
    }

    /// The node whose rest position is nearest to a point (m).
    pub(super) fn node_at(&self, point: Vec3) -> usize {
        let distance = |node: &usize| (self.rest[*node] - point).length_squared();
        let nodes = 0..self.rest.len();
        nodes.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a mesh has nodes")
    }

    /// Coordinates of a node in the unit cube.
    pub(super) fn unit(&self, node: usize) -> Vec3 {
        self.unit[node]
    }

    /// Rest position of a node (m).
    pub(super) fn rest(&self, node: usize) -> Vec3 {
        self.rest[node]
    }

    /// The faces on the side of the unit cube where the coordinate `axis` has this value (0 or 1).
    pub(super) fn side(&self, axis: usize, value: f64) -> SurfacePatch {
        let is_on_side =
            |node: &u32| (self.unit[*node as usize][axis] - value).abs() < COINCIDENCE_TOLERANCE;
        let SurfacePatch { triangles, quadratic } = &self.surface;
        SurfacePatch {
            triangles: triangles.iter().filter(|f| f.iter().all(is_on_side)).copied().collect(),
            quadratic: quadratic.iter().filter(|f| f.iter().all(is_on_side)).copied().collect(),
        }
    }

    /// Forces (N) of a traction (Pa) on a side.
    pub(super) fn traction(&self, axis: usize, value: f64, traction: Vec3) -> Vec<(usize, Vec3)> {
        let areas = self.side(axis, value).areas(&self.rest).into_iter();
        areas.map(|(node, area)| (node, traction * area)).collect()
    }

    /// Forces (N) of a pressure (Pa) on a side in the rest shape.
    pub(super) fn pressure(&self, axis: usize, value: f64, pressure: f64) -> Vec<(usize, Vec3)> {
        let areas = self.side(axis, value).area_vectors(&self.rest).into_iter();
        areas.map(|(node, area)| (node, area * -pressure)).collect()
    }

    /// A world with this solid under these forces. `fixed_axes` returns whether the displacement of a node is zero
    /// along each axis, from its coordinates in the unit cube.
    pub(super) fn world(
        &self,
        material: Material,
        forces: Vec<(usize, Vec3)>,
        fixed_axes: impl Fn(Vec3) -> [bool; 3],
    ) -> World {
        world(vec![self.body(material, forces, fixed_axes)], None, self.extent())
    }

    /// The largest distance (m) of a node from the origin.
    pub(super) fn extent(&self) -> f64 {
        self.rest.iter().fold(0.0_f64, |size, x| size.max(x.length()))
    }

    /// The boundary as triangles between nodes; a face of a quadratic element is divided into flat triangles.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        self.surface.flat()
    }

    /// Rest positions of the nodes (m).
    pub(super) fn positions(&self) -> &[Vec3] {
        &self.rest
    }

    /// The body of this solid and its state at rest, under these forces on nodes. `fixed_axes` returns whether the
    /// displacement of a node is zero along each axis, from its coordinates in the unit cube.
    pub(super) fn body(
        &self,
        material: Material,
        forces: Vec<(usize, Vec3)>,
        fixed_axes: impl Fn(Vec3) -> [bool; 3],
    ) -> (Body, State) {
        let body = Body::new("solid", self.masses.clone());
        let mut body = match &self.elements {
            Elements::Linear(tets) => {
                body.with(TetElasticity::new(&self.rest, tets, material).expect("proper elements"))
            }
            Elements::Quadratic(elements) => body.with(
                QuadraticTetElasticity::new(&self.rest, elements, material)
                    .expect("proper elements"),
            ),
        };
        if !forces.is_empty() {
            let always = Schedule::constant(1.0);
            body = body.with(Force::new(self.rest.len(), forces, always).expect("finite forces"));
        }
        let hold = |(node, unit): (usize, &Vec3)| {
            let axes = fixed_axes(*unit);
            axes.contains(&true).then(|| Prescribed {
                node,
                start: self.rest[node],
                motion: Motion::Fixed,
                until: None,
                held: Held::axes(Mat3::IDENTITY, axes),
            })
        };
        body.prescribed = self.unit.iter().enumerate().filter_map(hold).collect();
        let state = State::new(0.0, self.rest.clone(), vec![Vec3::ZERO; self.rest.len()]);
        (body, state)
    }
}

/// A world of bodies with this size (m), which scales Newton's tolerance.
pub(crate) fn world(
    bodies: Vec<(Body, State)>,
    collisions: Option<Collisions>,
    extent: f64,
) -> World {
    let newton = NewtonSettings { linear: LinearChoice::Direct, ..NewtonSettings::default() };
    let settings = WorldSettings {
        tolerance: TOLERANCE * extent,
        friction_rounds: 1,
        dirichlet_tolerance: 0.0,
        method: Method::Newton(newton),
        max_halvings: 10,
        adaptive: None,
    };
    World::new(bodies, collisions, Box::new(ImplicitEuler), settings)
}

/// Advances a world to its static equilibrium in one load step.
pub(super) fn balance(mut world: World, case: &str) -> Result<World, StudyError> {
    world.load_step(1.0, 1.0).map_err(|failure| scene_error(case, failure))?;
    Ok(world)
}

/// Whether a coordinate of the unit cube is at a side.
pub(super) fn is_at(coordinate: f64, side: f64) -> bool {
    (coordinate - side).abs() < COINCIDENCE_TOLERANCE
}

/// The material of an elastic law with Young's modulus and Poisson's ratio.
pub(super) fn elastic(law: fn(Lame) -> Material, young: f64, poisson: f64) -> Material {
    law(Lame::from_young_poisson(young, poisson).expect("a proper material"))
}
