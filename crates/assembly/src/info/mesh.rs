//! Summaries of meshes, as `sim info` prints them.

use crate::mesh_file::{Group, Mesh, MeshFile};
use resile_math::Aabb;
use resile_mesh::inspect::{self, SolidInspection, SurfaceInspection};
use resile_mesh::{CurvedEdges, MeshError, PolylineError, Polylines, SurfaceError};
use serde::Serialize;
use thiserror::Error;

/// Summary of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum MeshInfo {
    /// Tetrahedra.
    Solid(Box<SolidInfo>),
    /// Triangles.
    Surface(Box<SurfaceInfo>),
    /// Curves.
    Curves(Box<CurvesInfo>),
}

/// Error of the inspection of a mesh.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MeshInfoError {
    /// The surface is invalid.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The solid is invalid.
    #[error(transparent)]
    Solid(#[from] MeshError),
    /// The curves are invalid.
    #[error(transparent)]
    Curves(#[from] PolylineError),
}

/// Smallest, median and largest value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The smallest.
    pub smallest: f64,
    /// The median.
    pub median: f64,
    /// The largest.
    pub largest: f64,
}

/// Histogram with bins of equal width, from zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    /// Width of each bin.
    pub width: f64,
    /// Count of each bin.
    pub counts: Vec<usize>,
}

/// A named group of a mesh file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupInfo {
    /// Its name in regions and materials.
    pub name: String,
    /// Number of tetrahedra or triangles. For a group of faces of a solid the number of faces; zero for a group of
    /// nodes.
    pub elements: usize,
    /// Number of nodes.
    pub nodes: usize,
}

/// Summary of a tetrahedral mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SolidInfo {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of tetrahedra.
    pub tetrahedra: usize,
    /// Number of tetrahedra with curved edges. Other numbers are those of the tetrahedra of their corners.
    pub curved: usize,
    /// Volume with curved edges (m^3); `None` if there are none.
    pub curved_volume: Option<f64>,
    /// Size of its bounding box (m).
    pub size: [f64; 3],
    /// Corner of the bounding box with the smallest coordinates (m).
    pub from: [f64; 3],
    /// Volume of the tetrahedra of the corners (m^3).
    pub volume: f64,
    /// Parts that have no node in common.
    pub parts: usize,
    /// Edge lengths of all elements (m); an edge counts once for each of its elements.
    pub edge_lengths: Spread,
    /// The smallest dihedral angle of each element (degrees).
    pub smallest_angles: Spread,
    /// Histogram of these angles (degrees).
    pub angles: Histogram,
    /// Elements of zero or negative volume, numbered from 0.
    pub inverted: Vec<u32>,
    /// Nodes with the same position as another node.
    pub duplicate_nodes: usize,
    /// Nodes that no element uses.
    pub unused_nodes: usize,
    /// Reason why the mesh cannot be simulated; `None` if it can.
    pub unfit: Option<String>,
    /// Number of elements of negative orientation in the file, which the reader reversed.
    pub reoriented: usize,
    /// Named groups of tetrahedra in the file.
    pub groups: Vec<GroupInfo>,
    /// Data of its tetrahedra, by name.
    pub cell_data: Vec<String>,
    /// Its boundary, with the groups of faces, lines and nodes of the file.
    pub boundary: SurfaceInfo,
}

/// Summary of a surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurfaceInfo {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Size of its bounding box (m).
    pub size: [f64; 3],
    /// Corner of the bounding box with the smallest coordinates (m).
    pub from: [f64; 3],
    /// Area (m^2).
    pub area: f64,
    /// Whether it bounds a volume.
    pub closed: bool,
    /// Enclosed volume (m^3), if the surface is closed; negative if it faces inward.
    pub volume: Option<f64>,
    /// Volume (m^3) of the union of overlapping parts, which `volume` counts more than once; an estimate, and missing
    /// without overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub union_volume: Option<f64>,
    /// Closed parts that face outward.
    pub outward_parts: usize,
    /// Closed parts that face inward: cavities, or parts with the wrong orientation.
    pub inward_parts: usize,
    /// Parts that are open or not oriented.
    pub other_parts: usize,
    /// Edges with a single triangle.
    pub open_edges: usize,
    /// Number of boundary loops that the open edges form.
    pub rims: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges whose two triangles have opposite orientations.
    pub misoriented_edges: usize,
    /// Duplicate triangles.
    pub duplicate_triangles: usize,
    /// Triangles without area.
    pub flat_triangles: usize,
    /// Triangles at least partly inside another part, as found by samples.
    #[serde(skip_serializing_if = "is_zero")]
    pub buried_triangles: usize,
    /// Vertices with the same position as another vertex.
    pub duplicate_vertices: usize,
    /// Vertices that no triangle uses.
    pub unused_vertices: usize,
    /// Edge lengths (m).
    pub edge_lengths: Spread,
    /// The smallest angle of each triangle (degrees).
    pub angles: Histogram,
    /// Named groups in the file.
    pub groups: Vec<GroupInfo>,
    /// Data of the file's vertices, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertex_data: Vec<String>,
}

/// Summary of curves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvesInfo {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of segments.
    pub pieces: usize,
    /// Number of open curves.
    pub open: usize,
    /// Number of closed curves.
    pub closed: usize,
    /// Size of the bounding box (m).
    pub size: [f64; 3],
    /// Corner of the bounding box with the smallest coordinates (m).
    pub from: [f64; 3],
    /// Total length of all curves (m).
    pub length: f64,
    /// Data of the file's vertices, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertex_data: Vec<String>,
    /// Lengths of the curves (m).
    pub lengths: Spread,
    /// Lengths of the segments (m).
    pub piece_lengths: Spread,
}

impl CurvesInfo {
    /// The summary of valid curves.
    fn new(curves: &Polylines) -> Result<Self, PolylineError> {
        curves.check()?;
        let x = &curves.positions;
        let bounds = Aabb::around(x).ok_or(PolylineError::Nothing)?;
        let lengths: Vec<f64> = curves.strands.iter().map(|strand| strand.length(x)).collect();
        let segment_lengths: Vec<f64> =
            curves.edges().map(|[a, b]| x[a as usize].distance(x[b as usize])).collect();
        let closed = curves.strands.iter().filter(|strand| strand.is_closed()).count();
        Ok(Self {
            vertices: x.len(),
            vertex_data: Vec::new(),
            pieces: segment_lengths.len(),
            open: curves.strands.len() - closed,
            closed,
            size: bounds.size().to_array(),
            from: bounds.min.to_array(),
            length: lengths.iter().sum(),
            lengths: order_statistics(lengths),
            piece_lengths: order_statistics(segment_lengths),
        })
    }
}

/// The smallest, the median and the largest of some values; zeros for none.
fn order_statistics(mut values: Vec<f64>) -> Spread {
    values.sort_unstable_by(f64::total_cmp);
    let value = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let last = values.len().saturating_sub(1);
    Spread { smallest: value(0), median: value(values.len() / 2), largest: value(last) }
}

impl MeshInfo {
    /// Inspects a mesh.
    ///
    /// # Errors
    /// If the mesh is empty or invalid.
    pub fn of(mesh: &Mesh) -> Result<Self, MeshInfoError> {
        Ok(match mesh {
            Mesh::Solid(mesh) => Self::Solid(Box::new(SolidInfo::new(SolidInspection::new(mesh)?))),
            Mesh::Curves(curves) => Self::Curves(Box::new(CurvesInfo::new(curves)?)),
            Mesh::Surface(mesh) => {
                Self::Surface(Box::new(SurfaceInfo::new(&SurfaceInspection::new(mesh)?)))
            }
        })
    }

    /// The description as JSON, as `sim info --json` prints it for a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data is always JSON")
    }

    /// Adds the contents of its file: groups, named data, and the counts of elements that the reader omitted.
    pub fn add_from_file(&mut self, file: &MeshFile) {
        self.add_curved(&file.mesh, &file.curved);
        let group_info = |(name, group): (&String, &Group)| GroupInfo {
            name: name.clone(),
            elements: match group.elements.is_empty() {
                true => group.faces.len(),
                false => group.elements.len(),
            },
            nodes: group.nodes.len(),
        };
        let has_elements = |(_, group): &(&String, &Group)| !group.elements.is_empty();
        match self {
            Self::Solid(solid) => {
                solid.unused_nodes += file.unused_vertices;
                solid.cell_data = file.fields.keys().cloned().collect();
                solid.reoriented = file.reoriented;
                solid.groups = file.groups.iter().filter(has_elements).map(group_info).collect();
                let others = file.groups.iter().filter(|group| !has_elements(group));
                solid.boundary.groups = others.map(group_info).collect();
                solid.boundary.vertex_data = file.vertex_fields.keys().cloned().collect();
            }
            Self::Surface(surface) => {
                surface.unused_vertices += file.unused_vertices;
                surface.flat_triangles += file.collapsed_triangles;
                surface.groups = file.groups.iter().map(group_info).collect();
                surface.vertex_data = file.vertex_fields.keys().cloned().collect();
            }
            Self::Curves(curves) => {
                curves.vertex_data = file.vertex_fields.keys().cloned().collect();
            }
        }
    }

    /// Adds the measures of a solid with curved edges.
    pub(crate) fn add_curved(&mut self, mesh: &Mesh, curved: &CurvedEdges) {
        if let (Self::Solid(solid), Mesh::Solid(mesh), false) = (self, mesh, curved.is_empty()) {
            let mesh = mesh.quadratic_with_curved_edges(curved);
            solid.curved = mesh.curved_count();
            solid.curved_volume = Some(mesh.volume());
        }
    }

    /// Size of its bounding box (m).
    pub fn size(&self) -> [f64; 3] {
        match self {
            Self::Solid(solid) => solid.size,
            Self::Surface(surface) => surface.size,
            Self::Curves(curves) => curves.size,
        }
    }

    /// Volume (m^3), of curved elements if there are any; `None` for a surface that is not closed.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Self::Solid(solid) => Some(solid.curved_volume.unwrap_or(solid.volume)),
            Self::Surface(surface) => surface.union_volume.or(surface.volume),
            Self::Curves(_) => None,
        }
    }
}

impl SolidInfo {
    /// The summary without the data of the file ([`MeshInfo::add_from_file`]).
    fn new(inspection: SolidInspection) -> Self {
        let boundary = SurfaceInfo::new(&inspection.boundary);
        Self {
            nodes: inspection.nodes,
            tetrahedra: inspection.tets,
            curved: 0,
            curved_volume: None,
            size: boundary.size,
            from: boundary.from,
            volume: inspection.volume,
            parts: inspection.parts,
            edge_lengths: spread(inspection.edge_lengths),
            smallest_angles: spread(inspection.smallest_angles),
            angles: histogram(inspection.angles),
            inverted: inspection.quality.inverted,
            duplicate_nodes: inspection.duplicate_nodes,
            unused_nodes: inspection.unused_nodes,
            unfit: inspection.unfit.map(|error| error.to_string()),
            reoriented: 0,
            groups: Vec::new(),
            cell_data: Vec::new(),
            boundary,
        }
    }
}

impl SurfaceInfo {
    /// The summary without the data of the file ([`MeshInfo::add_from_file`]).
    fn new(inspection: &SurfaceInspection) -> Self {
        Self {
            vertices: inspection.vertices,
            edges: inspection.edges,
            triangles: inspection.triangles,
            size: inspection.bounds.size().to_array(),
            from: inspection.bounds.min.to_array(),
            area: inspection.area,
            closed: inspection.volume.is_some(),
            volume: inspection.volume,
            union_volume: inspection.overlap.map(|overlap| overlap.union_volume),
            outward_parts: inspection.outward_parts,
            inward_parts: inspection.inward_parts,
            other_parts: inspection.other_parts,
            open_edges: inspection.defects.open_edges,
            rims: inspection.boundary_loops,
            non_manifold_edges: inspection.defects.non_manifold_edges,
            misoriented_edges: inspection.defects.misoriented_edges,
            duplicate_triangles: inspection.defects.duplicate_triangles,
            flat_triangles: inspection.defects.flat_triangles,
            buried_triangles: inspection.overlap.map_or(0, |overlap| overlap.triangles),
            duplicate_vertices: inspection.duplicate_vertices,
            unused_vertices: inspection.unused_vertices,
            edge_lengths: spread(inspection.edge_lengths),
            angles: histogram(inspection.smallest_angles.clone()),
            groups: Vec::new(),
            vertex_data: Vec::new(),
        }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.outward_parts + self.inward_parts + self.other_parts
    }
}

/// Whether a count is zero.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The serialisable form of a spread.
fn spread(source: inspect::Spread) -> Spread {
    let inspect::Spread { smallest, median, largest } = source;
    Spread { smallest, median, largest }
}

/// The serialisable form of a histogram.
fn histogram(source: inspect::Histogram) -> Histogram {
    Histogram { width: source.width, counts: source.counts }
}
