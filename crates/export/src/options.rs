//! Export options, axes and units.

use crate::ExportError;

/// Largest valid sample rate (1/s).
const MAX_RATE: f64 = 1e6;
/// Largest valid length scale (units of the file per metre).
const MAX_SCALE: f64 = 1e6;

/// Selection, axes and units of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportOptions {
    /// Names of bodies, obstacles and planes; all if empty.
    pub bodies: Vec<String>,
    /// First time (s). Default: that of the first frame.
    pub from: Option<f64>,
    /// Last time (s). Default: that of the last frame.
    pub to: Option<f64>,
    /// Samples per second, with points interpolated linearly between frames.
    pub rate: Option<f64>,
    /// Up axis of the file. Default: that of the run, opposite to gravity.
    pub up: Option<Up>,
    /// Units of length per metre: 1 for metres, 100 for centimetres.
    pub scale: f64,
    /// Bodies in each file of a sequence of surfaces.
    pub grouping: Grouping,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            from: None,
            to: None,
            rate: None,
            up: None,
            scale: 1.0,
            grouping: Grouping::AllBodies,
        }
    }
}

impl ExportOptions {
    /// Rejects rates and scales that are not positive or exceed their upper bounds.
    pub(crate) fn check_ranges(&self) -> Result<(), ExportError> {
        let bounded_values =
            [("the frame rate", self.rate, MAX_RATE), ("the scale", Some(self.scale), MAX_SCALE)];
        for (name, value, upper_bound) in bounded_values {
            if let Some(value) = value.filter(|&value| !(value > 0.0 && value <= upper_bound)) {
                return Err(ExportError::Number { what: name, value, most: upper_bound });
            }
        }
        Ok(())
    }
}

/// Bodies in each file of a sequence of surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// All bodies at one time.
    AllBodies,
    /// One body at one time.
    OneBody,
}

/// Up axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    /// Y is up, as in scenes, Maya, Houdini and glTF.
    Y,
    /// Z is up, as in Blender and in engineering.
    Z,
}

/// Conversion of vectors from the axes and metres of the run to the axes and units of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axes {
    run_up: Up,
    /// Up axis of the file.
    pub(crate) file_up: Up,
    /// Units of length of the file per metre.
    scale: f64,
}

impl Axes {
    /// Conversion for a run with this `gravity` (m/s²) to a file with the up axis `up` (by default that of the run).
    /// The run is z-up if gravity points mainly along -z, and y-up otherwise.
    pub(crate) fn new(gravity: Option<[f64; 3]>, up: Option<Up>, scale: f64) -> Self {
        let run_up = match gravity {
            Some([x, y, z]) if -z > x.abs().max(y.abs()) => Up::Z,
            _ => Up::Y,
        };
        Self { run_up, file_up: up.unwrap_or(run_up), scale }
    }

    /// Converts a position (m) or a velocity (m/s): rotates it about x if the up axes differ, then scales it.
    pub(crate) fn convert(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let rotated = match (self.run_up, self.file_up) {
            (Up::Y, Up::Z) => [x, -z, y],
            (Up::Z, Up::Y) => [x, z, -y],
            _ => [x, y, z],
        };
        rotated.map(|component| (f64::from(component) * self.scale) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_conversion_keeps_the_up_axis_and_handedness() {
        let down = [(Up::Y, [0.0, -9.81, 0.0]), (Up::Z, [0.0, 0.1, -9.81])];
        for (from, gravity) in down {
            for to in [Up::Y, Up::Z] {
                let axes = Axes::new(Some(gravity), Some(to), 100.0);
                let [x, y, z] =
                    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|p| axes.convert(p));
                let up = if from == Up::Y { y } else { z };
                let expected = if to == Up::Y { [0.0, 100.0, 0.0] } else { [0.0, 0.0, 100.0] };
                assert_eq!(up, expected, "{from:?} to {to:?}");
                let cross = |a: [f32; 3], b: [f32; 3]| {
                    [0, 1, 2].map(|k| {
                        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                        a[i] * b[j] - a[j] * b[i]
                    })
                };
                assert_eq!(cross(x, y), z.map(|number| 100.0 * number), "{from:?} to {to:?}");
            }
        }
        assert_eq!(Axes::new(None, None, 1.0).convert([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
