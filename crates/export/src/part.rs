//! Exported parts: bodies, obstacles and planes, each with its own vertex numbering.

use crate::names::{Names, Rule};
use crate::options::Axes;
use crate::surface::OriginalFaces;
use crate::{ExportError, ExportOptions};
use resile_record::{Original, Playback, PlayedBody, Role, palette};
use std::ops::Range;

/// A body, an obstacle or a plane.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Name in the scene.
    pub(crate) name: String,
    /// Unique name without spaces, used in files and file names.
    pub(crate) word: String,
    /// Number in the frames of the run.
    pub(crate) number: u32,
    pub(crate) role: Role,
    /// Linear red, green and blue, from 0 to 1.
    pub(crate) color: [f32; 3],
    /// Triangles by vertices of the part.
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    /// Radius (m) of rods whose axes are `edges`.
    pub(crate) radius: Option<f32>,
    pub(crate) points: Vec<u32>,
    /// Original mesh, if the format uses its vertices.
    pub(crate) original: Option<Original>,
    /// Faces of the original mesh, if the format uses them on the vertices of frames.
    pub(crate) faces: Option<OriginalFaces>,
    pub(crate) place: PositionSource,
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
    /// Moving: a range of the vertices of a frame.
    Moves(Range<usize>),
    /// Fixed positions, in axes and units of the file.
    Stands(Vec<[f32; 3]>),
}

impl Part {
    /// Number of vertices in frames.
    pub(crate) fn vertices(&self) -> usize {
        match &self.place {
            PositionSource::Moves(range) => range.len(),
            PositionSource::Stands(positions) => positions.len(),
        }
    }

    pub(crate) fn moves(&self) -> bool {
        matches!(self.place, PositionSource::Moves(_))
    }

    /// Colour as bytes of sRGB (IEC 61966-2-1).
    pub(crate) fn srgb(&self) -> [u8; 3] {
        self.color.map(|light| (255.0 * palette::encoded(light) + 0.5) as u8)
    }

    fn new(body: &PlayedBody, word: String, color: palette::Light, place: PositionSource) -> Self {
        let first = match &place {
            PositionSource::Moves(range) => range.start as u32,
            PositionSource::Stands(_) => 0,
        };
        Self {
            name: body.name.clone(),
            word,
            number: body.number,
            role: body.role,
            color: color.map(|light| light.min(1.0)),
            triangles: body.triangles.iter().map(|t| t.map(|corner| corner - first)).collect(),
            edges: body.edges.iter().map(|ends| ends.map(|end| end - first)).collect(),
            radius: body.radius,
            points: body.points.iter().map(|point| point - first).collect(),
            original: None,
            faces: None,
            place,
        }
    }
}

/// Requested parts, moving ones first.
pub(crate) fn parts(
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
    let requested =
        |body: &PlayedBody| options.bodies.is_empty() || options.bodies.contains(&body.name);
    let (mut parts, mut names, mut number) = (Vec::new(), Names::new(Rule::Word), 0);
    for body in run.bodies() {
        let color = match body.role {
            Role::Body | Role::Skin => palette::body(number),
            Role::Obstacle | Role::Plane => palette::obstacle(),
        };
        number += usize::from(body.role == Role::Body);
        if requested(body) {
            let place = PositionSource::Moves(body.vertices.clone());
            let part = Part::new(body, names.unique(&body.name), color, place);
            parts.push(with_original(body, part)?);
        }
    }
    for still in run.still().iter().filter(|still| requested(&still.body)) {
        let place = PositionSource::Stands(still.positions.iter().map(|&p| axes.map(p)).collect());
        let word = names.unique(&still.body.name);
        let part = Part::new(&still.body, word, palette::obstacle(), place);
        parts.push(with_original(&still.body, part)?);
    }
    Ok(parts)
}

/// Names for messages, abbreviated if there are many.
fn list_names(bodies: &[&PlayedBody]) -> String {
    const MAX_LISTED: usize = 12;
    let names = bodies.iter().take(MAX_LISTED).map(|body| format!("\"{}\"", body.name));
    let names = names.collect::<Vec<_>>().join(", ");
    match bodies.len().saturating_sub(MAX_LISTED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
