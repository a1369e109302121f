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
    count: usize,
    /// Tetrahedra incident to each node.
    around: Vec<Vec<u32>>,
    boundary: Boundary,
    quadrics: Vec<Quadric>,
    /// Number of changes of each node or its neighbourhood.
    changes: Vec<u32>,
    /// The surface on which the boundary lies.
    tree: &'a TriangleTree,
    /// Cosine of the smallest allowed dihedral angle.
    cosine: f64,
    /// Largest quadric distance from the boundary planes, relative to the edge length.
    distance: f64,
}

/// A planned collapse: `removed` is replaced by `kept`.
struct Plan {
    kept: u32,
    removed: u32,
    /// Tetrahedra with both nodes, which vanish.
    between: Vec<u32>,
    /// Tetrahedra with one of the two nodes, which stay.
    left: Vec<u32>,
    /// Cosine of the smallest dihedral angle of `left`.
    cosine: f64,
}

impl<'a> EdgeCollapse<'a> {
    pub(super) fn new(mesh: &TetMesh, tree: &'a TriangleTree, size: f64) -> Self {
        let (triangles, boundary) = boundary(mesh, size);
        let quadrics = quadrics(&triangles, &mesh.positions);
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for (tet, nodes) in (0..).zip(&mesh.tets) {
            nodes.iter().for_each(|&node| around[node as usize].push(tet));
        }
        Self {
            positions: mesh.positions.clone(),
            tets: mesh.tets.clone(),
            alive: vec![true; mesh.tets.len()],
            count: mesh.tets.len(),
            around,
            boundary,
            quadrics,
            changes: vec![0; mesh.positions.len()],
            tree,
            cosine: 1.0,
            distance: 0.0,
        }
    }

    /// Sets the smallest dihedral angle (degrees), and the largest quadric distance from the boundary planes
    /// relative to the edge length.
    pub(super) fn limit(&mut self, angle: f64, distance: f64) {
        (self.cosine, self.distance) = (elementary::cos(angle.to_radians()), distance);
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn position(&self, node: u32) -> Vec3 {
        self.positions[node as usize]
    }

    pub(super) fn changes(&self, node: u32) -> u32 {
        self.changes[node as usize]
    }

    /// All edges, the smaller node first.
    pub(super) fn edges(&self) -> Vec<[u32; 2]> {
        let left = self.tets.iter().zip(&self.alive).filter(|(_, alive)| **alive);
        let edges_of = |&[a, b, c, d]: &[u32; 4]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
        let edges = left.flat_map(|(tet, _)| edges_of(tet)).map(|[a, b]| [a.min(b), a.max(b)]);
        let mut edges: Vec<[u32; 2]> = edges.collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Nodes with an edge to this one, ascending.
    pub(super) fn neighbours(&self, node: u32) -> Vec<u32> {
        let tets = self.around[node as usize].iter();
        let mut near: Vec<u32> = tets.flat_map(|&tet| self.tets[tet as usize]).collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&n| n != node);
        near
    }

    /// Returns the solid with renumbered nodes.
    pub(super) fn finish(self) -> TetMesh {
        const UNMAPPED: u32 = u32::MAX;
        let mut numbers = vec![UNMAPPED; self.positions.len()];
        let mut mesh = TetMesh::default();
        for (tet, _) in self.tets.iter().zip(&self.alive).filter(|(_, alive)| **alive) {
            mesh.tets.push(tet.map(|node| {
                let number = &mut numbers[node as usize];
                if *number == UNMAPPED {
                    *number = mesh.positions.len() as u32;
                    mesh.positions.push(self.positions[node as usize]);
                }
                *number
            }));
        }
        mesh
    }

    fn is_on_boundary(&self, node: u32) -> bool {
        !self.boundary.at(node).is_empty()
    }

    /// Collapses an edge if that is allowed; returns the remaining node.
    pub(super) fn collapse(&mut self, [a, b]: [u32; 2]) -> Option<u32> {
        // Keep the boundary node.
        let (survivor, removed) =
            if self.is_on_boundary(b) && !self.is_on_boundary(a) { (b, a) } else { (a, b) };
        let both_outer = self.is_on_boundary(survivor) && self.is_on_boundary(removed);
        let plan = self.plan(survivor, removed, both_outer)?;
        if both_outer {
            let places = self.places_on_boundary(&plan);
            places
                .into_iter()
                .find(|&place| self.try_boundary_collapse(&plan, place))
                .map(|_| survivor)
        } else {
            let place = match self.is_on_boundary(survivor) {
                true => self.position(survivor),
                false => self.position(survivor).midpoint(self.position(removed)),
            };
            self.is_well_shaped(&plan, place).then(|| self.commit(&plan, place)).map(|()| survivor)
        }
    }

    /// Plans a collapse; `None` if the topology forbids it.
    fn plan(&self, kept: u32, removed: u32, both_outer: bool) -> Option<Plan> {
        let has = |&tet: &u32, node: u32| self.tets[tet as usize].contains(&node);
        let (between, left_of_removed): (Vec<u32>, Vec<u32>) =
            self.around[removed as usize].iter().copied().partition(|tet| has(tet, kept));
        let left_of_kept: Vec<u32> =
            self.around[kept as usize].iter().copied().filter(|tet| !has(tet, removed)).collect();
        if between.is_empty()
            || !self.satisfies_link_condition(
                kept,
                removed,
                &between,
                [&left_of_kept, &left_of_removed],
            )
            || (both_outer && !self.satisfies_boundary_link_condition(kept, removed))
        {
            return None;
        }
        let left = [left_of_kept, left_of_removed].concat();
        let all = left.iter().chain(&between);
        let corners = |&tet: &u32| self.tets[tet as usize].map(|n| self.positions[n as usize]);
        let cosine = all.map(|tet| largest_cosine(corners(tet))).fold(-1.0, f64::max);
        Some(Plan { kept, removed, between, left, cosine })
    }

    /// The link condition of the solid: the links of the nodes intersect in the link of their edge.
    fn satisfies_link_condition(
        &self,
        kept: u32,
        removed: u32,
        between: &[u32],
        left: [&[u32]; 2],
    ) -> bool {
        let mut ring: Vec<u32> = between.iter().flat_map(|&tet| self.tets[tet as usize]).collect();
        ring.retain(|&n| n != kept && n != removed);
        ring.sort_unstable();
        ring.dedup();
        let near = self.neighbours(removed);
        let common = self.neighbours(kept).into_iter().filter(|n| near.binary_search(n).is_ok());
        if !common.eq(ring.iter().copied()) {
            return false;
        }
        // Edges opposite to the node, in tetrahedra that stay.
        let opposite = |tets: &[u32], node: u32| {
            let mut edges: Vec<[u32; 2]> = Vec::new();
            for &tet in tets {
                let face = self.tets[tet as usize];
                let others: Vec<u32> = face.into_iter().filter(|&n| n != node).collect();
                for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                    let [p, q] = [others[i].min(others[j]), others[i].max(others[j])];
                    if ring.binary_search(&p).is_ok() && ring.binary_search(&q).is_ok() {
                        edges.push([p, q]);
                    }
                }
            }
            edges.sort_unstable();
            edges.dedup();
            edges
        };
        let of_edge = |&[p, q]: &[u32; 2]| {
            let has = |&tet: &u32| {
                let nodes = self.tets[tet as usize];
                nodes.contains(&p) && nodes.contains(&q)
            };
            between.iter().any(has)
        };
        let of_removed = opposite(left[1], removed);
        let shared = opposite(left[0], kept);
        let mut shared = shared.iter().filter(|edge| of_removed.binary_search(edge).is_ok());
        shared.all(of_edge) && !self.share_a_face(kept, removed, left)
    }

    /// Whether remaining tetrahedra of both nodes share the face opposite to their node.
    fn share_a_face(&self, kept: u32, removed: u32, [of_kept, of_removed]: [&[u32]; 2]) -> bool {
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
        let other = faces(of_removed, removed);
        faces(of_kept, kept).iter().any(|face| other.binary_search(face).is_ok())
    }

    /// The link condition of the boundary: the edge is a boundary edge, and its nodes have no common
    /// boundary neighbours besides the opposite nodes of its two triangles.
    fn satisfies_boundary_link_condition(&self, kept: u32, removed: u32) -> bool {
        let mut apexes = Vec::new();
        let (mut of_kept, mut of_removed) = (Vec::new(), Vec::new());
        let mut edges_of_gone = Vec::new();
        for &number in self.boundary.at(removed) {
            let triangle = self.boundary.corners(number);
            let others = triangle.into_iter().filter(|&n| n != removed && n != kept);
            match triangle.contains(&kept) {
                true => apexes.extend(others),
                false => edges_of_gone.push(sorted(others)),
            }
            of_removed.extend(triangle.into_iter().filter(|&n| n != removed));
        }
        let mut crossed = false;
        for &number in self.boundary.at(kept) {
            let triangle = self.boundary.corners(number);
            if !triangle.contains(&removed) {
                crossed |=
                    edges_of_gone.contains(&sorted(triangle.into_iter().filter(|&n| n != kept)));
            }
            of_kept.extend(triangle.into_iter().filter(|&n| n != kept));
        }
        apexes.sort_unstable();
        let mut common: Vec<u32> = of_kept.into_iter().filter(|n| of_removed.contains(n)).collect();
        common.sort_unstable();
        common.dedup();
        apexes.len() == 2 && common == apexes && !crossed
    }

    /// Candidate positions of the remaining node: both ends and a surface point between them, sorted by
    /// the quadric distance.
    fn places_on_boundary(&self, plan: &Plan) -> Vec<Vec3> {
        let [a, b] = [plan.kept, plan.removed].map(|n| self.position(n));
        let quadric = self.quadrics[plan.kept as usize].plus(&self.quadrics[plan.removed as usize]);
        let limit = self.distance * a.distance(b);
        let middle = self.tree.closest(a.midpoint(b)).point;
        let mut places: Vec<(f64, Vec3)> =
            [middle, a, b].into_iter().map(|place| (quadric.distance(place), place)).collect();
        places.retain(|(distance, _)| *distance <= limit);
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        places.into_iter().map(|(_, place)| place).collect()
    }

    /// Collapses two boundary nodes into `place` if the result is allowed.
    fn try_boundary_collapse(&mut self, plan: &Plan, place: Vec3) -> bool {
        if !self.is_well_shaped(plan, place) || self.rotates_normals(plan, place) {
            return false;
        }
        let (kept, removed) = (plan.kept, plan.removed);
        let old_place = self.position(kept);
        let old: Vec<[u32; 3]> =
            self.boundary.at(removed).iter().map(|&t| self.boundary.corners(t)).collect();
        let new = old.iter().filter(|triangle| !triangle.contains(&kept));
        let new: Vec<[u32; 3]> =
            new.map(|triangle| triangle.map(|n| if n == removed { kept } else { n })).collect();
        old.iter().for_each(|&triangle| _ = self.boundary.remove(triangle));
        self.positions[kept as usize] = place;
        new.iter().for_each(|&triangle| _ = self.boundary.add(triangle, &self.positions));
        self.boundary.update(&[kept], &self.positions);
        if self.boundary.crosses_at(&[kept], &self.positions) {
            new.iter().for_each(|&triangle| _ = self.boundary.remove(triangle));
            self.positions[kept as usize] = old_place;
            old.iter().for_each(|&triangle| _ = self.boundary.add(triangle, &self.positions));
            self.boundary.update(&[kept], &self.positions);
            return false;
        }
        self.commit(plan, place);
        true
    }

    /// Whether all remaining tetrahedra keep an acceptable dihedral angle.
    fn is_well_shaped(&self, plan: &Plan, place: Vec3) -> bool {
        let limit = self.cosine.max(plan.cosine);
        plan.left.iter().all(|&tet| {
            let corner = |n: u32| match n == plan.kept || n == plan.removed {
                true => place,
                false => self.positions[n as usize],
            };
            largest_cosine(self.tets[tet as usize].map(corner)) <= limit
        })
    }

    /// Whether the normal of a boundary triangle would rotate too far.
    fn rotates_normals(&self, plan: &Plan, place: Vec3) -> bool {
        let (kept, removed) = (plan.kept, plan.removed);
        let both = [kept, removed];
        both.iter().flat_map(|&node| self.boundary.at(node)).any(|&number| {
            let triangle = self.boundary.corners(number);
            if both.iter().all(|node| triangle.contains(node)) {
                return false;
            }
            let before = triangle.map(|n| self.position(n));
            let after = triangle.map(|n| if both.contains(&n) { place } else { self.position(n) });
            let [m, n] = [before, after].map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero());
            m.dot(n) < MIN_ALIGNMENT
        })
    }

    /// Collapses an edge: moves the kept node to `place`, and removes the elements between both nodes.
    fn commit(&mut self, plan: &Plan, place: Vec3) {
        let (kept, removed) = (plan.kept as usize, plan.removed as usize);
        self.positions[kept] = place;
        self.quadrics[kept] = self.quadrics[kept].plus(&self.quadrics[removed]);
        for &tet in &plan.between {
            self.alive[tet as usize] = false;
            for node in self.tets[tet as usize] {
                self.around[node as usize].retain(|&other| other != tet);
            }
        }
        self.count -= plan.between.len();
        for tet in std::mem::take(&mut self.around[removed]) {
            let nodes = &mut self.tets[tet as usize];
            *nodes = nodes.map(|n| if n == plan.removed { plan.kept } else { n });
            self.around[kept].push(tet);
        }
        self.changes[removed] += 1;
        self.changes[kept] += 1;
    }
}

fn sorted(mut nodes: impl Iterator<Item = u32>) -> [u32; 2] {
    let [a, b] = [nodes.next().unwrap_or(u32::MAX), nodes.next().unwrap_or(u32::MAX)];
    [a.min(b), a.max(b)]
}

/// Cosine of the smallest dihedral angle; infinite unless the volume is positive.
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
