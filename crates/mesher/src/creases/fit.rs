//! Moves nodes of a solid under limits of element quality and self-intersection.

use super::MIN_DIHEDRAL;
use crate::boundary::Boundary;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::TriangleTree;
use resile_mesh::smallest_dihedral;
use resile_watch::Interrupt;

/// Step lengths of neighbours that make room, in cells.
const STEP_LENGTHS: [f64; 3] = [0.2, 0.1, 0.05];

/// Number of sweeps over all neighbours before a move is given up.
const MAX_SWEEPS: usize = 3;

/// Smallest cosine between the surface normals before and after a neighbour slides.
const MIN_ALIGNMENT: f64 = 0.9;

/// Constraint on the motion of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeConstraint {
    /// An interior node: unconstrained.
    Free,
    /// A surface node: slides along the surface.
    Surface,
    /// A node on a crease or a corner: fixed.
    Fixed,
}

/// A solid whose nodes are moved one at a time.
pub(super) struct Fit<'a> {
    pub(super) mesh: &'a mut TetMesh,
    pub(super) constraints: &'a mut [NodeConstraint],
    surface: &'a TriangleTree,
    /// Length of a lattice cell.
    pub(super) size: f64,
    /// Ends all moves once it is raised.
    pub(super) interrupt: &'a Interrupt,
    /// Elements incident to each node.
    around: Vec<Vec<u32>>,
    /// Boundary of the solid, which is kept free of self-intersections.
    boundary: Boundary,
}

impl<'a> Fit<'a> {
    pub(super) fn new(
        mesh: &'a mut TetMesh,
        constraints: &'a mut [NodeConstraint],
        surface: &'a TriangleTree,
        size: f64,
        interrupt: &'a Interrupt,
    ) -> Self {
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for (tet, nodes) in (0..).zip(&mesh.tets) {
            nodes.iter().for_each(|&node| around[node as usize].push(tet));
        }
        let boundary = Boundary::new(&mesh.surface().triangles, &mesh.positions, size);
        Self { mesh, constraints, surface, size, interrupt, around, boundary }
    }

    /// Moves a node to `place` and fixes it there if element quality permits and the boundary does not
    /// intersect itself; neighbours make room. Returns whether it was moved; if not, all nodes are
    /// restored.
    pub(super) fn put(&mut self, node: u32, place: Vec3) -> bool {
        if self.interrupt.is_raised() {
            return false;
        }
        let min_angle = MIN_DIHEDRAL.min(self.angle_at(node));
        let old = self.set(node, place);
        if self.angle_at(node) >= min_angle && !self.crosses_at(&[node]) {
            self.constraints[node as usize] = NodeConstraint::Fixed;
            return true;
        }
        let neighbours = self.movable_neighbours(node);
        let before: Vec<(Vec3, f64)> = neighbours
            .iter()
            .map(|&n| (self.mesh.positions[n as usize], self.angle_without(n, node)))
            .collect();
        let constraint =
            std::mem::replace(&mut self.constraints[node as usize], NodeConstraint::Fixed);
        let all: Vec<u32> = neighbours.iter().copied().chain([node]).collect();
        for _ in 0..MAX_SWEEPS {
            let moved = neighbours.iter().filter(|&&n| self.improve(n)).count();
            let is_admissible = |(&n, &(_, angle)): (&u32, &(Vec3, f64))| {
                self.angle_at(n) >= MIN_DIHEDRAL.min(angle)
            };
            let is_admissible = self.angle_at(node) >= min_angle
                && neighbours.iter().zip(&before).all(is_admissible);
            if is_admissible && !self.crosses_at(&all) {
                return true;
            }
            if is_admissible || moved == 0 {
                break;
            }
        }
        for (&n, &(place, _)) in neighbours.iter().zip(&before) {
            self.set(n, place);
        }
        self.set(node, old);
        self.boundary.update(&all, &self.mesh.positions);
        self.constraints[node as usize] = constraint;
        false
    }

    /// Improves elements with a dihedral angle below `enough` degrees by moving their nodes, as long as
    /// the smallest angle grows.
    pub(super) fn improve_quality(&mut self, enough: f64) {
        for _ in 0..MAX_SWEEPS {
            let mut nodes: Vec<u32> = (self.mesh.tets.iter())
                .filter(|tet| {
                    smallest_dihedral(tet.map(|n| self.mesh.positions[n as usize])) < enough
                })
                .flatten()
                .copied()
                .filter(|&n| self.constraints[n as usize] != NodeConstraint::Fixed)
                .collect();
            nodes.sort_unstable();
            nodes.dedup();
            if nodes.iter().filter(|&&n| self.improve_safely(n)).count() == 0 {
                return;
            }
        }
    }

    /// Updates the boundary for these nodes; returns whether it intersects itself there.
    fn crosses_at(&mut self, nodes: &[u32]) -> bool {
        self.boundary.update(nodes, &self.mesh.positions);
        self.boundary.crosses_at(nodes, &self.mesh.positions)
    }

    /// [`improve`](Self::improve), undone if the boundary would intersect itself.
    fn improve_safely(&mut self, node: u32) -> bool {
        let before = self.mesh.positions[node as usize];
        if !self.improve(node) {
            return false;
        }
        if self.crosses_at(&[node]) {
            self.set(node, before);
            self.boundary.update(&[node], &self.mesh.positions);
            return false;
        }
        true
    }

    fn set(&mut self, node: u32, place: Vec3) -> Vec3 {
        std::mem::replace(&mut self.mesh.positions[node as usize], place)
    }

    /// Smallest dihedral angle around a node, in degrees; negative if an element is inverted.
    fn angle_at(&self, node: u32) -> f64 {
        self.least_of(self.around[node as usize].iter().copied())
    }

    /// [`angle_at`](Self::angle_at) over the elements without `other`.
    fn angle_without(&self, node: u32, other: u32) -> f64 {
        let around = self.around[node as usize].iter().copied();
        self.least_of(around.filter(|&tet| !self.mesh.tets[tet as usize].contains(&other)))
    }

    fn least_of(&self, tets: impl Iterator<Item = u32>) -> f64 {
        tets.map(|tet| smallest_dihedral(self.mesh.corners(tet as usize)))
            .fold(f64::INFINITY, f64::min)
    }

    /// Neighbours that may move, in ascending order.
    fn movable_neighbours(&self, node: u32) -> Vec<u32> {
        let tets = self.around[node as usize].iter();
        let mut near: Vec<u32> = tets.flat_map(|&tet| self.mesh.tets[tet as usize]).collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&n| n != node && self.constraints[n as usize] != NodeConstraint::Fixed);
        near
    }

    /// Moves a node by the first step that increases its smallest angle.
    fn improve(&mut self, node: u32) -> bool {
        if self.interrupt.is_raised() {
            return false;
        }
        let (start, mut best) = (self.mesh.positions[node as usize], self.angle_at(node));
        let mut place = start;
        for step in STEP_LENGTHS {
            for way in CUBE_DIRECTIONS {
                let Some(there) = self.allowed(node, start + self.size * step * way) else {
                    continue;
                };
                self.set(node, there);
                let angle = self.angle_at(node);
                if angle > best {
                    (best, place) = (angle, there);
                }
            }
        }
        self.set(node, place);
        place != start
    }

    /// Projects `place` to the positions that the node may take.
    fn allowed(&self, node: u32, place: Vec3) -> Option<Vec3> {
        if self.constraints[node as usize] == NodeConstraint::Free {
            return Some(place);
        }
        let from = self.surface.closest(self.mesh.positions[node as usize]);
        let to = self.surface.closest(place);
        (from.normal.dot(to.normal) > MIN_ALIGNMENT).then_some(to.point)
    }
}

/// Directions to the faces and the corners of a cube.
const CUBE_DIRECTIONS: [Vec3; 14] = {
    const D: f64 = 0.577_350_269_189_625_8;
    [
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
        Vec3::new(D, D, D),
        Vec3::new(-D, D, D),
        Vec3::new(D, -D, D),
        Vec3::new(-D, -D, D),
        Vec3::new(D, D, -D),
        Vec3::new(-D, D, -D),
        Vec3::new(D, -D, -D),
        Vec3::new(-D, -D, -D),
    ]
};
