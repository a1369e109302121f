//! Options of a film.

use super::FilmError;
use super::error::SIDES;
use crate::picture::Section;
use glam::DVec3;
use std::collections::BTreeSet;

/// Options of a film.
#[derive(Debug, Clone, PartialEq)]
pub struct FilmOptions {
    /// Width and height of images (pixels).
    pub size: [usize; 2],
    /// Images per second. Default: the rate of the run's frames, at most 60.
    pub rate: Option<f64>,
    /// Simulated seconds per second of the film.
    pub speed: f64,
    /// Start time in the run (s). Default: the first frame.
    pub from: Option<f64>,
    /// End time in the run (s). Default: the last frame.
    pub to: Option<f64>,
    /// Quantity shown by colours.
    pub coloring: Coloring,
    /// Values of the first and the last colour, in the unit of the field. Default: the range of nearly all
    /// vertices of the film.
    pub range: Option<[f32; 2]>,
    /// Whether edges of triangles are drawn.
    pub edges: bool,
    /// Cuts away all points x (m) with `normal . x > offset`: the normal, of any length, and the offset.
    pub section: Option<([f64; 3], f64)>,
    /// Direction of the camera, of any length. Default: chosen automatically.
    pub view: Option<[f64; 3]>,
    /// Total angle of the camera's orbit (degrees).
    pub orbit: f64,
    /// Name of the body that the camera follows.
    pub follow: Option<String>,
    /// Overlays of the images.
    pub overlays: BTreeSet<Overlay>,
}

/// Quantity shown by colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coloring {
    /// Identity of the body.
    Body,
    /// A field of the frames, by name; vectors are shown by their length.
    Field(String),
}

/// Overlays of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlay {
    /// Time and energy as text.
    Text,
    /// Plot of energies over time.
    Energies,
}

impl Default for FilmOptions {
    fn default() -> Self {
        Self {
            size: [1280, 720],
            rate: None,
            speed: 1.0,
            from: None,
            to: None,
            coloring: Coloring::Body,
            range: None,
            edges: false,
            section: None,
            view: None,
            orbit: 0.0,
            follow: None,
            overlays: BTreeSet::new(),
        }
    }
}

impl FilmOptions {
    /// Rejects values that are invalid for any run.
    pub(super) fn check(&self) -> Result<(), FilmError> {
        let [width, height] = self.size;
        if [width, height].iter().any(|side| !(SIDES[0]..=SIDES[1]).contains(side)) {
            return Err(FilmError::Size { width, height });
        }
        let bounded_values =
            [("the rate", self.rate.unwrap_or(30.0), 1000.0), ("the speed", self.speed, 1e6)];
        for (name, value, upper_bound) in bounded_values {
            if !(value > 0.0 && value <= upper_bound) {
                return Err(FilmError::Rate { what: name, value, most: upper_bound });
            }
        }
        if let Some([lower, upper]) = self.range {
            if self.coloring == Coloring::Body {
                return Err(FilmError::RangeOfNothing);
            }
            if !(lower < upper && lower.is_finite() && upper.is_finite()) {
                return Err(FilmError::Range { lower, upper });
            }
        }
        let is_direction = |v: [f64; 3]| {
            let squared_length = v.iter().map(|x| x * x).sum::<f64>();
            squared_length > 0.0 && squared_length.is_finite()
        };
        if let Some((normal, offset)) = self.section
            && !(is_direction(normal) && offset.is_finite())
        {
            return Err(FilmError::Section);
        }
        if !self.orbit.is_finite() {
            return Err(FilmError::Orbit { degrees: self.orbit });
        }
        match self.view.is_none_or(is_direction) {
            true => Ok(()),
            false => Err(FilmError::View),
        }
    }

    /// The section plane with a unit normal; `None` if no section is requested.
    pub(super) fn section_plane(&self) -> Option<Section> {
        let (normal, offset) = self.section?;
        let normal = DVec3::from(normal);
        let length = normal.length();
        let (normal, offset) = ((normal / length).as_vec3(), (offset / length) as f32);
        Some(Section { normal, offset })
    }
}
