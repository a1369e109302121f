//! Scalar fields for colours.

use crate::pose::double;
use resile_record::{Playback, PlayedFrame, PointField};

/// Fraction of the values of a frame that may lie beyond each end of the scale, so that a few spikes do
/// not compress the rest. `sim render` uses the same.
const OUTLIER_FRACTION: f64 = 0.002;

/// A vertex field reduced to one number per vertex.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scalar {
    /// Name of the field in frames.
    field: String,
    pub(crate) name: String,
    pub(crate) unit: String,
    /// Ends of the scale.
    pub(crate) ends: [f64; 2],
    /// Smallest and largest of all values.
    pub(crate) reached: [f64; 2],
}

impl Scalar {
    /// Value at each vertex; NaN if the frame does not have the field.
    pub(crate) fn values(&self, frame: &PlayedFrame) -> Vec<f64> {
        let count = frame.positions.len();
        match frame.field(&self.field) {
            Some(PointField { components: 1, values, .. }) => {
                values.iter().map(|&x| f64::from(x)).collect()
            }
            Some(PointField { components: 3, values, .. }) => {
                let length = |v: &[f32; 3]| double(v).length();
                values.as_chunks::<3>().0.iter().map(length).collect()
            }
            _ => vec![f64::NAN; count],
        }
    }

    /// Widens the scale to nearly all values of a frame.
    pub(crate) fn add_frame(&mut self, frame: &PlayedFrame) {
        let values = self.values(frame).into_iter().filter(|value| value.is_finite());
        self.widen(values.collect());
    }

    fn widen(&mut self, mut values: Vec<f64>) {
        let Some(last) = values.len().checked_sub(1) else { return };
        let outliers = (OUTLIER_FRACTION * last as f64).round() as usize;
        let mut ranked = |rank: usize| *values.select_nth_unstable_by(rank, f64::total_cmp).1;
        let wider = |[a, b]: [f64; 2], [min, max]: [f64; 2]| [a.min(min), b.max(max)];
        self.ends = wider(self.ends, [outliers, last - outliers].map(&mut ranked));
        self.reached = wider(self.reached, [0, last].map(ranked));
    }
}

/// Fields of a frame that colours can show: numbers, and lengths of vectors.
pub(crate) fn scalars(run: &Playback, frame: &PlayedFrame) -> Vec<Scalar> {
    let shown = frame.fields.iter().filter(|field| [1, 3].contains(&field.components));
    let scalar = |field: &PointField| Scalar {
        field: field.name.clone(),
        name: if field.name == "velocity" { "speed".to_owned() } else { field.name.clone() },
        unit: run.unit(&field.name).unwrap_or_default().to_owned(),
        // Lengths of vectors begin at zero, and so do scales of nonnegative fields.
        ends: [0.0; 2],
        reached: [0.0; 2],
    };
    shown.map(scalar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar() -> Scalar {
        let [field, name, unit] = ["stress", "stress", "Pa"].map(str::to_owned);
        Scalar { field, name, unit, ends: [0.0; 2], reached: [0.0; 2] }
    }

    #[test]
    fn colour_scale_excludes_spikes_and_includes_frequent_values() {
        let ramp = |spikes: usize| {
            let value = |k: usize| if k < spikes { 1e6 } else { k as f64 / 1e3 };
            (0..1000).rev().map(value).collect::<Vec<f64>>()
        };
        let mut few = scalar();
        few.widen(ramp(2));
        assert_eq!((few.ends, few.reached), ([0.0, 0.999], [0.0, 1e6]));
        let mut many = scalar();
        many.widen(ramp(3));
        assert_eq!(many.ends[1], 1e6);
        // Later frames only widen a scale, and with few vertices no value is an outlier.
        few.widen(vec![-3.0, 0.5]);
        assert_eq!((few.ends, few.reached), ([-3.0, 0.999], [-3.0, 1e6]));
        few.widen(Vec::new());
        assert_eq!(few.ends, [-3.0, 0.999]);
    }
}
