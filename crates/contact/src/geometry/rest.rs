//! Primitives of a mesh and their rest measures.

use crate::Primitive;
use crate::geometry::distance::Closest;
use crate::geometry::facets::{self, Coefficients};
use crate::geometry::mesh_error::CollisionMeshError;
use resile_math::Vec3;

/// Collision primitives of a mesh, by point indices.
#[derive(Debug, Clone)]
pub(crate) struct Primitives {
    /// The points on the surface, ascending.
    pub(crate) vertices: Vec<u32>,
    /// The edges in ascending order, each with its lower point first.
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Indices in `edges` of those that belong to no triangle, ascending.
    pub(crate) free_edges: Vec<u32>,
    /// Indices in `vertices` of those that belong to no edge, ascending.
    pub(crate) free_points: Vec<u32>,
}

/// Areas and lengths at rest.
#[derive(Debug, Clone)]
pub(crate) struct RestMeasures {
    /// A third of the area of the adjacent triangles and half of that of the adjacent codimensional edges (m^2),
    /// ordered as `vertices`.
    pub(crate) vertex_areas: Vec<f64>,
    /// A third of the area of the adjacent triangles, or the area of a codimensional edge (m^2), ordered as
    /// `edges`.
    pub(crate) edge_areas: Vec<f64>,
    /// Squared length (m^2), ordered as `edges`.
    pub(crate) edge_lengths2: Vec<f64>,
    /// Area (m^2), ordered as `triangles`.
    pub(crate) triangle_areas: Vec<f64>,
    /// Mean of the areas of all vertices (m^2); zero without vertices.
    pub(crate) mean_vertex_area: f64,
    /// Coefficients of the signed sums, ordered as `triangles`.
    pub(crate) coefficients: Vec<Coefficients>,
    /// Heights of ridges (m), ordered as `edges`; see [`facets::ridges`].
    pub(crate) edge_ridges: Vec<f64>,
    /// Largest height of a ridge at each vertex (m), ordered as `vertices`; infinite for points of no edge.
    pub(crate) vertex_ridges: Vec<f64>,
}

/// Whether an edge belongs to a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EdgeKind {
    TriangleSide,
    Codimensional,
}

/// A side of a triangle, or a codimensional edge.
struct MeasuredSide {
    /// Points, ascending.
    points: [u32; 2],
    kind: EdgeKind,
    /// A third of the area of the triangle, or the area of the codimensional edge (m^2).
    area: f64,
}

/// Unique edges of a mesh.
struct MergedEdges {
    /// The edges in ascending order, each with its lower point first.
    edges: Vec<[u32; 2]>,
    /// Indices in `edges` of those that belong to no triangle.
    free_edges: Vec<u32>,
    /// Areas (m^2), ordered as `edges`; see [`RestMeasures::edge_areas`].
    areas: Vec<f64>,
}

impl Primitives {
    /// Primitives of points at `rest` (m) with their areas and lengths; `width` (m) determines the areas of
    /// codimensional ones.
    pub(crate) fn measured(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
        points: &[u32],
        width: f64,
    ) -> Result<(Self, RestMeasures), CollisionMeshError> {
        check_codimensional(rest, edges, points, width)?;
        let triangle_areas: Vec<f64> = triangles
            .iter()
            .enumerate()
            .map(|(t, &triangle)| triangle_area(rest, t, triangle))
            .collect::<Result<_, _>>()?;
        let edges = MergedEdges::new(rest, triangles, &triangle_areas, edges, width);
        let mut area_of_point = areas_of_points(rest.len(), triangles, &triangle_areas, &edges);
        let isolated_points = without_area(points, &area_of_point);
        for &point in &isolated_points {
            area_of_point[point as usize] = Some(width * width);
        }
        let is_vertex = |&point: &u32| area_of_point[point as usize].is_some();
        let vertices: Vec<u32> = (0..rest.len() as u32).filter(is_vertex).collect();
        let index = |point: &u32| vertices.partition_point(|v| v < point) as u32;
        let free_points = isolated_points.iter().map(index).collect();
        let MergedEdges { edges, free_edges, areas: edge_areas } = edges;
        let length2 = |&[i, j]: &[u32; 2]| (rest[j as usize] - rest[i as usize]).length_squared();
        let vertex_areas: Vec<f64> = area_of_point.into_iter().flatten().collect();
        let edge_ridges = facets::ridges(rest, triangles, &edges);
        let measures = RestMeasures {
            mean_vertex_area: vertex_areas.iter().sum::<f64>() / vertices.len().max(1) as f64,
            vertex_areas,
            edge_areas,
            edge_lengths2: edges.iter().map(length2).collect(),
            triangle_areas,
            coefficients: facets::coefficients(triangles, rest.len()),
            vertex_ridges: vertex_ridges(&vertices, &edges, &edge_ridges, rest.len()),
            edge_ridges,
        };
        let triangles = triangles.to_vec();
        Ok((Self { vertices, edges, triangles, free_edges, free_points }, measures))
    }
}

/// Those of `points` that have no area, ascending and each once.
fn without_area(points: &[u32], area_of_point: &[Option<f64>]) -> Vec<u32> {
    let mut isolated_points = points.to_vec();
    isolated_points.sort_unstable();
    isolated_points.dedup();
    isolated_points.retain(|&point| area_of_point[point as usize].is_none());
    isolated_points
}

/// Area (m^2) of each point: a third of its triangles and half of its codimensional edges; `None` for points of
/// neither.
fn areas_of_points(
    point_count: usize,
    triangles: &[[u32; 3]],
    triangle_areas: &[f64],
    edges: &MergedEdges,
) -> Vec<Option<f64>> {
    let mut areas: Vec<Option<f64>> = vec![None; point_count];
    let mut add = |point: u32, area: f64| *areas[point as usize].get_or_insert(0.0) += area;
    for (triangle, area) in triangles.iter().zip(triangle_areas) {
        triangle.iter().for_each(|&point| add(point, area / 3.0));
    }
    for &free in &edges.free_edges {
        let area = edges.areas[free as usize];
        edges.edges[free as usize].iter().for_each(|&point| add(point, 0.5 * area));
    }
    areas
}

/// Largest height (m) of the ridges at each vertex of a mesh with `point_count` points, from the heights of all edges;
/// infinite for vertices of no edge.
fn vertex_ridges(
    vertices: &[u32],
    edges: &[[u32; 2]],
    edge_ridges: &[f64],
    point_count: usize,
) -> Vec<f64> {
    let mut largest = vec![f64::NAN; point_count];
    for (edge, &ridge) in edges.iter().zip(edge_ridges) {
        edge.iter().for_each(|&i| largest[i as usize] = largest[i as usize].max(ridge));
    }
    let height =
        |&i: &u32| Some(largest[i as usize]).filter(|r| !r.is_nan()).unwrap_or(f64::INFINITY);
    vertices.iter().map(height).collect()
}

impl MergedEdges {
    /// The sides of triangles with these areas (m^2) and the codimensional `edges` of this `width` (m), each once.
    fn new(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        triangle_areas: &[f64],
        edges: &[[u32; 2]],
        width: f64,
    ) -> Self {
        let mut sides: Vec<MeasuredSide> = Vec::with_capacity(3 * triangles.len() + edges.len());
        for (&[a, b, c], area) in triangles.iter().zip(triangle_areas) {
            let (kind, area) = (EdgeKind::TriangleSide, area / 3.0);
            let triangle_sides = [[a, b], [b, c], [c, a]].map(ascending);
            sides.extend(triangle_sides.map(|points| MeasuredSide { points, kind, area }));
        }
        sides.extend(edges.iter().map(|&[i, j]| MeasuredSide {
            points: ascending([i, j]),
            kind: EdgeKind::Codimensional,
            area: width * (rest[j as usize] - rest[i as usize]).length(),
        }));
        Self::merge(sides)
    }

    /// Adds the areas of equal sides of triangles. Codimensional edges that are equal to a side or to another
    /// codimensional edge are ignored.
    fn merge(mut sides: Vec<MeasuredSide>) -> Self {
        // A stable sort, so that areas are summed in the order of triangles.
        sides.sort_by_key(|side| (side.points, side.kind));
        let mut out = Self { edges: Vec::new(), free_edges: Vec::new(), areas: Vec::new() };
        for MeasuredSide { points, kind, area } in sides {
            let count = out.edges.len();
            match kind {
                _ if out.edges.last() != Some(&points) => {
                    if kind == EdgeKind::Codimensional {
                        out.free_edges.push(count as u32);
                    }
                    out.edges.push(points);
                    out.areas.push(area);
                }
                EdgeKind::TriangleSide => out.areas[count - 1] += area,
                EdgeKind::Codimensional => {}
            }
        }
        out
    }
}

/// The points of an edge, the lower index first.
fn ascending([i, j]: [u32; 2]) -> [u32; 2] {
    [i.min(j), i.max(j)]
}

/// The primitive of a mesh with the smallest height of a triangle, or length of a codimensional edge, at rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LowestPrimitive {
    pub(crate) primitive: Primitive,
    /// Height or length (m).
    pub(crate) height: f64,
}

/// The lowest primitive of a mesh with points at `rest` (m); `None` for a mesh of points.
pub(crate) fn lowest_primitive(rest: &[Vec3], primitives: &Primitives) -> Option<LowestPrimitive> {
    let height = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| rest[i as usize]);
        let to_side = |p: Vec3, q: Vec3, r: Vec3| Closest::vertex_face(&[p, q, r, q]).distance();
        let height = to_side(a, b, c).min(to_side(b, c, a)).min(to_side(c, a, b));
        LowestPrimitive { primitive: Primitive::Triangle(*t), height }
    };
    let length = |&edge: &u32| {
        let [i, j] = primitives.edges[edge as usize];
        let height = (rest[j as usize] - rest[i as usize]).length();
        LowestPrimitive { primitive: Primitive::Edge([i, j]), height }
    };
    let heights = primitives.triangles.iter().map(height);
    let heights_and_lengths = heights.chain(primitives.free_edges.iter().map(length));
    heights_and_lengths.min_by(|a, b| a.height.total_cmp(&b.height))
}

/// Area (m^2) of the triangle with this index and these nodes, with nodes at `rest` (m). Fails if a node does not exist
/// or is not at a finite position, or if the area is zero.
fn triangle_area(
    rest: &[Vec3],
    triangle: usize,
    nodes: [u32; 3],
) -> Result<f64, CollisionMeshError> {
    for node in nodes {
        let Some(&position) = rest.get(node as usize) else {
            return Err(CollisionMeshError::NoSuchNode { triangle, node, nodes: rest.len() });
        };
        if !position.is_finite() {
            return Err(CollisionMeshError::NotFinite { node, position });
        }
    }
    let [a, b, c] = nodes.map(|i| rest[i as usize]);
    let area = 0.5 * (b - a).cross(c - a).length();
    if area > 0.0 { Ok(area) } else { Err(CollisionMeshError::NoArea { triangle, nodes }) }
}

/// Checks that the width is positive if there are codimensional edges or points, that these refer to existing nodes at
/// finite positions, and that edges have a length.
fn check_codimensional(
    rest: &[Vec3],
    edges: &[[u32; 2]],
    points: &[u32],
    width: f64,
) -> Result<(), CollisionMeshError> {
    let needed = !edges.is_empty() || !points.is_empty();
    if needed && (!width.is_finite() || width <= 0.0) {
        return Err(CollisionMeshError::NoWidth { width });
    }
    let edge_nodes = edges.iter().flat_map(|&edge| edge.map(|node| (Primitive::Edge(edge), node)));
    let point_nodes = points.iter().map(|&point| (Primitive::Vertex(point), point));
    for (primitive, node) in edge_nodes.chain(point_nodes) {
        let Some(&position) = rest.get(node as usize) else {
            return Err(CollisionMeshError::NoSuchEnd { primitive, node, nodes: rest.len() });
        };
        if !position.is_finite() {
            return Err(CollisionMeshError::NotFinite { node, position });
        }
    }
    match edges.iter().find(|[i, j]| rest[*i as usize] == rest[*j as usize]) {
        Some(&nodes) => Err(CollisionMeshError::NoLength { nodes }),
        None => Ok(()),
    }
}
