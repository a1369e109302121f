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
    /// A box, centred; six tetrahedra a cell.
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
        /// Shells from the middle to the surface.
        layers: u32,
    },
    /// A cylinder about y, centred.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along y (m).
        height: f64,
        /// Rings from the axis to the side.
        rings: u32,
        /// Slices along y.
        layers: u32,
    },
    /// A solid described by signed distances, meshed by well-shaped tetrahedra.
    Implicit {
        /// What it is.
        field: Field,
        /// How fine it is meshed.
        resolution: Resolution,
        /// How often cells may double in size away from the surface.
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
    /// The surface of a ball, centred: an icosahedron of which each edge is halved several times.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// How often; 3 gives 1,280 triangles.
        subdivisions: u32,
    },
    /// The surface of a ring about y, centred.
    Torus {
        /// From the axis to the middle of the tube (m).
        ring_radius: f64,
        /// Of the tube (m).
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
        /// Of the tube (m).
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
        /// How many.
        teeth: u32,
        /// From the axis to the gaps (m).
        root_radius: f64,
        /// From the axis to the tops (m).
        tip_radius: f64,
        /// Of the hole (m).
        bore_radius: f64,
        /// Length along y (m).
        thickness: f64,
    },
    /// A polygon in the plane of x and y, drawn out along z.
    Extrusion {
        /// Its corners, around it in either direction (m).
        corners: Vec<[f64; 2]>,
        /// Length along z (m).
        depth: f64,
        /// Edges along z.
        along: u32,
    },
    /// A flight of stairs that goes up along x.
    Stairs {
        /// How many.
        steps: u32,
        /// Height of a step (m).
        rise: f64,
        /// Depth of a step, along x (m).
        run: f64,
        /// Width, along z (m).
        width: f64,
    },
    /// A curve of straight pieces through points, for rods.
    Curve {
        /// Where it goes through (m).
        points: Vec<[f64; 3]>,
        /// Whether the last point is joined with the first.
        #[serde(default)]
        closed: bool,
    },
    /// A circle about y in the plane of x and z, centred, for rods.
    Circle {
        /// Radius (m).
        radius: f64,
        /// Straight pieces around it.
        segments: u32,
    },
    /// A right-handed helix about y that begins at the height 0, for rods.
    Helix {
        /// From the axis (m).
        radius: f64,
        /// Along the axis in one turn (m); negative for a left-handed one.
        pitch: f64,
        /// How many.
        turns: f64,
        /// Straight pieces in all.
        segments: u32,
    },
    /// A mesh from a file, with the origin of the file: tetrahedra from `.msh`, `.vtu`, `.vtk`,
    /// `.mesh` or `.node`, a surface from `.obj`, `.stl`, `.ply` or `.off`, curves from an `.obj` of
    /// lines alone.
    File(String),
    /// The inside of a surface from a file, meshed by well-shaped tetrahedra.
    Fill {
        /// The file, as in `File`.
        file: String,
        /// How fine it is meshed.
        resolution: Resolution,
        /// How often cells may double in size away from the surface.
        #[serde(default)]
        grade: u8,
        /// Edges at which the surface turns by more than this are kept (degrees).
        #[serde(default = "usual_creases")]
        creases: f64,
        /// What is drawn, and what touches others.
        #[serde(default)]
        surface: FillSurface,
    },
    /// Points with masses and nothing between them but what `terms` say.
    Particles {
        /// Where they are (m).
        positions: Vec<[f64; 3]>,
        /// Their masses (kg).
        masses: Vec<f64>,
    },
    /// Particles at equal distances on a line; those at its ends carry half.
    Line {
        /// Where it begins (m).
        from: [f64; 3],
        /// Where it ends (m).
        to: [f64; 3],
        /// Number of particles, both ends included.
        nodes: u32,
        /// Mass of the whole line (kg).
        mass: f64,
    },
}

fn usual_creases() -> f64 {
    DEFAULT_CREASE_ANGLE
}

/// How fine a solid is meshed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Resolution {
    /// Edge length of the tetrahedra (m).
    Size(f64),
    /// About so many tetrahedra.
    Tets(u32),
}

impl Resolution {
    /// As the mesher takes it.
    pub(crate) fn mesher(self) -> stuffing::Resolution {
        match self {
            Self::Size(size) => stuffing::Resolution::Size(size),
            Self::Tets(tets) => stuffing::Resolution::Tets(tets as usize),
        }
    }
}

/// Which surface of a filled body is drawn and exported, and which touches others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FillSurface {
    /// What is drawn and exported. `Original` may be any surface: open, or cutting itself.
    pub draw: FillMesh,
    /// What touches others. `Original` must be a surface that can be simulated.
    pub touch: FillMesh,
}

/// A surface of a filled body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FillMesh {
    /// The boundary of the tetrahedra.
    #[default]
    Boundary,
    /// The surface that was filled, every point of which follows the tetrahedron it is in
    /// or nearest to.
    Original,
}

/// What a shape consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// Tetrahedra.
    Solid,
    /// Triangles.
    Surface,
    /// Straight pieces of curves.
    Curve,
    /// Points.
    Points,
}

impl Shape {
    /// Whether its cells are of many sizes, which only a look at its mesh shows.
    pub(crate) fn is_irregular(&self) -> bool {
        matches!(self, Self::File(_) | Self::Fill { .. } | Self::Implicit { .. })
    }

    /// Whether what is drawn of it is not what touches others.
    pub(crate) fn has_skin(&self) -> bool {
        match self {
            Self::Fill { surface, .. } => surface.draw != surface.touch,
            _ => false,
        }
    }

    /// Number of particles; nothing for shapes that are meshed.
    pub fn particle_count(&self) -> Option<usize> {
        match self {
            Self::Particles { positions, .. } => Some(positions.len()),
            Self::Line { nodes, .. } => Some(*nodes as usize),
            _ => None,
        }
    }

    /// Places (m) and masses (kg) of particles; nothing for shapes that are meshed.
    pub fn particles(&self) -> Option<(Vec<[f64; 3]>, Vec<f64>)> {
        match self {
            Self::Particles { positions, masses } => Some((positions.clone(), masses.clone())),
            &Self::Line { from, to, nodes, mass } => Some(along_line(from, to, nodes, mass)),
            _ => None,
        }
    }

    /// What the shape consists of; of a file, by its name.
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
            Self::File(name) => match Format::of_name(name).map(Format::holds) {
                Some(Holds::Surface) => Geometry::Surface,
                // Of an unknown ending nothing is known, and the check refuses it.
                Some(Holds::Solid) | None => Geometry::Solid,
            },
            Self::Particles { .. } | Self::Line { .. } => Geometry::Points,
        }
    }
}

/// Particles at equal distances; those at the ends have half the mass of the others.
fn along_line(from: [f64; 3], to: [f64; 3], nodes: u32, mass: f64) -> (Vec<[f64; 3]>, Vec<f64>) {
    let intervals = f64::from(nodes.saturating_sub(1));
    let at = |i| {
        let s = f64::from(i) / intervals;
        [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * s)
    };
    let end = |i| i == 0 || i + 1 == nodes;
    let masses = (0..nodes).map(|i| if end(i) { mass / intervals * 0.5 } else { mass / intervals });
    ((0..nodes).map(at).collect(), masses.collect())
}
