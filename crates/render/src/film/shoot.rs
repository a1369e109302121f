//! From a film to its file.

use super::{Film, FilmError};
use crate::encode::FilmFile;
use crate::image::Image;
use rayon::prelude::*;
use std::ops::Range;

/// Pictures that are drawn at the same time for each thread.
const TOGETHER: usize = 2;
/// Pictures from which colours are chosen, and how many times smaller they are.
const SAMPLES: usize = 12;
const SMALLER: usize = 2;

/// Whether the caller wants the film to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// More pictures.
    GoOn,
    /// No more.
    Stop,
}

impl Film<'_> {
    /// Draws all pictures, on all threads of the current pool, and adds them to the file in their
    /// order. Now and then it says how many there are, and asks whether to go on. Returns how many
    /// were added; the file is not finished.
    ///
    /// # Errors
    /// If a frame cannot be read, or a picture not be written.
    pub fn shoot(
        &self,
        file: &mut (dyn FilmFile + Send),
        progress: &mut dyn FnMut(usize) -> Wish,
    ) -> Result<usize, FilmError> {
        let together = TOGETHER * rayon::current_num_threads();
        let draw = |numbers: Range<usize>| -> Result<Vec<Image>, FilmError> {
            numbers.into_par_iter().map(|number| self.picture(number)).collect()
        };
        let chunk = |start: usize| start..(start + together).min(self.pictures());
        let mut drawn = draw(chunk(0))?;
        let mut added = 0;
        while !drawn.is_empty() {
            let begin = added + drawn.len();
            // While some are written, the next ones are drawn.
            let (written, next) = rayon::join(
                || drawn.iter().try_for_each(|image| file.add(image)),
                || draw(chunk(begin)),
            );
            written?;
            added = begin;
            drawn = next?;
            if progress(added) == Wish::Stop {
                break;
            }
        }
        Ok(added)
    }

    /// Some pictures of the whole film, smaller than they are, from which colours can be chosen.
    ///
    /// # Errors
    /// If a frame cannot be read.
    pub fn samples(&self) -> Result<Vec<Image>, FilmError> {
        let count = self.pictures().min(SAMPLES);
        let size = self.size().map(|side| side.div_ceil(SMALLER));
        let number = |k: usize| k * (self.pictures() - 1) / (count - 1).max(1);
        (0..count).into_par_iter().map(|k| self.picture_of_size(number(k), size)).collect()
    }
}
