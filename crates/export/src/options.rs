//! Export options, axes and units.

use crate::ExportError;

/// Largest rate (1/s).
const MAX_RATE: f64 = 1e6;
/// Largest length scale.
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
    /// Contents of each file of a sequence of surfaces.
    pub pieces: Pieces,
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
            pieces: Pieces::Together,
        }
    }
}

impl ExportOptions {
    /// Rejects invalid numbers.
    pub(crate) fn check(&self) -> Result<(), ExportError> {
        let numbers =
            [("the frame rate", self.rate, MAX_RATE), ("the scale", Some(self.scale), MAX_SCALE)];
        for (what, value, limit) in numbers {
            if let Some(value) = value.filter(|&value| !(value > 0.0 && value <= limit)) {
                return Err(ExportError::Number { what, value, most: limit });
            }
        }
        Ok(())
    }
}

/// Contents of a file of a surface sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    /// All bodies at one time.
    Together,
    /// One body at one time.
    Apart,
}

/// Up axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    /// Y is up, as in scenes, Maya, Houdini and glTF.
    Y,
    /// Z is up, as in Blender and in engineering.
    Z,
}

/// Conversion of axes and lengths from the run to the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axes {
    from: Up,
    /// Up axis of the file.
    pub(crate) to: Up,
    scale: f64,
}

impl Axes {
    pub(crate) fn new(gravity: Option<[f64; 3]>, up: Option<Up>, scale: f64) -> Self {
        let from = match gravity {
            Some([x, y, z]) if -z > x.abs().max(y.abs()) => Up::Z,
            _ => Up::Y,
        };
        Self { from, to: up.unwrap_or(from), scale }
    }

    /// Converts a position or a velocity: rotates about x if the up axes differ.
    pub(crate) fn map(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let turned = match (self.from, self.to) {
            (Up::Y, Up::Z) => [x, -z, y],
            (Up::Z, Up::Y) => [x, z, -y],
            _ => [x, y, z],
        };
        turned.map(|number| (f64::from(number) * self.scale) as f32)
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
                    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|p| axes.map(p));
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
        assert_eq!(Axes::new(None, None, 1.0).map([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
