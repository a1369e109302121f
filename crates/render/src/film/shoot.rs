//! Rendering of all images of a film into its file.

use super::{Film, FilmError};
use crate::encode::FilmFile;
use crate::image::Image;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::ops::Range;

/// Number of images per thread that are drawn in one batch.
const PICTURES_PER_THREAD: usize = 2;
/// Number of sample images for the choice of a palette, and their reduction in size.
const SAMPLES: usize = 12;
const SAMPLE_REDUCTION: usize = 2;

impl Film<'_> {
    /// Draws all images on all threads of the current pool and adds them to the file in order. `progress` is
    /// called repeatedly with the number of images added and may cancel. Returns the number of images added;
    /// the caller finishes the file.
    ///
    /// # Errors
    /// If a frame cannot be read, or an image cannot be written.
    pub fn shoot(
        &self,
        file: &mut (dyn FilmFile + Send),
        progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<usize, FilmError> {
        let together = PICTURES_PER_THREAD * rayon::current_num_threads();
        let draw = |numbers: Range<usize>| -> Result<Vec<Image>, FilmError> {
            numbers.into_par_iter().map(|number| self.picture(number)).collect()
        };
        let chunk = |start: usize| start..(start + together).min(self.pictures());
        let mut images = draw(chunk(0))?;
        let mut added = 0;
        while !images.is_empty() {
            let begin = added + images.len();
            // The next batch is drawn while one is written.
            let (written, next) = rayon::join(
                || images.iter().try_for_each(|image| file.add(image)),
                || draw(chunk(begin)),
            );
            written?;
            added = begin;
            images = next?;
            if progress(added).is_break() {
                break;
            }
        }
        Ok(added)
    }

    /// Reduced images over the whole film, for the choice of a palette.
    ///
    /// # Errors
    /// If a frame cannot be read.
    pub fn samples(&self) -> Result<Vec<Image>, FilmError> {
        let count = self.pictures().min(SAMPLES);
        let size = self.size().map(|side| side.div_ceil(SAMPLE_REDUCTION));
        let number = |k: usize| k * (self.pictures() - 1) / (count - 1).max(1);
        (0..count).into_par_iter().map(|k| self.picture_of_size(number(k), size)).collect()
    }
}
