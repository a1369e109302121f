//! Candidates from an external broad phase.

use crate::geometry::distance::PairKind;
use crate::geometry::point::Point;
use crate::search::broad_phase::{ColliderAndPlane, support_of_meshes};
use crate::search::candidates::{Candidates, ColliderPair, PlaneCandidate, SurfacePair};
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

/// A primitive: index of its collider, and index in the list of its kind in the mesh.
type PrimitiveIndex = (usize, u32);

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
        let mut builder =
            CandidateBuilder { scene, out: Self::default(), pair_indices: BTreeMap::new() };
        builder.add_vertex_faces(&pairs.vertex_faces)?;
        builder.add_edge_edges(&pairs.edge_edges)?;
        builder.add_edge_vertices(&pairs.edge_vertices)?;
        builder.add_vertex_vertices(&pairs.vertex_vertices)?;
        builder.add_vertex_planes(&pairs.vertex_planes)?;
        builder.out.sort();
        Ok(builder.out)
    }
}

/// Constructor of the error that pair `pair` of a list names a missing primitive.
fn missing(list: &'static str, pair: usize) -> impl Fn(usize) -> NoSuchPrimitive {
    move |number| NoSuchPrimitive { list, pair, number }
}

/// Candidates under construction.
struct CandidateBuilder<'a> {
    scene: &'a CollisionScene,
    out: Candidates,
    /// Indices of pairs of colliders by shapes.
    pair_indices: BTreeMap<[usize; 2], u32>,
}

impl CandidateBuilder<'_> {
    /// Adds pairs of a vertex and a triangle.
    fn add_vertex_faces(&mut self, pairs: &[[usize; 2]]) -> Result<(), NoSuchPrimitive> {
        for (k, &[vertex, face]) in pairs.iter().enumerate() {
            let missing_primitive = missing("vertex_faces", k);
            let primitives = [
                self.scene.vertex(vertex).ok_or(missing_primitive(vertex))?,
                self.scene.face(face).ok_or(missing_primitive(face))?,
            ];
            self.add(PairKind::VertexFace, primitives);
        }
        Ok(())
    }

    /// Adds pairs of edges.
    fn add_edge_edges(&mut self, pairs: &[[usize; 2]]) -> Result<(), NoSuchPrimitive> {
        for (k, &[first, second]) in pairs.iter().enumerate() {
            let missing_primitive = missing("edge_edges", k);
            let primitives = [
                self.scene.edge(first).ok_or(missing_primitive(first))?,
                self.scene.edge(second).ok_or(missing_primitive(second))?,
            ];
            self.add(PairKind::EdgeEdge, self.simulated_first(primitives));
        }
        Ok(())
    }

    /// Adds pairs of a codimensional edge and a vertex; ignores other edges.
    fn add_edge_vertices(&mut self, pairs: &[[usize; 2]]) -> Result<(), NoSuchPrimitive> {
        for (k, &[edge, vertex]) in pairs.iter().enumerate() {
            let missing_primitive = missing("edge_vertices", k);
            let edge = self.scene.edge(edge).ok_or(missing_primitive(edge))?;
            let vertex = self.scene.vertex(vertex).ok_or(missing_primitive(vertex))?;
            if let Some(edge) = self.scene.free_edge(edge) {
                self.add(PairKind::VertexEdge, [vertex, edge]);
            }
        }
        Ok(())
    }

    /// Adds pairs of codimensional points; ignores other vertices.
    fn add_vertex_vertices(&mut self, pairs: &[[usize; 2]]) -> Result<(), NoSuchPrimitive> {
        for (k, &[first, second]) in pairs.iter().enumerate() {
            let missing_primitive = missing("vertex_vertices", k);
            let first = self.scene.vertex(first).ok_or(missing_primitive(first))?;
            let second = self.scene.vertex(second).ok_or(missing_primitive(second))?;
            let points = [self.scene.free_point(first), self.scene.free_point(second)];
            if let [Some(first), Some(second)] = points {
                self.add(PairKind::VertexVertex, self.simulated_first([first, second]));
            }
        }
        Ok(())
    }

    /// Adds pairs of a vertex and an obstacle plane.
    fn add_vertex_planes(&mut self, pairs: &[[usize; 2]]) -> Result<(), NoSuchPrimitive> {
        for (k, &[vertex, plane]) in pairs.iter().enumerate() {
            let missing_primitive = missing("vertex_planes", k);
            let vertex = self.scene.vertex(vertex).ok_or(missing_primitive(vertex))?;
            self.scene.obstacles.planes.get(plane).ok_or(missing_primitive(plane))?;
            self.add_vertex_plane(vertex, plane);
        }
        Ok(())
    }

    /// Whether the body of a primitive is simulated.
    fn is_simulated(&self, (collider, _): PrimitiveIndex) -> bool {
        self.scene.colliders[collider].role == Role::Simulated
    }

    /// The two primitives of a pair of equal kinds in the order of candidates: simulated colliders come first.
    fn simulated_first(&self, [first, second]: [PrimitiveIndex; 2]) -> [PrimitiveIndex; 2] {
        let key = |primitive: PrimitiveIndex| (!self.is_simulated(primitive), primitive);
        if key(second) < key(first) { [second, first] } else { [first, second] }
    }

    /// Adds a candidate unless the filter ignores the pair, both bodies are kinematic, its primitives share a point, or
    /// both belong to the same affine body.
    fn add(&mut self, kind: PairKind, primitives: [PrimitiveIndex; 2]) {
        let [(a, i), (b, j)] = primitives;
        let collider_of = |k: usize| &self.scene.colliders[k];
        let are_simulated = primitives.map(|primitive| self.is_simulated(primitive));
        if are_simulated == [false; 2]
            || !self.scene.pairs.collide(collider_of(a).number, collider_of(b).number)
        {
            return;
        }
        let side = |collider: usize, simulated: bool| ColliderSide {
            mesh: &collider_of(collider).mesh,
            first: Point::moving(self.scene.points.first(collider)),
            simulated,
        };
        let sides = [side(a, are_simulated[0]), side(b, are_simulated[1])];
        let points = sides::points(kind, sides, [i, j]);
        let share_point = (0..kind.points()).any(|k| points[..k].contains(&points[k]));
        if share_point || (a == b && collider_of(a).mesh.is_affine()) {
            return;
        }
        let pair = self.collider_pair_index(a, b);
        self.out.pairs.push(sides::candidate(kind, sides, [i, j], points, pair));
    }

    /// Index in the list of the pair of the colliders `a` and `b`, at least one of which is simulated.
    fn collider_pair_index(&mut self, a: usize, b: usize) -> u32 {
        let [(a, _), (b, _)] = self.simulated_first([(a, 0), (b, 0)]);
        let [first, second] = [a, b].map(|k| &self.scene.colliders[k]);
        let surfaces = SurfacePair {
            shapes: [a, b],
            body: first.body,
            other: (second.role == Role::Simulated).then_some(second.body),
            min_separation: first.half_thickness + second.half_thickness,
            support: support_of_meshes(&[&first.mesh, &second.mesh]),
        };
        let numbers = [first.number, second.number];
        self.index_of(ColliderPair::new(surfaces, &self.scene.pairs, numbers))
    }

    /// Adds a candidate of a vertex and an obstacle plane unless the filter ignores the pair or the body is kinematic.
    fn add_vertex_plane(&mut self, vertex: PrimitiveIndex, plane: usize) {
        let (collider_index, vertex_index) = vertex;
        let collider = &self.scene.colliders[collider_index];
        let plane_collider = self.scene.obstacles.planes[plane].collider;
        if !self.is_simulated(vertex) || !self.scene.pairs.collide(collider.number, plane_collider)
        {
            return;
        }
        let indices = ColliderAndPlane { collider: collider_index, plane };
        let pair = self.index_of(self.scene.plane_pair(indices));
        let mesh_point = collider.mesh.vertices()[vertex_index as usize];
        let point = self.scene.points.first(collider_index) as u32 + mesh_point;
        let area = collider.mesh.rest.vertex_areas[vertex_index as usize];
        let rim = collider.mesh.rims.corner_range(mesh_point);
        self.out.planes.push(PlaneCandidate { point, plane: plane as u32, area, pair, rim });
    }

    /// Index of a pair of colliders in the list, to which it is added if it is new.
    fn index_of(&mut self, pair: ColliderPair) -> u32 {
        let out = &mut self.out.collider_pairs;
        *self.pair_indices.entry(pair.shapes).or_insert_with(|| {
            out.push(pair);
            out.len() as u32 - 1
        })
    }
}

impl CollisionScene {
    /// Vertex at a point of the scene; `None` if the point is no vertex of a collider.
    fn vertex(&self, point: usize) -> Option<PrimitiveIndex> {
        self.colliders.iter().enumerate().find_map(|(k, collider)| {
            let vertex = point.checked_sub(self.points.first(k))?;
            let index =
                collider.mesh.vertices().binary_search(&u32::try_from(vertex).ok()?).ok()?;
            Some((k, index as u32))
        })
    }

    /// Edge `index`, counted over all colliders.
    fn edge(&self, index: usize) -> Option<PrimitiveIndex> {
        self.locate(index, |k| self.colliders[k].mesh.edges().len())
    }

    /// Triangle `index`, counted over all colliders.
    fn face(&self, index: usize) -> Option<PrimitiveIndex> {
        self.locate(index, |k| self.colliders[k].mesh.triangles().len())
    }

    /// Finds the collider and the local index of primitive `index`, counted over all colliders.
    fn locate(&self, index: usize, count: impl Fn(usize) -> usize) -> Option<PrimitiveIndex> {
        let mut remaining = index;
        for k in 0..self.colliders.len() {
            if remaining < count(k) {
                return Some((k, remaining as u32));
            }
            remaining -= count(k);
        }
        None
    }

    /// The edge with its index among the codimensional edges of its mesh, if it is codimensional.
    fn free_edge(&self, (collider, edge): PrimitiveIndex) -> Option<PrimitiveIndex> {
        let free = &self.colliders[collider].mesh.primitives.free_edges;
        Some((collider, free.binary_search(&edge).ok()? as u32))
    }

    /// The vertex with its index among the codimensional points of its mesh, if it is codimensional.
    fn free_point(&self, (collider, vertex): PrimitiveIndex) -> Option<PrimitiveIndex> {
        let free = &self.colliders[collider].mesh.primitives.free_points;
        Some((collider, free.binary_search(&vertex).ok()? as u32))
    }
}
