//! Exported parts: bodies, obstacles and planes, each with its own vertex numbering.

use crate::names::{Names, Rule};
use crate::options::Axes;
use crate::surface::OriginalFaces;
use crate::{ExportError, ExportOptions};
use resile_record::{Original, Playback, PlayedBody, Role, palette};
use std::ops::Range;

/// Factors on the linear colour of a part for its first, second, ... material.
const SHADES: [f32; 4] = [1.0, 0.4, 0.7, 0.2];

/// A body, an obstacle or a plane.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Name in the scene.
    pub(crate) name: String,
    /// Unique name without spaces, used in files and file names.
    pub(crate) unique_name: String,
    /// Number of the body in the frames of the run.
    pub(crate) body_number: u32,
    pub(crate) role: Role,
    /// Linear red, green and blue, from 0 to 1.
    pub(crate) color: [f32; 3],
    /// Corners of each triangle, as vertex indices of the part.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Ends of each edge of springs and rods, as vertex indices of the part.
    pub(crate) edges: Vec<[u32; 2]>,
    /// Radius (m) of rods whose axes are `edges`.
    pub(crate) radius: Option<f32>,
    /// Vertex indices of particles.
    pub(crate) points: Vec<u32>,
    /// Original mesh, if the format uses its vertices.
    pub(crate) original: Option<Original>,
    /// Faces of the original mesh, if the format uses them on the vertices of frames.
    pub(crate) faces: Option<OriginalFaces>,
    /// Where the positions of the vertices come from.
    pub(crate) position_source: PositionSource,
}

/// Vertex source of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vertices {
    /// Vertices of frames.
    Drawn,
    /// Vertices of frames, with the faces of the original mesh if there is one.
    DrawnWithFaces,
    /// Vertices of the original mesh in its order, if there is one.
    Original,
}

/// Source of the positions of a part.
#[derive(Debug, Clone)]
pub(crate) enum PositionSource {
    /// Range of the vertices of a frame that belong to a moving part.
    Moving(Range<usize>),
    /// Positions of the vertices of a fixed part, in axes and units of the file.
    Fixed(Vec<[f32; 3]>),
}

impl Part {
    /// Number of vertices in each frame.
    pub(crate) fn vertex_count(&self) -> usize {
        match &self.position_source {
            PositionSource::Moving(range) => range.len(),
            PositionSource::Fixed(positions) => positions.len(),
        }
    }

    /// Whether the positions of the part are recorded in each frame.
    pub(crate) fn is_moving(&self) -> bool {
        matches!(self.position_source, PositionSource::Moving(_))
    }

    /// Colour as bytes of sRGB (IEC 61966-2-1).
    pub(crate) fn srgb(&self) -> [u8; 3] {
        self.color.map(|light| (255.0 * palette::encoded(light) + 0.5) as u8)
    }

    /// Names of the materials that the faces of the original mesh have, each with its linear colour: the colour of the
    /// part in a shade of its own.
    pub(crate) fn face_materials(&self) -> Vec<(&str, [f32; 3])> {
        let names = self.faces.iter().flat_map(|faces| &faces.material_names);
        let shades = SHADES.into_iter().cycle();
        names.zip(shades).map(|(name, shade)| (&name[..], self.color.map(|c| c * shade))).collect()
    }

    /// Part of a body of the run. The vertex indices of a moving body, which count all vertices of a frame, become
    /// indices of the part.
    fn new(
        body: &PlayedBody,
        unique_name: String,
        color: palette::Light,
        position_source: PositionSource,
    ) -> Self {
        let first_vertex = match &position_source {
            PositionSource::Moving(range) => range.start as u32,
            PositionSource::Fixed(_) => 0,
        };
        Self {
            name: body.name.clone(),
            unique_name,
            body_number: body.number,
            role: body.role,
            color: color.map(|light| light.min(1.0)),
            triangles: body.triangles.iter().map(|t| t.map(|v| v - first_vertex)).collect(),
            edges: body.edges.iter().map(|ends| ends.map(|v| v - first_vertex)).collect(),
            radius: body.radius,
            points: body.points.iter().map(|v| v - first_vertex).collect(),
            original: None,
            faces: None,
            position_source,
        }
    }
}

/// The requested parts of a run: moving ones first, then fixed ones with positions converted by `axes`. Each has the
/// mesh of its original file if `vertices` requires it.
///
/// # Errors
/// If a requested name does not exist, or an original file cannot be read.
pub(crate) fn requested_parts(
    run: &Playback,
    options: &ExportOptions,
    axes: &Axes,
    vertices: Vertices,
) -> Result<Vec<Part>, ExportError> {
    let with_original = |body: &PlayedBody, part: Part| match vertices {
        Vertices::Drawn => Ok(part),
        Vertices::DrawnWithFaces => {
            let original = run.original(body)?;
            let faces = original.map(|original| OriginalFaces::new(&original, &part.triangles));
            Ok::<_, ExportError>(Part { faces, ..part })
        }
        Vertices::Original => Ok(Part { original: run.original(body)?, ..part }),
    };
    let bodies: Vec<&PlayedBody> =
        run.bodies().iter().chain(run.still().iter().map(|part| &part.body)).collect();
    for name in &options.bodies {
        if !bodies.iter().any(|body| body.name == *name) {
            return Err(ExportError::NoBody { name: name.clone(), known: list_names(&bodies) });
        }
    }
    let is_requested =
        |body: &PlayedBody| options.bodies.is_empty() || options.bodies.contains(&body.name);
    let (mut parts, mut names, mut color_index) = (Vec::new(), Names::new(Rule::Word), 0);
    for body in run.bodies() {
        let color = match body.role {
            Role::Body | Role::Skin => palette::body(color_index),
            Role::Obstacle | Role::Plane => palette::obstacle(),
        };
        color_index += usize::from(body.role == Role::Body);
        if is_requested(body) {
            let position_source = PositionSource::Moving(body.vertices.clone());
            let part = Part::new(body, names.unique(&body.name), color, position_source);
            parts.push(with_original(body, part)?);
        }
    }
    for still in run.still().iter().filter(|still| is_requested(&still.body)) {
        let positions = still.positions.iter().map(|&p| axes.convert(p)).collect();
        let position_source = PositionSource::Fixed(positions);
        let unique_name = names.unique(&still.body.name);
        let part = Part::new(&still.body, unique_name, palette::obstacle(), position_source);
        parts.push(with_original(&still.body, part)?);
    }
    Ok(parts)
}

/// Quoted names of bodies for messages; of more than twelve names, only the number of the others is given.
fn list_names(bodies: &[&PlayedBody]) -> String {
    const MAX_LISTED: usize = 12;
    let names = bodies.iter().take(MAX_LISTED).map(|body| format!("\"{}\"", body.name));
    let names = names.collect::<Vec<_>>().join(", ");
    match bodies.len().saturating_sub(MAX_LISTED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
