//! Moves nodes of a solid under limits of element quality and self-intersection.

use super::MIN_DIHEDRAL;
use crate::boundary::Boundary;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::TriangleTree;
use resile_mesh::smallest_dihedral;
use resile_watch::Interrupt;

/// Step lengths of nodes that are moved to improve elements, in cells.
const STEP_LENGTHS: [f64; 3] = [0.2, 0.1, 0.05];

/// Number of sweeps over all neighbours before a move is given up.
const MAX_SWEEPS: usize = 3;

/// Smallest cosine between the surface normals before and after a surface node slides.
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
pub(super) struct NodeFit<'a> {
    pub(super) mesh: &'a mut TetMesh,
    /// Constraint of each node.
    pub(super) constraints: &'a mut [NodeConstraint],
    surface: &'a TriangleTree,
    /// Length of a lattice cell (m).
    pub(super) size: f64,
    /// Ends all moves once it is raised.
    pub(super) interrupt: &'a Interrupt,
    /// Elements incident to each node.
    incident_tets: Vec<Vec<u32>>,
    /// Boundary of the solid, which is kept free of self-intersections.
    boundary: Boundary,
}

impl<'a> NodeFit<'a> {
    /// Prepares a solid with cells of `size` (m) whose boundary lies on `surface`.
    pub(super) fn new(
        mesh: &'a mut TetMesh,
        constraints: &'a mut [NodeConstraint],
        surface: &'a TriangleTree,
        size: f64,
        interrupt: &'a Interrupt,
    ) -> Self {
        let mut incident_tets = vec![Vec::new(); mesh.positions.len()];
        for (tet, nodes) in (0..).zip(&mesh.tets) {
            nodes.iter().for_each(|&node| incident_tets[node as usize].push(tet));
        }
        let boundary = Boundary::new(&mesh.surface().triangles, &mesh.positions, size);
        Self { mesh, constraints, surface, size, interrupt, incident_tets, boundary }
    }

    /// Moves a node to `position` (m) and fixes it there if element quality permits and the boundary does not intersect
    /// itself. Movable neighbours are moved if the elements are bad otherwise. Returns whether the node was moved; if
    /// not, all nodes are restored.
    pub(super) fn try_fix(&mut self, node: u32, position: Vec3) -> bool {
        if self.interrupt.is_raised() {
            return false;
        }
        let min_angle = MIN_DIHEDRAL.min(self.angle_at(node));
        let old_position = self.replace_position(node, position);
        if self.angle_at(node) >= min_angle && !self.crosses_at(&[node]) {
            self.constraints[node as usize] = NodeConstraint::Fixed;
            return true;
        }
        let neighbours = self.movable_neighbours(node);
        let old_neighbour_positions: Vec<Vec3> =
            neighbours.iter().map(|&n| self.mesh.positions[n as usize]).collect();
        // The smallest angle at each neighbour, without the elements of the node.
        let old_neighbour_angles: Vec<f64> =
            neighbours.iter().map(|&n| self.angle_without(n, node)).collect();
        let constraint =
            std::mem::replace(&mut self.constraints[node as usize], NodeConstraint::Fixed);
        let moved_nodes: Vec<u32> = neighbours.iter().copied().chain([node]).collect();
        for _ in 0..MAX_SWEEPS {
            let improved_count = neighbours.iter().filter(|&&n| self.improve(n)).count();
            let has_good_elements =
                |(&n, &angle): (&u32, &f64)| self.angle_at(n) >= MIN_DIHEDRAL.min(angle);
            let all_are_good = self.angle_at(node) >= min_angle
                && neighbours.iter().zip(&old_neighbour_angles).all(has_good_elements);
            if all_are_good && !self.crosses_at(&moved_nodes) {
                return true;
            }
            if all_are_good || improved_count == 0 {
                break;
            }
        }
        for (&n, &old_position) in neighbours.iter().zip(&old_neighbour_positions) {
            self.replace_position(n, old_position);
        }
        self.replace_position(node, old_position);
        self.boundary.update(&moved_nodes, &self.mesh.positions);
        self.constraints[node as usize] = constraint;
        false
    }

    /// Improves elements with a dihedral angle below `accepted` degrees by moving their nodes, as long as the smallest
    /// angle grows.
    pub(super) fn improve_quality(&mut self, accepted: f64) {
        for _ in 0..MAX_SWEEPS {
            let mut nodes: Vec<u32> = (self.mesh.tets.iter())
                .filter(|tet| {
                    smallest_dihedral(tet.map(|n| self.mesh.positions[n as usize])) < accepted
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

    /// Moves a node as [`improve`](Self::improve) does, and restores it if the boundary would intersect itself.
    fn improve_safely(&mut self, node: u32) -> bool {
        let start = self.mesh.positions[node as usize];
        if !self.improve(node) {
            return false;
        }
        if self.crosses_at(&[node]) {
            self.replace_position(node, start);
            self.boundary.update(&[node], &self.mesh.positions);
            return false;
        }
        true
    }

    /// Sets the position of a node and returns the old one.
    fn replace_position(&mut self, node: u32, position: Vec3) -> Vec3 {
        std::mem::replace(&mut self.mesh.positions[node as usize], position)
    }

    /// Smallest dihedral angle around a node, in degrees; negative if an element is inverted.
    fn angle_at(&self, node: u32) -> f64 {
        self.smallest_angle_of(self.incident_tets[node as usize].iter().copied())
    }

    /// Smallest dihedral angle around a node, in degrees, over the elements that do not contain `excluded`.
    fn angle_without(&self, node: u32, excluded: u32) -> f64 {
        let tets = self.incident_tets[node as usize].iter().copied();
        self.smallest_angle_of(
            tets.filter(|&tet| !self.mesh.tets[tet as usize].contains(&excluded)),
        )
    }

    /// Smallest dihedral angle of these elements, in degrees.
    fn smallest_angle_of(&self, tets: impl Iterator<Item = u32>) -> f64 {
        tets.map(|tet| smallest_dihedral(self.mesh.corners(tet as usize)))
            .fold(f64::INFINITY, f64::min)
    }

    /// Neighbours that may move, in ascending order.
    fn movable_neighbours(&self, node: u32) -> Vec<u32> {
        let tets = self.incident_tets[node as usize].iter();
        let mut nodes: Vec<u32> = tets.flat_map(|&tet| self.mesh.tets[tet as usize]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&n| n != node && self.constraints[n as usize] != NodeConstraint::Fixed);
        nodes
    }

    /// Moves a node by the step that increases its smallest angle most, out of all directions and step lengths; returns
    /// whether it moved.
    fn improve(&mut self, node: u32) -> bool {
        if self.interrupt.is_raised() {
            return false;
        }
        let (start, mut best_angle) = (self.mesh.positions[node as usize], self.angle_at(node));
        let mut best_position = start;
        for step in STEP_LENGTHS {
            for direction in CUBE_DIRECTIONS {
                let Some(candidate) = self.projected(node, start + self.size * step * direction)
                else {
                    continue;
                };
                self.replace_position(node, candidate);
                let angle = self.angle_at(node);
                if angle > best_angle {
                    (best_angle, best_position) = (angle, candidate);
                }
            }
        }
        self.replace_position(node, best_position);
        best_position != start
    }

    /// Nearest position that the constraint of the node permits; `None` if the surface normal there differs too much.
    fn projected(&self, node: u32, position: Vec3) -> Option<Vec3> {
        if self.constraints[node as usize] == NodeConstraint::Free {
            return Some(position);
        }
        let from = self.surface.closest(self.mesh.positions[node as usize]);
        let to = self.surface.closest(position);
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
