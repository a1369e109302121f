//! Undeformed shapes.

use super::Field;
use resile_mesh::read::{Format, Holds};
use resile_mesher::creases::DEFAULT_CREASE_ANGLE;
use resile_mesher::stuffing;
use serde::{Deserialize, Serialize};

/// An undeformed shape, around its own origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Shape {
    /// A box, centred; six tetrahedra per cell.
    Box {
        /// Edge lengths (m).
        size: [f64; 3],
        /// Cells along each edge.
        cells: [u32; 3],
    },
    /// A ball, centred.
    Ball {
        /// Radius (m).
        radius: f64,
        /// Layers of elements from the centre to the surface.
        layers: u32,
    },
    /// A cylinder about y, centred.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along y (m).
        height: f64,
        /// Layers of elements from the axis to the side.
        rings: u32,
        /// Layers of elements along y.
        layers: u32,
    },
    /// A solid given by a signed distance function, filled with tetrahedra.
    Implicit {
        /// The solid.
        field: Field,
        /// Mesh resolution.
        resolution: Resolution,
        /// Maximum number of times that cells double in size away from the surface.
        #[serde(default)]
        grade: u8,
    },
    /// A flat rectangle in the plane of x and z, centred, facing up.
    Sheet {
        /// Lengths along x and z (m).
        size: [f64; 2],
        /// Cells along x and z; two triangles each.
        cells: [u32; 2],
    },
    /// A flat disc in the plane of x and z, centred, facing up.
    Disc {
        /// Radius (m).
        radius: f64,
        /// Rings from the middle to the edge.
        rings: u32,
    },
    /// A sphere, centred: a subdivided icosahedron.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Number of subdivisions; 3 gives 1,280 triangles.
        subdivisions: u32,
    },
    /// A torus about y, centred.
    Torus {
        /// Radius from the axis to the centre of the tube (m).
        ring_radius: f64,
        /// Radius of the tube (m).
        tube_radius: f64,
        /// Edges around the axis.
        around_ring: u32,
        /// Edges around the tube.
        around_tube: u32,
    },
    /// A link of a chain: a tube along two straight sides and two half circles, in the plane
    /// of x and z, its straight sides along x, centred.
    Link {
        /// Length of each straight side (m).
        straight: f64,
        /// Radius of the half circles, to the middle of the tube (m).
        end_radius: f64,
        /// Radius of the tube (m).
        tube_radius: f64,
        /// Edges along each straight side.
        along_side: u32,
        /// Edges along each half circle.
        along_end: u32,
        /// Edges around the tube.
        around_tube: u32,
    },
    /// A gear about y, centred.
    Gear {
        /// Number of teeth.
        teeth: u32,
        /// Root radius (m).
        root_radius: f64,
        /// Tip radius (m).
        tip_radius: f64,
        /// Radius of the hole (m).
        bore_radius: f64,
        /// Length along y (m).
        thickness: f64,
    },
    /// A polygon in the plane of x and y, extruded along z.
    Extrusion {
        /// Its corners in order, clockwise or counterclockwise (m).
        corners: Vec<[f64; 2]>,
        /// Length along z (m).
        depth: f64,
        /// Edges along z.
        along: u32,
    },
    /// Stairs that rise along x.
    Stairs {
        /// Number of steps.
        steps: u32,
        /// Height of a step (m).
        rise: f64,
        /// Depth of a step, along x (m).
        run: f64,
        /// Width, along z (m).
        width: f64,
    },
    /// A polyline, for rods.
    Curve {
        /// Its points (m).
        points: Vec<[f64; 3]>,
        /// Whether the last point is joined with the first.
        #[serde(default)]
        closed: bool,
    },
    /// A circle about y in the plane of x and z, centred, for rods.
    Circle {
        /// Radius (m).
        radius: f64,
        /// Number of segments.
        segments: u32,
    },
    /// A right-handed helix about y that begins at the height 0, for rods.
    Helix {
        /// Radius (m).
        radius: f64,
        /// Pitch (m); negative for a left-handed helix.
        pitch: f64,
        /// Number of turns.
        turns: f64,
        /// Total number of segments.
        segments: u32,
    },
    /// A mesh from a file, in its coordinates: tetrahedra from `.msh`, `.vtu`, `.vtk`,
    /// `.mesh` or `.node`, a surface from `.obj`, `.stl`, `.ply` or `.off`, curves from an `.obj` of
    /// lines alone.
    File(String),
    /// A part of a mesh file: the elements of a group, or a connected piece.
    Part {
        /// The path, as in `File`.
        file: String,
        /// Name of the group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
        /// Number of the connected piece, from 0 in the order of the first elements.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        piece: Option<u32>,
        /// Distance from parts of other bodies with which it shares nodes (m). It recedes from them by half of it.
        #[serde(default, skip_serializing_if = "super::defaults::is_default")]
        gap: f64,
    },
    /// The interior of a closed surface from a file, filled with tetrahedra.
    Fill {
        /// The path, as in `File`.
        file: String,
        /// Mesh resolution.
        resolution: Resolution,
        /// Maximum number of times that cells double in size away from the surface.
        #[serde(default)]
        grade: u8,
        /// Minimum dihedral angle of creases that are kept (degrees).
        #[serde(default = "default_creases")]
        creases: f64,
        /// Surfaces for drawing and for contact.
        #[serde(default)]
        surface: FillSurface,
    },
    /// Point masses that interact by `terms` alone.
    Particles {
        /// Positions (m).
        positions: Vec<[f64; 3]>,
        /// Masses (kg).
        masses: Vec<f64>,
    },
    /// Particles at equal distances on a line; those at the ends have half the mass.
    Line {
        /// First point (m).
        from: [f64; 3],
        /// Last point (m).
        to: [f64; 3],
        /// Number of particles, both ends included.
        nodes: u32,
        /// Mass of the whole line (kg).
        mass: f64,
    },
}

/// Default of `creases` (degrees).
fn default_creases() -> f64 {
    DEFAULT_CREASE_ANGLE
}

/// Mesh resolution of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Resolution {
    /// Edge length of the tetrahedra (m).
    Size(f64),
    /// Approximate number of tetrahedra.
    Tets(u32),
}

impl Resolution {
    /// The corresponding type of the mesher.
    pub fn mesher(self) -> stuffing::Resolution {
        match self {
            Self::Size(size) => stuffing::Resolution::Size(size),
            Self::Tets(tets) => stuffing::Resolution::Tets(tets as usize),
        }
    }
}

/// Surfaces of a filled body for drawing, export and contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FillSurface {
    /// Surface for drawing and export. `Original` may be open or intersect itself.
    pub draw: FillMesh,
    /// Surface for contact. `Original` must be a surface that can be simulated.
    pub contact: FillMesh,
}

/// A surface of a filled body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FillMesh {
    /// The boundary of the tetrahedra.
    #[default]
    Boundary,
    /// The surface that was filled. Every point moves with the tetrahedron that contains it or is nearest to it.
    Original,
}

/// Type of the cells of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// Tetrahedra.
    Solid,
    /// Triangles.
    Surface,
    /// Segments of curves.
    Curve,
    /// Points.
    Points,
}

impl Shape {
    /// Whether the sizes of its cells are known only once it is meshed.
    pub fn is_irregular(&self) -> bool {
        matches!(
            self,
            Self::File(_) | Self::Part { .. } | Self::Fill { .. } | Self::Implicit { .. }
        )
    }

    /// Whether it is a mesh from a file, with groups, and data of its vertices and cells.
    pub(crate) fn is_from_file(&self) -> bool {
        matches!(self, Self::File(_) | Self::Part { .. })
    }

    /// Whether the surface for drawing differs from that for contact.
    pub(crate) fn has_skin(&self) -> bool {
        match self {
            Self::Fill { surface, .. } => surface.draw != surface.contact,
            _ => false,
        }
    }

    /// Number of particles; `None` for meshes.
    pub fn particle_count(&self) -> Option<usize> {
        match self {
            Self::Particles { positions, .. } => Some(positions.len()),
            Self::Line { nodes, .. } => Some(*nodes as usize),
            _ => None,
        }
    }

    /// Positions (m) and masses (kg) of particles; `None` for meshes.
    pub fn particles(&self) -> Option<(Vec<[f64; 3]>, Vec<f64>)> {
        match self {
            Self::Particles { positions, masses } => Some((positions.clone(), masses.clone())),
            &Self::Line { from, to, nodes, mass } => Some(along_line(from, to, nodes, mass)),
            _ => None,
        }
    }

    /// Type of the cells. That of a file follows from its extension.
    pub fn geometry(&self) -> Geometry {
        match self {
            Self::Box { .. }
            | Self::Ball { .. }
            | Self::Cylinder { .. }
            | Self::Implicit { .. }
            | Self::Fill { .. } => Geometry::Solid,
            Self::Sheet { .. }
            | Self::Disc { .. }
            | Self::Sphere { .. }
            | Self::Torus { .. }
            | Self::Link { .. }
            | Self::Gear { .. }
            | Self::Extrusion { .. }
            | Self::Stairs { .. } => Geometry::Surface,
            Self::Curve { .. } | Self::Circle { .. } | Self::Helix { .. } => Geometry::Curve,
            Self::File(name) | Self::Part { file: name, .. } => {
                match Format::of_name(name).map(Format::holds) {
                    Some(Holds::Surface) => Geometry::Surface,
                    // The check refuses unknown extensions.
                    Some(Holds::Solid) | None => Geometry::Solid,
                }
            }
            Self::Particles { .. } | Self::Line { .. } => Geometry::Points,
        }
    }
}

/// Positions and masses of particles at equal distances; those at the ends have half the mass of the others.
fn along_line(from: [f64; 3], to: [f64; 3], nodes: u32, mass: f64) -> (Vec<[f64; 3]>, Vec<f64>) {
    let intervals = f64::from(nodes.saturating_sub(1));
    let position = |i| {
        let s = f64::from(i) / intervals;
        [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * s)
    };
    let is_end = |i| i == 0 || i + 1 == nodes;
    let masses =
        (0..nodes).map(|i| if is_end(i) { mass / intervals * 0.5 } else { mass / intervals });
    ((0..nodes).map(position).collect(), masses.collect())
}
