//! Candidates from an external broad phase.

use crate::geometry::distance::PairKind;
use crate::geometry::point::Point;
use crate::search::broad_phase::support;
use crate::search::candidates::{Candidates, ColliderPair, PlaneCandidate};
use crate::search::sides::{self, ColliderSide};
use crate::{CollisionScene, Role};
use std::collections::BTreeMap;
use thiserror::Error;

/// Pairs of primitives of a [`CollisionScene`], as listed by a broad phase.
///
/// A vertex is given by the index of its point, as in [`CollisionScene::vertices`]. Edges and triangles are
/// numbered in the order of [`CollisionScene::edges`] and [`CollisionScene::triangles`], planes in the order of the
/// scene's obstacles. Fixed obstacle meshes have no indices; use a collider with [`Role::Kinematic`] instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrimitivePairs {
    /// A vertex and a triangle.
    pub vertex_faces: Vec<[usize; 2]>,
    /// Two edges.
    pub edge_edges: Vec<[usize; 2]>,
    /// An edge and a vertex.
    pub edge_vertices: Vec<[usize; 2]>,
    /// Two vertices.
    pub vertex_vertices: Vec<[usize; 2]>,
    /// A vertex and an obstacle plane.
    pub vertex_planes: Vec<[usize; 2]>,
}

/// A list of pairs refers to a primitive that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("pair {pair} of {list} names number {number}, which does not exist")]
pub struct NoSuchPrimitive {
    /// Field name of the list.
    pub list: &'static str,
    /// Index of the pair in the list.
    pub pair: usize,
    /// Index of the primitive.
    pub number: usize,
}

/// A primitive: index of the collider, and index in the lists of its mesh.
type Place = (usize, u32);

impl Candidates {
    /// Candidates from an external broad phase. They are valid for the positions for which the broad phase is
    /// complete, which is not checked.
    ///
    /// Lists may contain superfluous pairs. Duplicates are removed, as are pairs that the collision filter ignores,
    /// pairs with a common vertex, and pairs of two kinematic colliders. Pairs contained in others are removed too:
    /// edge-vertex pairs if the edge belongs to a triangle, and vertex-vertex pairs if a vertex belongs to an edge.
    ///
    /// # Errors
    /// If a primitive does not exist.
    pub fn from_pairs(
        scene: &CollisionScene,
        pairs: &PrimitivePairs,
    ) -> Result<Self, NoSuchPrimitive> {
        let mut built =
            CandidateBuilder { scene, out: Self::default(), pair_numbers: BTreeMap::new() };
        for (k, &[vertex, face]) in pairs.vertex_faces.iter().enumerate() {
            let no = no_such("vertex_faces", k);
            let places =
                [scene.vertex(vertex).ok_or(no(vertex))?, scene.face(face).ok_or(no(face))?];
            built.add(PairKind::VertexFace, places);
        }
        for (k, &[first, second]) in pairs.edge_edges.iter().enumerate() {
            let no = no_such("edge_edges", k);
            let places =
                [scene.edge(first).ok_or(no(first))?, scene.edge(second).ok_or(no(second))?];
            built.add(PairKind::EdgeEdge, built.simulated_first(places));
        }
        for (k, &[edge, vertex]) in pairs.edge_vertices.iter().enumerate() {
            let no = no_such("edge_vertices", k);
            let (edge, vertex) =
                (scene.edge(edge).ok_or(no(edge))?, scene.vertex(vertex).ok_or(no(vertex))?);
            if let Some(edge) = scene.free_edge(edge) {
                built.add(PairKind::VertexEdge, [vertex, edge]);
            }
        }
        for (k, &[first, second]) in pairs.vertex_vertices.iter().enumerate() {
            let no = no_such("vertex_vertices", k);
            let (first, second) =
                (scene.vertex(first).ok_or(no(first))?, scene.vertex(second).ok_or(no(second))?);
            if let (Some(first), Some(second)) = (scene.free_point(first), scene.free_point(second))
            {
                built.add(PairKind::VertexVertex, built.simulated_first([first, second]));
            }
        }
        for (k, &[vertex, plane]) in pairs.vertex_planes.iter().enumerate() {
            let no = no_such("vertex_planes", k);
            let place = scene.vertex(vertex).ok_or(no(vertex))?;
            scene.obstacles.planes.get(plane).ok_or(no(plane))?;
            built.add_plane(place, plane);
        }
        built.out.sort();
        Ok(built.out)
    }
}

fn no_such(list: &'static str, pair: usize) -> impl Fn(usize) -> NoSuchPrimitive {
    move |number| NoSuchPrimitive { list, pair, number }
}

/// Candidates under construction.
struct CandidateBuilder<'a> {
    scene: &'a CollisionScene,
    out: Candidates,
    /// Indices of pairs of colliders by shapes.
    pair_numbers: BTreeMap<[usize; 2], u32>,
}

impl CandidateBuilder<'_> {
    fn is_simulated(&self, (collider, _): Place) -> bool {
        self.scene.colliders[collider].role == Role::Simulated
    }

    /// Two primitives of one sort in the order of candidates.
    fn simulated_first(&self, [first, second]: [Place; 2]) -> [Place; 2] {
        let key = |place: Place| (!self.is_simulated(place), place);
        if key(second) < key(first) { [second, first] } else { [first, second] }
    }

    fn add(&mut self, kind: PairKind, places: [Place; 2]) {
        let [(a, i), (b, j)] = places;
        let collider_of = |k: usize| &self.scene.colliders[k];
        let simulated = places.map(|place| self.is_simulated(place));
        if simulated == [false; 2]
            || !self.scene.pairs.collide(collider_of(a).number, collider_of(b).number)
        {
            return;
        }
        let side = |collider: usize, simulated: bool| ColliderSide {
            mesh: &collider_of(collider).mesh,
            first: Point::moving(self.scene.points.first(collider)),
            simulated,
        };
        let sides = [side(a, simulated[0]), side(b, simulated[1])];
        let points = sides::points(kind, sides, [i, j]);
        let count = kind.points();
        let shared = (0..count).any(|k| points[..k].contains(&points[k]));
        if shared || (a == b && collider_of(a).mesh.is_affine()) {
            return;
        }
        let pair = self.pair(a, b);
        self.out.pairs.push(sides::candidate(kind, sides, [i, j], points, pair));
    }

    /// Index of a pair of colliders, at least one of which is simulated.
    fn pair(&mut self, a: usize, b: usize) -> u32 {
        let [(a, _), (b, _)] = self.simulated_first([(a, 0), (b, 0)]);
        let [first, second] = [a, b].map(|k| &self.scene.colliders[k]);
        self.number(ColliderPair {
            shapes: [a, b],
            body: first.body,
            other: (second.role == Role::Simulated).then_some(second.body),
            friction: self.scene.pairs.friction(first.number, second.number),
            static_friction: self.scene.pairs.static_friction(first.number, second.number),
            restitution: self.scene.pairs.restitution(first.number, second.number),
            damping: self.scene.pairs.contact_damping(first.number, second.number),
            rolling: self.scene.pairs.rolling_friction(first.number, second.number),
            min_separation: first.half_thickness + second.half_thickness,
            support: support(&[&first.mesh, &second.mesh]),
        })
    }

    fn add_plane(&mut self, place: Place, plane: usize) {
        let (collider, vertex) = (&self.scene.colliders[place.0], place.1 as usize);
        let of_plane = self.scene.obstacles.planes[plane].collider;
        if !self.is_simulated(place) || !self.scene.pairs.collide(collider.number, of_plane) {
            return;
        }
        let pair = self.number(self.scene.plane_pair([place.0, plane]));
        let of_mesh = collider.mesh.vertices()[vertex];
        let point = self.scene.points.first(place.0) as u32 + of_mesh;
        let area = collider.mesh.rest.vertex_areas[vertex];
        let rim = collider.mesh.rims.corner_range(of_mesh);
        self.out.planes.push(PlaneCandidate { point, plane: plane as u32, area, pair, rim });
    }

    fn number(&mut self, pair: ColliderPair) -> u32 {
        let out = &mut self.out.collider_pairs;
        *self.pair_numbers.entry(pair.shapes).or_insert_with(|| {
            out.push(pair);
            out.len() as u32 - 1
        })
    }
}

impl CollisionScene {
    /// Vertex of a point.
    fn vertex(&self, point: usize) -> Option<Place> {
        self.colliders.iter().enumerate().find_map(|(k, collider)| {
            let vertex = point.checked_sub(self.points.first(k))?;
            let index =
                collider.mesh.vertices().binary_search(&u32::try_from(vertex).ok()?).ok()?;
            Some((k, index as u32))
        })
    }

    fn edge(&self, number: usize) -> Option<Place> {
        self.stacked(number, |k| self.colliders[k].mesh.edges().len())
    }

    fn face(&self, number: usize) -> Option<Place> {
        self.stacked(number, |k| self.colliders[k].mesh.triangles().len())
    }

    /// Finds the collider and the local index of primitive `number`, counted over all colliders.
    fn stacked(&self, number: usize, count: impl Fn(usize) -> usize) -> Option<Place> {
        let mut remaining = number;
        for k in 0..self.colliders.len() {
            if remaining < count(k) {
                return Some((k, remaining as u32));
            }
            remaining -= count(k);
        }
        None
    }

    /// Index of an edge among the codimensional ones, if it is codimensional.
    fn free_edge(&self, (collider, edge): Place) -> Option<Place> {
        let free = &self.colliders[collider].mesh.primitives.free_edges;
        Some((collider, free.binary_search(&edge).ok()? as u32))
    }

    /// Index of a vertex among the codimensional points, if it is codimensional.
    fn free_point(&self, (collider, vertex): Place) -> Option<Place> {
        let free = &self.colliders[collider].mesh.primitives.free_points;
        Some((collider, free.binary_search(&vertex).ok()? as u32))
    }
}
