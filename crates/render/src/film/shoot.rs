//! Rendering of all images of a film into its file.

use super::{Film, FilmError};
use crate::encode::FilmFile;
use crate::image::Image;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::ops::Range;

/// Number of images per thread that are drawn in one batch.
const PICTURES_PER_THREAD: usize = 2;
/// Largest number of sample images for the choice of a palette.
const SAMPLES: usize = 12;
/// Factor by which the sides of sample images are smaller than those of the film.
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
        let batch_size = PICTURES_PER_THREAD * rayon::current_num_threads();
        let draw = |indices: Range<usize>| -> Result<Vec<Image>, FilmError> {
            indices.into_par_iter().map(|index| self.picture(index)).collect()
        };
        let batch = |start: usize| start..(start + batch_size).min(self.pictures());
        let mut images = draw(batch(0))?;
        let mut added = 0;
        while !images.is_empty() {
            let next_start = added + images.len();
            // The next batch is drawn while this one is written.
            let (write_result, next_images) = rayon::join(
                || images.iter().try_for_each(|image| file.add(image)),
                || draw(batch(next_start)),
            );
            write_result?;
            added = next_start;
            images = next_images?;
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
        let image_index = |k: usize| k * (self.pictures() - 1) / (count - 1).max(1);
        (0..count).into_par_iter().map(|k| self.picture_of_size(image_index(k), size)).collect()
    }
}
