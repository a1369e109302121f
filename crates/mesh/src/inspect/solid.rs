//! Inspection of solids.

use super::{ANGLE_BIN_WIDTH, Histogram, Spread, SurfaceInspection, duplicate_count, unused_count};
use crate::parts::Parts;
use crate::{MeshError, Quality, TetMesh};

/// Number of bins of the angle histogram, which end at 75 degrees: beyond the 70.5 degrees of a regular tetrahedron.
const ANGLE_BINS: usize = 15;

/// Measures and defects of a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidInspection {
    /// Number of nodes, used or not.
    pub nodes: usize,
    /// Number of tetrahedra.
    pub tets: usize,
    /// Volume in m^3.
    pub volume: f64,
    /// Quality measures of the elements.
    pub quality: Quality,
    /// Spread of the smallest dihedral angle of each element, in degrees.
    pub smallest_angles: Spread,
    /// Histogram of the same angles.
    pub angles: Histogram,
    /// Edge lengths of the elements, in metres; each edge counts once per element.
    pub edge_lengths: Spread,
    /// The boundary surface, with boundary nodes only.
    pub boundary: SurfaceInspection,
    /// Connected components; elements that share a node are connected.
    pub parts: usize,
    /// Nodes that coincide exactly with an earlier one.
    pub duplicate_nodes: usize,
    /// Nodes that no element uses.
    pub unused_nodes: usize,
    /// Error that prevents simulation, if any.
    pub unfit: Option<MeshError>,
}

impl SolidInspection {
    /// Inspects a solid, whose elements may be inverted. Costs six angles per element and some sorts.
    ///
    /// # Errors
    /// If the mesh is empty or has no boundary, has positions that are not finite, or refers to nodes that do not
    /// exist.
    pub fn new(mesh: &TetMesh) -> Result<Self, MeshError> {
        let unfit = mesh.check().err();
        if let Some(
            error @ (MeshError::Empty
            | MeshError::NotFinite { .. }
            | MeshError::NodeOutOfRange { .. }),
        ) = unfit
        {
            return Err(error);
        }
        // Indices are in range here, so inspecting the boundary fails only if it is empty, that is if every
        // face has two elements.
        let boundary = SurfaceInspection::new(&mesh.boundary()).map_err(|_| MeshError::Empty)?;
        let smallest_dihedrals = mesh.smallest_dihedrals();
        let mut parts = Parts::of_elements(mesh.positions.len(), &mesh.tets);
        Ok(Self {
            nodes: mesh.positions.len(),
            tets: mesh.tets.len(),
            volume: mesh.volume(),
            quality: mesh.quality().ok_or(MeshError::Empty)?,
            angles: Histogram::new(&smallest_dihedrals, ANGLE_BIN_WIDTH, ANGLE_BINS),
            smallest_angles: Spread::new(smallest_dihedrals).ok_or(MeshError::Empty)?,
            edge_lengths: Spread::new(mesh.edge_lengths()).ok_or(MeshError::Empty)?,
            boundary,
            parts: parts.representatives(mesh.tets.iter().map(|tet| tet[0])).len(),
            duplicate_nodes: duplicate_count(&mesh.positions),
            unused_nodes: unused_count(mesh.positions.len(), &mesh.tets),
            unfit,
        })
    }
}
