//! Overlays: text, colour bar, plot of energies.

mod canvas;
mod color_bar;
mod energies;
mod layout;
mod text;

pub(crate) use color_bar::ColorBar;
pub(crate) use energies::Energies;
pub(crate) use layout::Insets;

use crate::film::Overlay;
use crate::image::Image;
use canvas::{Canvas, Metrics};
use layout::Area;
use resile_record::Playback;
use std::collections::BTreeSet;

/// The overlays of a film.
#[derive(Debug)]
pub(crate) struct Overlays {
    /// The overlays that are drawn in addition to the colour bar.
    pub(crate) selected: BTreeSet<Overlay>,
    /// Energies of the run; empty if no overlay shows them.
    pub(crate) energies: Energies,
    /// Colour bar, if colours show values.
    pub(crate) bar: Option<ColorBar>,
    /// Captions of frames that show no motion.
    pub(crate) captions: Captions,
}

/// Captions of the frames of a run with their times (s), ascending.
#[derive(Debug, Default)]
pub(crate) struct Captions(Vec<(f64, Option<String>)>);

/// Times (s) closer than this fraction are equal.
const TIME_TOLERANCE: f64 = 1e-6;

impl Captions {
    /// Captions of all frames.
    pub(crate) fn new(run: &Playback) -> Self {
        Self(run.times().iter().copied().zip(run.captions()).collect())
    }

    /// The caption of the last frame that is not after a time (s).
    fn at(&self, time: f64) -> Option<&str> {
        let is_reached = |(frame_time, _): &(f64, _)| *frame_time <= time * (1.0 + TIME_TOLERANCE);
        self.0.partition_point(is_reached).checked_sub(1).and_then(|k| self.0[k].1.as_deref())
    }
}

impl Overlays {
    /// Draws the overlays onto the image at this time (s).
    pub(crate) fn draw(&self, image: &mut Image, time: f64) {
        let size = [image.width, image.height];
        let mut canvas = Canvas::new(image);
        let [bar, plot] = self.areas(size);
        if let (Some(bar), Some(area)) = (&self.bar, bar) {
            bar.draw(&mut canvas, area);
        }
        if self.selected.contains(&Overlay::Text) {
            self.draw_status(&mut canvas, time);
        }
        if let Some(area) = plot {
            self.energies.draw(&mut canvas, area, time);
        }
    }

    /// Alternative margins of an image of this size (pixels) outside of which overlays hide no bodies. With a plot
    /// there are two alternatives: a margin at the bottom as high as the plot, or one at the left as wide as the plot.
    pub(crate) fn insets(&self, size: [usize; 2]) -> Vec<Insets> {
        let [width, height] = size.map(|side| side as f32);
        let [bar, plot] = self.areas(size);
        let right = bar.map_or(0.0, |bar| 1.0 - bar.left / width);
        match plot {
            None => vec![Insets { right, ..Insets::default() }],
            Some(plot) => vec![
                Insets { right, bottom: 1.0 - plot.top / height, ..Insets::default() },
                Insets { right, left: plot.right / width, ..Insets::default() },
            ],
        }
    }

    /// Areas of the colour bar and of the energy plot, if they are shown, in an image of this size (pixels).
    fn areas(&self, size: [usize; 2]) -> [Option<Area>; 2] {
        let metrics = Metrics::new(size);
        let has_plot = self.selected.contains(&Overlay::Energies);
        let plot = has_plot.then(|| Energies::area(&metrics));
        [self.bar.as_ref().map(|bar| bar.area(&metrics, plot)), plot]
    }

    /// The caption of the frame or, in films of motion, the time (s) and the total energy.
    fn status_text(&self, time: f64) -> String {
        if let Some(caption) = self.captions.at(time) {
            return caption.to_owned();
        }
        let energy = self.energies.total_text(time);
        let energy = energy.map_or_else(String::new, |energy| format!("   E = {energy}"));
        format!("t = {time:.3} s{energy}")
    }

    /// Draws a line of text in the lower left corner.
    fn draw_status(&self, canvas: &mut Canvas<'_>, time: f64) {
        let line = self.status_text(time);
        let metrics = canvas.metrics;
        let top = metrics.height - metrics.margin() - metrics.line_height();
        canvas.draw_text([metrics.margin(), top], &line, canvas::INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a portrait picture letters and bar fit its width, not its height.
    #[test]
    fn colour_bar_takes_about_a_third_of_a_portrait_picture() {
        let bar = ColorBar { name: "plastic_strain".into(), range: [0.0, 0.2] };
        let overlays = Overlays {
            selected: BTreeSet::new(),
            energies: Energies::default(),
            bar: Some(bar),
            captions: Captions::default(),
        };
        for size in [[400, 700], [720, 1280], [1080, 1920]] {
            let [width, height] = size.map(|side| side as f32);
            let area = overlays.areas(size)[0].expect("it is shown");
            let parts = [(area.right - area.left) / width, (area.bottom - area.top) / height];
            assert!(parts.into_iter().all(|part| part < 0.35), "{size:?}: {parts:?}");
        }
    }

    /// A frame of a mode shape has its frequency in place of a time.
    #[test]
    fn text_is_the_caption_of_the_frame_or_the_time() {
        let captions = vec![(0.0, None), (1.0, Some("mode 1: 40.730 Hz".to_owned())), (2.0, None)];
        let (selected, energies) = (BTreeSet::from([Overlay::Text]), Energies::default());
        let overlays = Overlays { selected, energies, bar: None, captions: Captions(captions) };
        let texts = [0.5, 1.0 - 1e-9, 1.7, 2.0].map(|time| overlays.status_text(time));
        let mode = "mode 1: 40.730 Hz";
        assert_eq!(texts, ["t = 0.500 s", mode, mode, "t = 2.000 s"]);
    }

    #[test]
    fn colour_bar_and_energy_plot_fit_without_overlap() {
        for name in ["speed (m/s)", "strain_energy_density (J/m^3)"] {
            let bar = ColorBar { name: name.into(), range: [-2e-7, 3e-7] };
            let selected = BTreeSet::from([Overlay::Text, Overlay::Energies]);
            let overlays = Overlays {
                selected,
                energies: Energies::default(),
                bar: Some(bar),
                captions: Captions::default(),
            };
            for size in [[400, 300], [480, 640], [640, 480], [1280, 720], [720, 1280], [3840, 2160]]
            {
                let areas = overlays.areas(size).map(|area| area.expect("it is shown"));
                assert!(!areas[0].overlaps(&areas[1]), "{size:?}: {areas:?}");
                let [width, height] = size.map(|side| side as f32);
                for area in areas {
                    let inside = area.left >= 0.0 && area.right <= width;
                    assert!(
                        inside && area.top >= 0.0 && area.bottom <= height,
                        "{size:?}: {area:?}"
                    );
                }
                let [below, beside] = overlays.insets(size)[..] else { panic!("two choices") };
                assert!((1.0 - below.right) * width <= areas[0].left + 1e-3);
                assert!((1.0 - below.bottom) * height <= areas[1].top + 1e-3);
                assert!(beside.left * width >= areas[1].right - 1e-3);
            }
        }
    }
}
