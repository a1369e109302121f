//! The surface of a body as contact sees it.

use crate::Embedding;
use crate::bvh::{Aabb, Boxes, Fitted, Lanes, Tree};
use crate::distance::Closest;
use resile_math::Vec3;
use std::borrow::Cow;
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
    /// Not every point of an embedded surface has its place among the nodes.
    #[error("{points} points of a surface hang on nodes, of {wanted}")]
    WrongCount {
        /// Points that hang on nodes.
        points: usize,
        /// Points of the surface.
        wanted: usize,
    },
    /// A point hangs on a node that does not exist.
    #[error("point {point} hangs on node {node}, but there are {nodes} nodes")]
    NoSuchSupport {
        /// The point.
        point: usize,
        /// The node it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// The weights of a point do not add up to one, or are not finite.
    #[error("the weights of point {point} add up to {sum}, not 1")]
    NotAffine {
        /// The point.
        point: usize,
        /// The sum of its weights.
        sum: f64,
    },
}

/// Why a surface cannot have a thickness.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "triangle {triangle:?} is {height:e} m high, but sheets of a thickness of {thickness:e} m \
     repel each other up to {reach:e} m: its neighbours would push each other apart at rest"
)]
pub struct ThicknessError {
    /// The points of the lowest triangle.
    pub triangle: [u32; 3],
    /// Its smallest distance between a corner and the opposite side, at rest (m).
    pub height: f64,
    /// The distance at which the surface would touch itself (m). A height below it is
    /// impossible; between it and `reach` there are forces at rest.
    pub thickness: f64,
    /// The distance at which contact begins (m).
    pub reach: f64,
}

/// A triangulated surface: topology, rest measures and box trees. Its points are the
/// nodes of its body, numbered as there (those in the interior are allowed and ignored),
/// or hang on the nodes of its body by fixed weights.
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
    /// The smallest distance between a corner and the opposite side of a triangle, at rest
    /// (m), and the number of that triangle.
    lowest: Option<(f64, usize)>,
    points: usize,
    nodes: usize,
    embedding: Option<Vec<Embedding>>,
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
            lowest: lowest(rest, triangles),
            points: rest.len(),
            nodes: rest.len(),
            embedding: None,
        })
    }

    /// The surface with these triangles over points at `rest` (m), each of which hangs
    /// on the `nodes` nodes of a body as `embedding` says.
    ///
    /// # Errors
    /// As [`Surface::new`], and if a point has no place, hangs on a node that is missing,
    /// or has weights that do not add up to one to 1e-9.
    pub fn embedded(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        embedding: Vec<Embedding>,
        nodes: usize,
    ) -> Result<Self, SurfaceError> {
        if embedding.len() != rest.len() {
            let (points, wanted) = (embedding.len(), rest.len());
            return Err(SurfaceError::WrongCount { points, wanted });
        }
        for (point, of_point) in embedding.iter().enumerate() {
            if let Some(&node) = of_point.nodes.iter().find(|&&node| node as usize >= nodes) {
                return Err(SurfaceError::NoSuchSupport { point, node, nodes });
            }
            let sum: f64 = of_point.weights.iter().sum();
            if !sum.is_finite() || (sum - 1.0).abs() > 1e-9 {
                return Err(SurfaceError::NotAffine { point, sum });
            }
        }
        let plain = Self::new(rest, triangles)?;
        Ok(Self { nodes, embedding: Some(embedding), ..plain })
    }

    /// Number of nodes of the body, those in the interior too.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// Number of points that triangles may name: the nodes, unless the surface is embedded.
    pub fn point_count(&self) -> usize {
        self.points
    }

    /// Where the points are (m) if the nodes of the body, and perhaps others behind
    /// them, are at `nodes`. Nothing is copied unless the surface is embedded.
    pub fn points<'a>(&self, nodes: &'a [Vec3]) -> Cow<'a, [Vec3]> {
        match &self.embedding {
            None => Cow::Borrowed(&nodes[..self.nodes]),
            Some(embedding) => embedding.iter().map(|point| point.at(nodes)).collect(),
        }
    }

    /// How each point hangs on nodes, if the surface is embedded.
    pub fn embedding(&self) -> Option<&[Embedding]> {
        self.embedding.as_deref()
    }

    /// Whether the surface is coarse enough for contact that acts from a gap of `d_hat` (m)
    /// on between sheets that reach `offset` (m) out of it: its flat parts must not be
    /// in contact with themselves at rest, so every triangle must be higher than
    /// `2 offset + d_hat`. In the plane of a sheet the nearest elements that have no
    /// vertex in common are a vertex and the side opposite to it in a triangle.
    ///
    /// # Errors
    /// If one is not, the lowest of all. O(n).
    pub fn check_thickness(&self, offset: f64, d_hat: f64) -> Result<(), ThicknessError> {
        let Some((height, triangle)) = self.lowest else { return Ok(()) };
        let (thickness, reach) = (2.0 * offset, 2.0 * offset + d_hat);
        if height > reach {
            return Ok(());
        }
        Err(ThicknessError { triangle: self.triangles[triangle], height, thickness, reach })
    }

    /// Whether all points hang on the same four nodes. Such a body is nearly rigid: its
    /// surface is mapped affinely, and only one turned inside out meets itself.
    pub(crate) fn is_affine(&self) -> bool {
        self.embedding.is_some() && self.nodes <= 4
    }

    /// The points on the surface, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The edges, lower point first, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The triangles, as given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Boxes of every primitive on the straight way between the positions
    /// `from(point)` and `to(point)`.
    pub(crate) fn boxes(
        &self,
        from: impl Fn(u32) -> Vec3,
        to: impl Fn(u32) -> Vec3,
    ) -> SurfaceBoxes {
        // Rounded once a point: the hull of rounded boxes is the rounded hull.
        let mut of_point = vec![Lanes::EMPTY; self.points];
        let mut root = Aabb::EMPTY;
        for &i in &self.vertices {
            let own = Aabb::of_points([from(i), to(i)]);
            root = root.hull(own);
            of_point[i as usize] = Lanes::around(own);
        }
        let of = |i: u32| of_point[i as usize];
        SurfaceBoxes {
            vertices: self.vertex_tree.refit_lanes(root, |i| of(self.vertices[i])),
            edges: self.edge_tree.refit_lanes(root, |i| {
                let [a, b] = self.edges[i].map(of);
                a.hull(b)
            }),
            triangles: self.triangle_tree.refit_lanes(root, |i| {
                let [a, b, c] = self.triangles[i].map(of);
                a.hull(b).hull(c)
            }),
        }
    }

    /// Boxes of the triangles alone, their points each in the box of `low` and `high`.
    pub(crate) fn triangle_boxes(&self, low: &[Vec3], high: &[Vec3]) -> Boxes {
        self.triangle_tree.refit(|i| {
            Aabb::of_points(self.triangles[i].iter().flat_map(|&p| {
                let p = p as usize;
                [low[p], high[p]]
            }))
        })
    }

    pub(crate) fn triangles_in<'a>(&'a self, boxes: &'a Boxes) -> Fitted<'a> {
        Fitted { tree: &self.triangle_tree, boxes }
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

fn lowest(rest: &[Vec3], triangles: &[[u32; 3]]) -> Option<(f64, usize)> {
    let height = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| rest[i as usize]);
        let to_side = |p: Vec3, q: Vec3, r: Vec3| Closest::vertex_face(&[p, q, r, q]).distance();
        to_side(a, b, c).min(to_side(b, c, a)).min(to_side(c, a, b))
    };
    let heights = triangles.iter().map(height).enumerate().map(|(t, height)| (height, t));
    heights.min_by(|a, b| a.0.total_cmp(&b.0))
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
