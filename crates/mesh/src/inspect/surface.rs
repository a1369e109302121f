//! Inspection of surfaces.

use super::{ANGLE_BIN_WIDTH, Histogram, Spread, duplicate_count, unused_count};
use crate::parts::{Parts, half_edges, surface_parts};
use crate::{SurfaceDefects, SurfaceError, SurfaceOverlap, TriMesh};
use resile_math::elementary;
use resile_math::{Aabb, Vec3};

/// Number of bins of the angle histogram, which end at the 60 degrees of an equilateral triangle.
const ANGLE_BINS: usize = 12;

/// Measures and defects of a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceInspection {
    /// Number of vertices, used or not.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Bounding box of all vertices, in metres.
    pub bounds: Aabb,
    /// Area in m^2.
    pub area: f64,
    /// Enclosed volume, in m^3, negative if the triangles face inward; `None` unless the surface is closed.
    pub volume: Option<f64>,
    /// Overlap of its parts; `None` if there is none, or the surface is not closed.
    pub overlap: Option<SurfaceOverlap>,
    /// Defects that keep it from being closed and oriented.
    pub defects: SurfaceDefects,
    /// Connected components of the boundary edges: holes, or the boundary of a sheet.
    pub boundary_loops: usize,
    /// Closed components that face outward; triangles that share a vertex are connected.
    pub outward_parts: usize,
    /// Closed components that face inward: the walls of cavities, or inverted surfaces.
    pub inward_parts: usize,
    /// Components that are open or inconsistently oriented.
    pub other_parts: usize,
    /// Vertices that coincide exactly with an earlier one.
    pub duplicate_vertices: usize,
    /// Vertices that no triangle uses.
    pub unused_vertices: usize,
    /// Lengths of the edges, in metres.
    pub edge_lengths: Spread,
    /// The smallest angle of each triangle, in degrees.
    pub smallest_angles: Histogram,
}

impl SurfaceInspection {
    /// Inspects a surface, which may be defective. Costs a few sorts of its edges and vertices, and
    /// [`SurfaceOverlap::find`].
    ///
    /// # Errors
    /// If the mesh is empty, has positions that are not finite, or refers to vertices that do not exist.
    pub fn new(mesh: &TriMesh) -> Result<Self, SurfaceError> {
        mesh.check_numbers()?;
        let bounds = mesh.bounds().ok_or(SurfaceError::Empty)?;
        let surface = mesh.surface();
        let edge_length =
            |&[a, b]: &[u32; 2]| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let edge_lengths = surface.edges.iter().map(edge_length).collect();
        let smallest_angles: Vec<f64> =
            (0..mesh.triangles.len()).map(|triangle| smallest_angle(mesh, triangle)).collect();
        let defects = mesh.defects();
        let [outward_parts, inward_parts, other_parts] = count_by_orientation(mesh);
        Ok(Self {
            vertices: mesh.positions.len(),
            edges: surface.edges.len(),
            triangles: mesh.triangles.len(),
            bounds,
            area: mesh.area(),
            overlap: defects.is_closed().then(|| SurfaceOverlap::find(mesh)).flatten(),
            volume: defects.is_closed().then(|| mesh.enclosed_volume()),
            defects,
            boundary_loops: count_boundary_loops(mesh),
            outward_parts,
            inward_parts,
            other_parts,
            duplicate_vertices: duplicate_count(&mesh.positions),
            unused_vertices: unused_count(mesh.positions.len(), &mesh.triangles),
            edge_lengths: Spread::new(edge_lengths).ok_or(SurfaceError::Empty)?,
            smallest_angles: Histogram::new(&smallest_angles, ANGLE_BIN_WIDTH, ANGLE_BINS),
        })
    }

    /// Number of components.
    pub fn parts(&self) -> usize {
        self.outward_parts + self.inward_parts + self.other_parts
    }
}

/// Number of connected components of the edges with a single triangle.
fn count_boundary_loops(mesh: &TriMesh) -> usize {
    let half_edges = half_edges(mesh);
    let by_edge = half_edges.chunk_by(|a, b| a.edge == b.edge);
    let boundary_edges: Vec<[u32; 2]> =
        by_edge.filter(|group| group.len() == 1).map(|group| group[0].edge).collect();
    Parts::of_elements(mesh.positions.len(), &boundary_edges)
        .representatives(boundary_edges.iter().map(|edge| edge[0]))
        .len()
}

/// Numbers of components that face outward, that face inward, and that are open or have no volume.
fn count_by_orientation(mesh: &TriMesh) -> [usize; 3] {
    let mut counts = [0; 3];
    for part in surface_parts(mesh) {
        counts[match (part.closed, part.volume) {
            (true, v) if v > 0.0 => 0,
            (true, v) if v < 0.0 => 1,
            _ => 2,
        }] += 1;
    }
    counts
}

/// Smallest angle of a triangle, in degrees; 0 for a triangle without area.
fn smallest_angle(mesh: &TriMesh, triangle: usize) -> f64 {
    let [a, b, c] = mesh.corners(triangle);
    let angle = |corner: Vec3, from: Vec3, to: Vec3| {
        let (u, v) = (from - corner, to - corner);
        elementary::atan2(u.cross(v).length(), u.dot(v)).to_degrees()
    };
    angle(a, b, c).min(angle(b, c, a)).min(angle(c, a, b))
}
