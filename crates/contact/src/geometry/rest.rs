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
        let mut vertex_area = vec![0.0; rest.len()];
        let mut on_surface = vec![false; rest.len()];
        let mut triangle_areas = Vec::with_capacity(triangles.len());
        let mut sides: Vec<([u32; 2], EdgeKind, f64)> = Vec::with_capacity(3 * triangles.len());
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            let area = triangle_area(rest, t, [a, b, c])?;
            triangle_areas.push(area);
            for node in [a, b, c] {
                vertex_area[node as usize] += area / 3.0;
                on_surface[node as usize] = true;
            }
            let triangle_sides = [[a, b], [b, c], [c, a]].map(ascending);
            sides.extend(triangle_sides.map(|side| (side, EdgeKind::TriangleSide, area / 3.0)));
        }
        let strip_area = |[i, j]: [u32; 2]| width * (rest[j as usize] - rest[i as usize]).length();
        sides.extend(
            edges.iter().map(|&edge| (ascending(edge), EdgeKind::Codimensional, strip_area(edge))),
        );
        let (edges, free_edges, edge_areas) = merge_sides(sides);
        for &free in &free_edges {
            for node in edges[free as usize] {
                vertex_area[node as usize] += 0.5 * edge_areas[free as usize];
                on_surface[node as usize] = true;
            }
        }
        let mut isolated_points: Vec<u32> = points.to_vec();
        isolated_points.sort_unstable();
        isolated_points.dedup();
        isolated_points.retain(|&point| !on_surface[point as usize]);
        for &point in &isolated_points {
            vertex_area[point as usize] = width * width;
            on_surface[point as usize] = true;
        }
        let vertices: Vec<u32> =
            (0..rest.len() as u32).filter(|&i| on_surface[i as usize]).collect();
        let index = |point: &u32| vertices.partition_point(|v| v < point) as u32;
        let free_points = isolated_points.iter().map(index).collect();
        let length2 = |&[i, j]: &[u32; 2]| (rest[j as usize] - rest[i as usize]).length_squared();
        let vertex_areas: Vec<f64> = vertices.iter().map(|&i| vertex_area[i as usize]).collect();
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

/// Largest height (m) of a ridge at each vertex of a mesh with this number of points.
fn vertex_ridges(vertices: &[u32], edges: &[[u32; 2]], ridges: &[f64], points: usize) -> Vec<f64> {
    let mut largest = vec![f64::NAN; points];
    for (edge, &ridge) in edges.iter().zip(ridges) {
        edge.iter().for_each(|&i| largest[i as usize] = largest[i as usize].max(ridge));
    }
    let height =
        |&i: &u32| Some(largest[i as usize]).filter(|r| !r.is_nan()).unwrap_or(f64::INFINITY);
    vertices.iter().map(height).collect()
}

/// Unique edges, indices of the codimensional ones, and areas (m^2).
fn merge_sides(mut sides: Vec<([u32; 2], EdgeKind, f64)>) -> (Vec<[u32; 2]>, Vec<u32>, Vec<f64>) {
    // A stable sort, so that areas are summed in the order of triangles.
    sides.sort_by_key(|&(edge, kind, _)| (edge, kind));
    let (mut edges, mut free, mut areas) = (Vec::<[u32; 2]>::new(), Vec::new(), Vec::<f64>::new());
    for (edge, kind, area) in sides {
        let last = edges.len();
        match kind {
            _ if edges.last() != Some(&edge) => {
                if kind == EdgeKind::Codimensional {
                    free.push(last as u32);
                }
                edges.push(edge);
                areas.push(area);
            }
            EdgeKind::TriangleSide => areas[last - 1] += area,
            EdgeKind::Codimensional => {}
        }
    }
    (edges, free, areas)
}

/// The points of an edge, the lower index first.
fn ascending([i, j]: [u32; 2]) -> [u32; 2] {
    [i.min(j), i.max(j)]
}

/// The smallest height of a triangle or length of a codimensional edge at rest (m).
pub(crate) fn lowest_primitive(rest: &[Vec3], primitives: &Primitives) -> Option<(f64, Primitive)> {
    let height = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| rest[i as usize]);
        let to_side = |p: Vec3, q: Vec3, r: Vec3| Closest::vertex_face(&[p, q, r, q]).distance();
        let height = to_side(a, b, c).min(to_side(b, c, a)).min(to_side(c, a, b));
        (height, Primitive::Triangle(*t))
    };
    let length = |&edge: &u32| {
        let [i, j] = primitives.edges[edge as usize];
        ((rest[j as usize] - rest[i as usize]).length(), Primitive::Edge([i, j]))
    };
    let heights = primitives.triangles.iter().map(height);
    let heights_and_lengths = heights.chain(primitives.free_edges.iter().map(length));
    heights_and_lengths.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Area (m^2) of the triangle with the index `triangle`.
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

/// Checks the width, and that codimensional edges and points refer to finite nodes and edges have a length.
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
