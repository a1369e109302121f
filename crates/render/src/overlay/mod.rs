//! What is put onto pictures: words, the colours of values, energies over time.

mod canvas;
mod color_bar;
mod energies;
mod text;

pub(crate) use color_bar::ColorBar;
pub(crate) use energies::Energies;

use crate::film::Overlay;
use crate::image::Image;
use canvas::Canvas;
use std::collections::BTreeSet;

/// All that is put onto the pictures of a film.
#[derive(Debug)]
pub(crate) struct Overlays {
    pub(crate) which: BTreeSet<Overlay>,
    pub(crate) energies: Energies,
    /// Of values that colours show, if they do.
    pub(crate) bar: Option<ColorBar>,
}

impl Overlays {
    /// Puts them onto the picture of this time (s).
    pub(crate) fn put_on(&self, image: &mut Image, time: f64) {
        let mut canvas = Canvas::of(image);
        if let Some(bar) = &self.bar {
            bar.draw(&mut canvas);
        }
        if self.which.contains(&Overlay::Text) {
            self.words(&mut canvas, time);
        }
        if self.which.contains(&Overlay::Energies) {
            self.energies.draw(&mut canvas, time);
        }
    }

    fn words(&self, canvas: &mut Canvas<'_>, time: f64) {
        let mut words = format!("t = {time:.3} s");
        if let Some(energy) = self.energies.total(time) {
            words += &format!("   E = {}", text::with_unit(energy, "J"));
        }
        let margin = canvas.margin();
        let bottom = canvas.height() - margin - canvas.line_height() as f32;
        canvas.text([margin, bottom], &words, canvas::INK);
    }
}
