//! Scalar fields for colours.

use crate::pose::to_vec3;
use resile_record::{Playback, PlayedFrame, PointField};

/// Fraction of the values of a frame that may lie outside of each end of the scale, so that a few extreme values do not
/// determine the colours of all others. `sim render` uses the same fraction.
const OUTLIER_FRACTION: f64 = 0.002;

/// A vertex field reduced to one number per vertex.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scalar {
    /// Name of the field in frames.
    field: String,
    /// Displayed name.
    pub(crate) name: String,
    /// SI unit; empty if it is unknown.
    pub(crate) unit: String,
    /// Values at the lower and upper end of the colour scale.
    pub(crate) scale_ends: [f64; 2],
    /// Smallest and largest of all values, outliers included.
    pub(crate) extremes: [f64; 2],
}

impl Scalar {
    /// Value at each vertex; NaN if the frame does not have the field.
    pub(crate) fn values(&self, frame: &PlayedFrame) -> Vec<f64> {
        match frame.field(&self.field) {
            Some(PointField { components: 1, values, .. }) => {
                values.iter().map(|&x| f64::from(x)).collect()
            }
            Some(PointField { components: 3, values, .. }) => {
                let (vectors, _) = values.as_chunks::<3>();
                vectors.iter().map(|v| to_vec3(v).length()).collect()
            }
            _ => vec![f64::NAN; frame.positions.len()],
        }
    }

    /// Widens the scale to nearly all values of a frame.
    pub(crate) fn add_frame(&mut self, frame: &PlayedFrame) {
        let values = self.values(frame).into_iter().filter(|value| value.is_finite());
        self.widen(values.collect());
    }

    /// Widens the scale to these values without outliers, and the extremes to all of them.
    fn widen(&mut self, mut values: Vec<f64>) {
        let Some(last) = values.len().checked_sub(1) else { return };
        let outliers = (OUTLIER_FRACTION * last as f64).round() as usize;
        let mut value_of_rank = |rank: usize| {
            let (_, value, _) = values.select_nth_unstable_by(rank, f64::total_cmp);
            *value
        };
        let union = |[a_min, a_max]: [f64; 2], [b_min, b_max]: [f64; 2]| {
            [a_min.min(b_min), a_max.max(b_max)]
        };
        let inner = [outliers, last - outliers].map(&mut value_of_rank);
        self.scale_ends = union(self.scale_ends, inner);
        self.extremes = union(self.extremes, [0, last].map(value_of_rank));
    }
}

/// Fields of a frame that colours can show: scalars, and lengths of vectors.
pub(crate) fn scalars(run: &Playback, frame: &PlayedFrame) -> Vec<Scalar> {
    let displayable = frame.fields.iter().filter(|field| [1, 3].contains(&field.components));
    let scalar = |field: &PointField| Scalar {
        field: field.name.clone(),
        name: if field.name == "velocity" { "speed".to_owned() } else { field.name.clone() },
        unit: run.unit(&field.name).unwrap_or_default().to_owned(),
        // Scales include zero, at which lengths of vectors and nonnegative fields begin.
        scale_ends: [0.0; 2],
        extremes: [0.0; 2],
    };
    displayable.map(scalar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar() -> Scalar {
        let [field, name, unit] = ["stress", "stress", "Pa"].map(str::to_owned);
        Scalar { field, name, unit, scale_ends: [0.0; 2], extremes: [0.0; 2] }
    }

    #[test]
    fn colour_scale_excludes_spikes_and_includes_frequent_values() {
        let ramp = |spikes: usize| {
            let value = |k: usize| if k < spikes { 1e6 } else { k as f64 / 1e3 };
            (0..1000).rev().map(value).collect::<Vec<f64>>()
        };
        let mut few = scalar();
        few.widen(ramp(2));
        assert_eq!((few.scale_ends, few.extremes), ([0.0, 0.999], [0.0, 1e6]));
        let mut many = scalar();
        many.widen(ramp(3));
        assert_eq!(many.scale_ends[1], 1e6);
        // Later frames only widen a scale, and with few vertices no value is an outlier.
        few.widen(vec![-3.0, 0.5]);
        assert_eq!((few.scale_ends, few.extremes), ([-3.0, 0.999], [-3.0, 1e6]));
        few.widen(Vec::new());
        assert_eq!(few.scale_ends, [-3.0, 0.999]);
    }
}
