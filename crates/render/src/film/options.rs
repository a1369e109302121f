//! Options of a film.

use super::FilmError;
use super::error::SIDES;
use std::collections::BTreeSet;

/// Options of a film.
#[derive(Debug, Clone, PartialEq)]
pub struct FilmOptions {
    /// Width and height (pixels).
    pub size: [usize; 2],
    /// Pictures a second; that of the run's frames, at most 60, if not given.
    pub rate: Option<f64>,
    /// Seconds of the run in a second of the film.
    pub speed: f64,
    /// Where in the run it begins (s); at the first frame if not given.
    pub from: Option<f64>,
    /// Where it ends (s); at the last frame if not given.
    pub to: Option<f64>,
    /// What colours show.
    pub coloring: Coloring,
    /// Values of the first and the last colour, in the unit of the field; those of nearly all
    /// vertices of the film if not given.
    pub range: Option<[f32; 2]>,
    /// Draws the edges of triangles.
    pub edges: bool,
    /// From where it is looked at, as a direction of any length; chosen if not given.
    pub view: Option<[f64; 3]>,
    /// How far the camera goes around (degrees).
    pub orbit: f64,
    /// The body that the camera goes along with.
    pub follow: Option<String>,
    /// What is put onto the pictures.
    pub overlays: BTreeSet<Overlay>,
}

/// What colours show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coloring {
    /// Which body it is.
    Body,
    /// A field of the frames, by its name; of a vector its length.
    Field(String),
}

/// What is put onto pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlay {
    /// The time and the energy, in words.
    Text,
    /// Energies over time.
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
            view: None,
            orbit: 0.0,
            follow: None,
            overlays: BTreeSet::new(),
        }
    }
}

impl FilmOptions {
    /// Rejects invalid numbers, independently of the run.
    pub(super) fn check(&self) -> Result<(), FilmError> {
        let [width, height] = self.size;
        if [width, height].iter().any(|side| !(SIDES[0]..=SIDES[1]).contains(side)) {
            return Err(FilmError::Size { width, height });
        }
        let rates =
            [("the rate", self.rate.unwrap_or(30.0), 1000.0), ("the speed", self.speed, 1e6)];
        for (what, value, most) in rates {
            if !(value > 0.0 && value <= most) {
                return Err(FilmError::Rate { what, value, most });
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
            let length = v.iter().map(|x| x * x).sum::<f64>();
            length > 0.0 && length.is_finite()
        };
        match self.view.is_none_or(is_direction) && self.orbit.is_finite() {
            true => Ok(()),
            false => Err(FilmError::View),
        }
    }
}
