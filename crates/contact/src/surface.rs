//! The surface of a body as contact sees it.

use crate::bvh::{Aabb, Boxes, Fitted, Tree};
use resile_linalg::Vec3;
use thiserror::Error;

/// Why triangles are not a surface.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SurfaceError {
    /// A triangle names a node that does not exist.
    #[error("triangle {triangle} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Number of the triangle.
        triangle: usize,
        /// The node it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A triangle has no area.
    #[error("triangle {triangle} (nodes {nodes:?}) has no area")]
    NoArea {
        /// Number of the triangle.
        triangle: usize,
        /// Its nodes.
        nodes: [u32; 3],
    },
    /// A position is infinite or not a number.
    #[error("node {node} is at {position}")]
    NotFinite {
        /// The node.
        node: u32,
        /// Its position (m).
        position: Vec3,
    },
}

/// A triangulated surface: topology, rest measures and box trees. Nodes are
/// numbered as in the body; nodes in its interior are allowed and ignored.
#[derive(Debug)]
pub struct Surface {
    pub(crate) vertices: Vec<u32>,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// A third of the area of the adjacent triangles (m^2), as `vertices`.
    pub(crate) vertex_areas: Vec<f64>,
    /// A third of the area of the adjacent triangles (m^2), as `edges`.
    pub(crate) edge_areas: Vec<f64>,
    /// Squared rest length (m^2), as `edges`.
    pub(crate) edge_lengths2: Vec<f64>,
    /// Area (m^2), as `triangles`.
    pub(crate) triangle_areas: Vec<f64>,
    nodes: usize,
    vertex_tree: Tree,
    edge_tree: Tree,
    triangle_tree: Tree,
}

/// The boxes of all primitives of a surface.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceBoxes {
    vertices: Boxes,
    edges: Boxes,
    triangles: Boxes,
}

impl Surface {
    /// The surface with these triangles over nodes at `rest` (m). Edges are found,
    /// areas measured and trees built: O(n log n).
    ///
    /// # Errors
    /// If a triangle names a missing node, has no area or is not finite.
    pub fn new(rest: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SurfaceError> {
        let mut vertex_area = vec![0.0; rest.len()];
        let mut on_surface = vec![false; rest.len()];
        let mut triangle_areas = Vec::with_capacity(triangles.len());
        let mut sides: Vec<([u32; 2], f64)> = Vec::with_capacity(3 * triangles.len());
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            let area = triangle_area(rest, t, [a, b, c])?;
            triangle_areas.push(area);
            for node in [a, b, c] {
                vertex_area[node as usize] += area / 3.0;
                on_surface[node as usize] = true;
            }
            sides.extend([[a, b], [b, c], [c, a]].map(|[i, j]| ([i.min(j), i.max(j)], area / 3.0)));
        }
        sides.sort_by_key(|side| side.0);
        let mut edges: Vec<[u32; 2]> = Vec::new();
        let mut edge_areas: Vec<f64> = Vec::new();
        for (edge, area) in sides {
            if edges.last() == Some(&edge) {
                edge_areas[edges.len() - 1] += area;
            } else {
                edges.push(edge);
                edge_areas.push(area);
            }
        }
        let vertices: Vec<u32> =
            (0..rest.len() as u32).filter(|&i| on_surface[i as usize]).collect();
        let at = |i: u32| rest[i as usize];
        let centres = |points: &dyn Fn(usize) -> Vec3, count: usize| {
            Tree::new(&(0..count).map(points).collect::<Vec<_>>())
        };
        Ok(Self {
            vertex_tree: centres(&|i| at(vertices[i]), vertices.len()),
            edge_tree: centres(&|i| (at(edges[i][0]) + at(edges[i][1])) * 0.5, edges.len()),
            triangle_tree: centres(
                &|i| triangles[i].map(at).into_iter().sum::<Vec3>() / 3.0,
                triangles.len(),
            ),
            vertex_areas: vertices.iter().map(|&i| vertex_area[i as usize]).collect(),
            edge_lengths2: edges.iter().map(|&[i, j]| (at(j) - at(i)).length_squared()).collect(),
            vertices,
            edges,
            triangles: triangles.to_vec(),
            edge_areas,
            triangle_areas,
            nodes: rest.len(),
        })
    }

    /// Number of nodes of the body, those in the interior too.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// The nodes on the surface, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The edges, lower node first, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The triangles, as given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Boxes of every primitive on the straight way between the positions
    /// `from(node)` and `to(node)`.
    pub(crate) fn boxes(
        &self,
        from: impl Fn(u32) -> Vec3,
        to: impl Fn(u32) -> Vec3,
    ) -> SurfaceBoxes {
        let mut of_node = vec![Aabb::EMPTY; self.nodes];
        for &i in &self.vertices {
            of_node[i as usize] = Aabb::of_points([from(i), to(i)]);
        }
        let hull =
            |nodes: &[u32]| nodes.iter().fold(Aabb::EMPTY, |b, &i| b.hull(of_node[i as usize]));
        SurfaceBoxes {
            vertices: self.vertex_tree.refit(|i| of_node[self.vertices[i] as usize]),
            edges: self.edge_tree.refit(|i| hull(&self.edges[i])),
            triangles: self.triangle_tree.refit(|i| hull(&self.triangles[i])),
        }
    }

    pub(crate) fn vertex_tree<'a>(&'a self, boxes: &'a SurfaceBoxes) -> Fitted<'a> {
        Fitted { tree: &self.vertex_tree, boxes: &boxes.vertices }
    }

    pub(crate) fn edge_tree<'a>(&'a self, boxes: &'a SurfaceBoxes) -> Fitted<'a> {
        Fitted { tree: &self.edge_tree, boxes: &boxes.edges }
    }

    pub(crate) fn triangle_tree<'a>(&'a self, boxes: &'a SurfaceBoxes) -> Fitted<'a> {
        Fitted { tree: &self.triangle_tree, boxes: &boxes.triangles }
    }
}

impl SurfaceBoxes {
    pub(crate) fn root(&self) -> Aabb {
        self.vertices.root()
    }
}

fn triangle_area(rest: &[Vec3], triangle: usize, nodes: [u32; 3]) -> Result<f64, SurfaceError> {
    for node in nodes {
        let Some(&position) = rest.get(node as usize) else {
            return Err(SurfaceError::NoSuchNode { triangle, node, nodes: rest.len() });
        };
        if !position.is_finite() {
            return Err(SurfaceError::NotFinite { node, position });
        }
    }
    let [a, b, c] = nodes.map(|i| rest[i as usize]);
    let area = 0.5 * (b - a).cross(c - a).length();
    if area > 0.0 { Ok(area) } else { Err(SurfaceError::NoArea { triangle, nodes }) }
}
