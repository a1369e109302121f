//! Errors of films.

use crate::encode::EncodeError;
use resile_record::{OutputError, PlaybackError};

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// The run cannot be read.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// The history cannot be read, and energies were asked for.
    #[error(transparent)]
    History(#[from] OutputError),
    /// A picture could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// No picture can have this size.
    #[error("a picture cannot be {width}x{height}; both sides have to be from {} to {} pixels", SIDES[0], SIDES[1])]
    Size {
        /// Asked for.
        width: usize,
        /// Asked for.
        height: usize,
    },
    /// The time range has no frames.
    #[error("from {from} s to {to} s there is nothing: the frames are from {first} s to {last} s")]
    Times {
        /// Asked for (s).
        from: f64,
        /// Asked for (s).
        to: f64,
        /// Time of the first frame (s).
        first: f64,
        /// Time of the last frame (s).
        last: f64,
    },
    /// An invalid rate or speed.
    #[error("{what} cannot be {value}; it must be above 0 and at most {most}")]
    Rate {
        /// Which.
        what: &'static str,
        /// Asked for.
        value: f64,
        /// The largest there is.
        most: f64,
    },
    /// Colours of an empty or infinite range of values.
    #[error(
        "the colours cannot go from {lower} to {upper}; name two numbers, the smaller one first"
    )]
    Range {
        /// Value of the first colour.
        lower: f32,
        /// Value of the last colour.
        upper: f32,
    },
    /// A range of values where colours show no values.
    #[error("a range of values needs a field to colour by, such as speed")]
    RangeOfNothing,
    /// Too many pictures.
    #[error(
        "that would be {pictures} pictures; make the time shorter, the speed higher or the rate lower (at most {MAX_PICTURES})"
    )]
    Long {
        /// How many.
        pictures: usize,
    },
    /// There is no body of this name.
    #[error("there is no body \"{name}\"; there are {known}")]
    NoBody {
        /// Asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// Frames do not have this field.
    #[error("the frames have no \"{name}\" to colour by; there are body, {known}")]
    NoField {
        /// Asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// A direction of no length.
    #[error("the view has to be a direction, three numbers that are not all zero")]
    View,
}

/// The shortest and the longest side of a picture.
pub(crate) const SIDES: [usize; 2] = [16, 8192];
/// Largest number of pictures of a film: an hour at 60 per second.
pub(crate) const MAX_PICTURES: usize = 216_000;
