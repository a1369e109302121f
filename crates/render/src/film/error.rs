//! Errors of films.

use crate::encode::EncodeError;
use resile_record::{OutputError, PlaybackError};

/// Errors of rendering a film.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// The survey of the frames was cancelled.
    #[error("the film was cancelled")]
    Cancelled,
    /// The run cannot be read.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// The history, needed for the requested energies, cannot be read.
    #[error(transparent)]
    History(#[from] OutputError),
    /// An image could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The image size is out of range.
    #[error("a picture cannot be {width}x{height}; both sides have to be from {} to {} pixels", SIDES[0], SIDES[1])]
    Size {
        /// Requested width.
        width: usize,
        /// Requested height.
        height: usize,
    },
    /// The time range has no frames.
    #[error("from {from} s to {to} s there is nothing: the frames are from {first} s to {last} s")]
    Times {
        /// Requested start (s).
        from: f64,
        /// Requested end (s).
        to: f64,
        /// Time of the first frame (s).
        first: f64,
        /// Time of the last frame (s).
        last: f64,
    },
    /// An invalid rate or speed.
    #[error("{what} cannot be {value}; it must be above 0 and at most {most}")]
    Rate {
        /// Name of the parameter.
        what: &'static str,
        /// Requested value.
        value: f64,
        /// Largest valid value.
        most: f64,
    },
    /// The colour range is empty or infinite.
    #[error(
        "the colours cannot go from {lower} to {upper}; name two numbers, the smaller one first"
    )]
    Range {
        /// Value at the first colour.
        lower: f32,
        /// Value at the last colour.
        upper: f32,
    },
    /// A colour range is given, but colours show no values.
    #[error("a range of values needs a field to colour by, such as speed")]
    RangeOfNothing,
    /// The film has too many images.
    #[error(
        "that would be {pictures} pictures; make the time shorter, the speed higher or the rate lower (at most {MAX_PICTURES})"
    )]
    Long {
        /// Number of images.
        pictures: usize,
    },
    /// There is no body with this name.
    #[error("there is no body \"{name}\"; there are {known}")]
    NoBody {
        /// Requested name.
        name: String,
        /// Existing names.
        known: String,
    },
    /// The frames do not have this field.
    #[error(
        "the frames have no \"{name}\" to colour by; there are body, {known}; a run writes the fields that \
         `output.fields` of its scene names"
    )]
    NoField {
        /// Requested name.
        name: String,
        /// Existing names.
        known: String,
    },
    /// The field is a symmetric tensor, of which colours can show a component or a principal value.
    #[error(
        "\"{name}\" is a tensor: colour by a component, {name}_xx, _yy, _zz, _xy, _yz, _xz, or by a principal value, \
         {name}_1 (the largest), _2, _3"
    )]
    Tensor {
        /// Name of the field.
        name: String,
    },
    /// The normal of the section plane has no length, or a number is infinite.
    #[error(
        "the section has to be four numbers A,B,C,D, of which A,B,C are not all zero: what has A x + B y + C z > D is cut away"
    )]
    Section,
    /// The angle of the orbit is infinite or not a number.
    #[error("the orbit has to be an angle in degrees, such as 360, not {degrees}")]
    Orbit {
        /// Requested angle (degrees).
        degrees: f64,
    },
    /// The viewing direction has no length.
    #[error("the view has to be a direction, three numbers that are not all zero")]
    View,
}

/// Shortest and longest side of an image (pixels).
pub(crate) const SIDES: [usize; 2] = [16, 8192];
/// Largest number of images of a film: an hour at 60 per second.
pub(crate) const MAX_PICTURES: usize = 216_000;
