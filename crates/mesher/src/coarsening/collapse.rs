//! Edge collapse with tests of topology, quality and boundary.

use super::quadric::Quadric;
use super::{boundary, quadrics};
use crate::boundary::Boundary;
use resile_math::{Vec3, elementary};
use resile_mesh::{TetMesh, TriangleTree};

/// Smallest cosine of the rotation of a boundary triangle's normal.
const MIN_ALIGNMENT: f64 = 0.7;

/// A solid during edge collapses.
pub(super) struct EdgeCollapse<'a> {
    positions: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
    /// Whether each tetrahedron still exists.
    alive: Vec<bool>,
    /// Number of tetrahedra that still exist.
    count: usize,
    /// Tetrahedra incident to each node.
    incident_tets: Vec<Vec<u32>>,
    boundary: Boundary,
    /// Error quadric of each node; zero for interior nodes.
    quadrics: Vec<Quadric>,
    /// Number of changes of each node or its neighbourhood.
    changes: Vec<u32>,
    /// The surface on which the boundary lies.
    tree: &'a TriangleTree,
    /// Cosine of the smallest allowed dihedral angle.
    max_cosine: f64,
    /// Largest quadric distance from the boundary planes, relative to the edge length.
    max_distance: f64,
}

/// A planned collapse: `removed` is replaced by `kept`.
struct Plan {
    kept: u32,
    removed: u32,
    /// Tetrahedra with both nodes, which vanish.
    vanishing: Vec<u32>,
    /// Tetrahedra with one of the two nodes, which remain.
    remaining: Vec<u32>,
    /// Cosine of the smallest dihedral angle of all these tetrahedra before the collapse.
    max_cosine: f64,
}

impl<'a> EdgeCollapse<'a> {
    /// Prepares a solid whose boundary lies on the surface of `tree` and has edges of about `size` (m).
    pub(super) fn new(mesh: &TetMesh, tree: &'a TriangleTree, size: f64) -> Self {
        let (triangles, boundary) = boundary(mesh, size);
        let quadrics = quadrics(&triangles, &mesh.positions);
        let mut incident_tets = vec![Vec::new(); mesh.positions.len()];
        for (tet, nodes) in (0..).zip(&mesh.tets) {
            nodes.iter().for_each(|&node| incident_tets[node as usize].push(tet));
        }
        Self {
            positions: mesh.positions.clone(),
            tets: mesh.tets.clone(),
            alive: vec![true; mesh.tets.len()],
            count: mesh.tets.len(),
            incident_tets,
            boundary,
            quadrics,
            changes: vec![0; mesh.positions.len()],
            tree,
            max_cosine: 1.0,
            max_distance: 0.0,
        }
    }

    /// Sets the smallest dihedral angle (degrees), and the largest quadric distance from the boundary planes
    /// relative to the edge length.
    pub(super) fn set_limits(&mut self, angle: f64, distance: f64) {
        self.max_cosine = elementary::cos(angle.to_radians());
        self.max_distance = distance;
    }

    /// Number of remaining tetrahedra.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Current position of a node (m).
    pub(super) fn position(&self, node: u32) -> Vec3 {
        self.positions[node as usize]
    }

    /// Number of changes of a node or its neighbourhood.
    pub(super) fn changes(&self, node: u32) -> u32 {
        self.changes[node as usize]
    }

    /// All remaining edges, the smaller node first.
    pub(super) fn edges(&self) -> Vec<[u32; 2]> {
        let remaining = self.tets.iter().zip(&self.alive).filter(|(_, alive)| **alive);
        let edges_of = |&[a, b, c, d]: &[u32; 4]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
        let edges = remaining.flat_map(|(tet, _)| edges_of(tet)).map(|[a, b]| [a.min(b), a.max(b)]);
        let mut edges: Vec<[u32; 2]> = edges.collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Nodes with an edge to this one, ascending.
    pub(super) fn neighbours(&self, node: u32) -> Vec<u32> {
        let tets = self.incident_tets[node as usize].iter();
        let mut nodes: Vec<u32> = tets.flat_map(|&tet| self.tets[tet as usize]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&n| n != node);
        nodes
    }

    /// Returns the solid with renumbered nodes.
    pub(super) fn finish(self) -> TetMesh {
        const UNMAPPED: u32 = u32::MAX;
        let mut new_indices = vec![UNMAPPED; self.positions.len()];
        let mut mesh = TetMesh::default();
        for (tet, _) in self.tets.iter().zip(&self.alive).filter(|(_, alive)| **alive) {
            mesh.tets.push(tet.map(|node| {
                let index = &mut new_indices[node as usize];
                if *index == UNMAPPED {
                    *index = mesh.positions.len() as u32;
                    mesh.positions.push(self.positions[node as usize]);
                }
                *index
            }));
        }
        mesh
    }

    fn is_on_boundary(&self, node: u32) -> bool {
        !self.boundary.triangles_at(node).is_empty()
    }

    /// Collapses an edge if that is allowed; returns the remaining node.
    pub(super) fn collapse(&mut self, [a, b]: [u32; 2]) -> Option<u32> {
        // Keep the boundary node.
        let (survivor, removed) =
            if self.is_on_boundary(b) && !self.is_on_boundary(a) { (b, a) } else { (a, b) };
        let are_both_on_boundary = self.is_on_boundary(survivor) && self.is_on_boundary(removed);
        let plan = self.plan(survivor, removed, are_both_on_boundary)?;
        if are_both_on_boundary {
            let positions = self.boundary_positions(&plan);
            positions
                .into_iter()
                .find(|&position| self.try_boundary_collapse(&plan, position))
                .map(|_| survivor)
        } else {
            let position = match self.is_on_boundary(survivor) {
                true => self.position(survivor),
                false => self.position(survivor).midpoint(self.position(removed)),
            };
            self.is_well_shaped(&plan, position)
                .then(|| self.commit(&plan, position))
                .map(|()| survivor)
        }
    }

    /// Plans the collapse of an edge into its node `kept`; `None` if the link conditions forbid it.
    fn plan(&self, kept: u32, removed: u32, are_both_on_boundary: bool) -> Option<Plan> {
        let contains = |&tet: &u32, node: u32| self.tets[tet as usize].contains(&node);
        let tets_of_removed = self.incident_tets[removed as usize].iter().copied();
        let (vanishing, remaining_of_removed): (Vec<u32>, Vec<u32>) =
            tets_of_removed.partition(|tet| contains(tet, kept));
        let remaining_of_kept: Vec<u32> = self.incident_tets[kept as usize]
            .iter()
            .copied()
            .filter(|tet| !contains(tet, removed))
            .collect();
        if vanishing.is_empty()
            || !self.satisfies_link_condition(
                kept,
                removed,
                &vanishing,
                [&remaining_of_kept, &remaining_of_removed],
            )
            || (are_both_on_boundary && !self.satisfies_boundary_link_condition(kept, removed))
        {
            return None;
        }
        let remaining = [remaining_of_kept, remaining_of_removed].concat();
        let affected = remaining.iter().chain(&vanishing);
        let corners = |&tet: &u32| self.tets[tet as usize].map(|n| self.positions[n as usize]);
        let max_cosine = affected.map(|tet| largest_cosine(corners(tet))).fold(-1.0, f64::max);
        Some(Plan { kept, removed, vanishing, remaining, max_cosine })
    }

    /// Whether the intersection of the links of both nodes is the link of their edge (link condition of the solid).
    /// `vanishing` are the tetrahedra at the edge, and `remaining` the others at the kept and at the removed node.
    fn satisfies_link_condition(
        &self,
        kept: u32,
        removed: u32,
        vanishing: &[u32],
        remaining: [&[u32]; 2],
    ) -> bool {
        let mut link_nodes: Vec<u32> =
            vanishing.iter().flat_map(|&tet| self.tets[tet as usize]).collect();
        link_nodes.retain(|&n| n != kept && n != removed);
        link_nodes.sort_unstable();
        link_nodes.dedup();
        let neighbours_of_removed = self.neighbours(removed);
        let common = self
            .neighbours(kept)
            .into_iter()
            .filter(|n| neighbours_of_removed.binary_search(n).is_ok());
        if !common.eq(link_nodes.iter().copied()) {
            return false;
        }
        let is_in_link_of_edge = |&[p, q]: &[u32; 2]| {
            let contains_edge = |&tet: &u32| {
                let nodes = self.tets[tet as usize];
                nodes.contains(&p) && nodes.contains(&q)
            };
            vanishing.iter().any(contains_edge)
        };
        let [remaining_of_kept, remaining_of_removed] = remaining;
        let edges_of_removed = self.link_edges(remaining_of_removed, removed, &link_nodes);
        let edges_of_kept = self.link_edges(remaining_of_kept, kept, &link_nodes);
        let mut shared_edges =
            edges_of_kept.iter().filter(|edge| edges_of_removed.binary_search(edge).is_ok());
        shared_edges.all(is_in_link_of_edge) && !self.have_common_face(kept, removed, remaining)
    }

    /// Edges between `nodes` (ascending) in the link of a node: those of its tetrahedra that do not contain it.
    /// Ascending, with the lower node first.
    fn link_edges(&self, tets: &[u32], node: u32, nodes: &[u32]) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for &tet in tets {
            let corners = self.tets[tet as usize];
            let face: Vec<u32> = corners.into_iter().filter(|&n| n != node).collect();
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let edge = [face[i].min(face[j]), face[i].max(face[j])];
                if edge.iter().all(|n| nodes.binary_search(n).is_ok()) {
                    edges.push(edge);
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Whether a remaining tetrahedron of each node has the same face opposite to its node.
    fn have_common_face(
        &self,
        kept: u32,
        removed: u32,
        [tets_of_kept, tets_of_removed]: [&[u32]; 2],
    ) -> bool {
        let faces = |tets: &[u32], node: u32| {
            let face = |&tet: &u32| {
                let mut face =
                    self.tets[tet as usize].map(|n| if n == node { u32::MAX } else { n });
                face.sort_unstable();
                face
            };
            let mut faces: Vec<[u32; 4]> = tets.iter().map(face).collect();
            faces.sort_unstable();
            faces
        };
        let faces_of_removed = faces(tets_of_removed, removed);
        faces(tets_of_kept, kept).iter().any(|face| faces_of_removed.binary_search(face).is_ok())
    }

    /// Whether the edge is a boundary edge, and its nodes have no common boundary neighbours besides the opposite nodes
    /// of its two triangles, and no common opposite edge (link condition of the boundary).
    fn satisfies_boundary_link_condition(&self, kept: u32, removed: u32) -> bool {
        let mut apexes = Vec::new();
        let (mut neighbours_of_kept, mut neighbours_of_removed) = (Vec::new(), Vec::new());
        let mut opposite_edges = Vec::new();
        for &triangle_index in self.boundary.triangles_at(removed) {
            let triangle = self.boundary.corners(triangle_index);
            let other_nodes = triangle.into_iter().filter(|&n| n != removed && n != kept);
            match triangle.contains(&kept) {
                true => apexes.extend(other_nodes),
                false => opposite_edges.push(sorted_edge(other_nodes)),
            }
            neighbours_of_removed.extend(triangle.into_iter().filter(|&n| n != removed));
        }
        let mut has_common_edge = false;
        for &triangle_index in self.boundary.triangles_at(kept) {
            let triangle = self.boundary.corners(triangle_index);
            if !triangle.contains(&removed) {
                has_common_edge |= opposite_edges
                    .contains(&sorted_edge(triangle.into_iter().filter(|&n| n != kept)));
            }
            neighbours_of_kept.extend(triangle.into_iter().filter(|&n| n != kept));
        }
        apexes.sort_unstable();
        let mut common: Vec<u32> =
            neighbours_of_kept.into_iter().filter(|n| neighbours_of_removed.contains(n)).collect();
        common.sort_unstable();
        common.dedup();
        apexes.len() == 2 && common == apexes && !has_common_edge
    }

    /// Candidate positions of the remaining node: both ends and a surface point between them, sorted by
    /// the quadric distance.
    fn boundary_positions(&self, plan: &Plan) -> Vec<Vec3> {
        let [a, b] = [plan.kept, plan.removed].map(|n| self.position(n));
        let quadric = self.quadrics[plan.kept as usize].plus(&self.quadrics[plan.removed as usize]);
        let limit = self.max_distance * a.distance(b);
        let surface_point = self.tree.closest(a.midpoint(b)).point;
        let mut candidates: Vec<(f64, Vec3)> = [surface_point, a, b]
            .into_iter()
            .map(|position| (quadric.distance(position), position))
            .collect();
        candidates.retain(|(distance, _)| *distance <= limit);
        candidates.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        candidates.into_iter().map(|(_, position)| position).collect()
    }

    /// Collapses two boundary nodes into `position` (m) if the elements are well-shaped, the normals do not rotate too
    /// far and the boundary does not intersect itself. Returns whether it did.
    fn try_boundary_collapse(&mut self, plan: &Plan, position: Vec3) -> bool {
        if !self.is_well_shaped(plan, position) || self.rotates_normals(plan, position) {
            return false;
        }
        let (kept, removed) = (plan.kept, plan.removed);
        let old_position = self.position(kept);
        let old_triangles: Vec<[u32; 3]> =
            self.boundary.triangles_at(removed).iter().map(|&t| self.boundary.corners(t)).collect();
        let remaining = old_triangles.iter().filter(|triangle| !triangle.contains(&kept));
        let new_triangles: Vec<[u32; 3]> = remaining
            .map(|triangle| triangle.map(|n| if n == removed { kept } else { n }))
            .collect();
        old_triangles.iter().for_each(|&triangle| _ = self.boundary.remove(triangle));
        self.positions[kept as usize] = position;
        new_triangles.iter().for_each(|&triangle| _ = self.boundary.add(triangle, &self.positions));
        self.boundary.update(&[kept], &self.positions);
        if self.boundary.crosses_at(&[kept], &self.positions) {
            new_triangles.iter().for_each(|&triangle| _ = self.boundary.remove(triangle));
            self.positions[kept as usize] = old_position;
            for &triangle in &old_triangles {
                let _ = self.boundary.add(triangle, &self.positions);
            }
            self.boundary.update(&[kept], &self.positions);
            return false;
        }
        self.commit(plan, position);
        true
    }

    /// Whether all remaining tetrahedra keep an acceptable dihedral angle.
    fn is_well_shaped(&self, plan: &Plan, position: Vec3) -> bool {
        let limit = self.max_cosine.max(plan.max_cosine);
        plan.remaining.iter().all(|&tet| {
            let corner = |n: u32| match n == plan.kept || n == plan.removed {
                true => position,
                false => self.positions[n as usize],
            };
            largest_cosine(self.tets[tet as usize].map(corner)) <= limit
        })
    }

    /// Whether the normal of a boundary triangle would rotate too far.
    fn rotates_normals(&self, plan: &Plan, new_position: Vec3) -> bool {
        let (kept, removed) = (plan.kept, plan.removed);
        let collapsed_nodes = [kept, removed];
        collapsed_nodes.iter().flat_map(|&node| self.boundary.triangles_at(node)).any(
            |&triangle_index| {
                let triangle = self.boundary.corners(triangle_index);
                if collapsed_nodes.iter().all(|node| triangle.contains(node)) {
                    return false;
                }
                let old_corners = triangle.map(|n| self.position(n));
                let new_corners = triangle.map(|n| {
                    if collapsed_nodes.contains(&n) { new_position } else { self.position(n) }
                });
                let [old_normal, new_normal] = [old_corners, new_corners]
                    .map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero());
                old_normal.dot(new_normal) < MIN_ALIGNMENT
            },
        )
    }

    /// Collapses an edge: moves the kept node to `position`, and removes the elements between both nodes.
    fn commit(&mut self, plan: &Plan, position: Vec3) {
        let (kept, removed) = (plan.kept as usize, plan.removed as usize);
        self.positions[kept] = position;
        self.quadrics[kept] = self.quadrics[kept].plus(&self.quadrics[removed]);
        for &tet in &plan.vanishing {
            self.alive[tet as usize] = false;
            for node in self.tets[tet as usize] {
                self.incident_tets[node as usize].retain(|&other| other != tet);
            }
        }
        self.count -= plan.vanishing.len();
        for tet in std::mem::take(&mut self.incident_tets[removed]) {
            let nodes = &mut self.tets[tet as usize];
            *nodes = nodes.map(|n| if n == plan.removed { plan.kept } else { n });
            self.incident_tets[kept].push(tet);
        }
        self.changes[removed] += 1;
        self.changes[kept] += 1;
    }
}

/// The edge between two nodes, the smaller first.
fn sorted_edge(mut nodes: impl Iterator<Item = u32>) -> [u32; 2] {
    let [a, b] = [nodes.next().unwrap_or(u32::MAX), nodes.next().unwrap_or(u32::MAX)];
    [a.min(b), a.max(b)]
}

/// Cosine of the smallest dihedral angle of a tetrahedron; infinite unless its volume is positive.
fn largest_cosine([a, b, c, d]: [Vec3; 4]) -> f64 {
    let (ab, ac, ad) = (b - a, c - a, d - a);
    let normals = [(c - b).cross(d - b), ad.cross(ac), ab.cross(ad), ac.cross(ab)];
    if ab.cross(ac).dot(ad) <= 0.0 {
        return f64::INFINITY;
    }
    let [p, q, r, s] = normals.map(Vec3::normalize_or_zero);
    let pairs = [p.dot(q), p.dot(r), p.dot(s), q.dot(r), q.dot(s), r.dot(s)];
    pairs.into_iter().map(|cosine| -cosine).fold(-1.0, f64::max)
}
