//! The energy that an integrator adds, or does not remove.

use resile_record::{Columns, OutputError};
use std::path::Path;

/// Extrema of the energies (J) of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct EnergyExtrema {
    /// The largest error `total - start - work + heat + rest loss` at the end of any step; at least zero.
    pub(super) gained: f64,
    /// The largest kinetic energy.
    pub(super) kinetic: f64,
    /// The smallest energy above the target in the last rows ([`EXCESS_SHARE`]), at least zero, and zero if the energy
    /// does not decrease in them ([`MIN_REMOVED`]); `None` without a target.
    pub(super) excess: Option<f64>,
    /// The largest sum of the magnitudes of the energies that are summed to the total.
    pub(super) magnitude: f64,
}

/// Accuracy of a sum of energies relative to the sum of their magnitudes: their rounding, which grows with the number of
/// steps. The total of a cube of 0.5 J that rests in contact for 0.5 s drifts by 8e-12 of it.
const RELATIVE_RESOLUTION: f64 = 1e-9;

/// Share of the rows with a target in which the energy has to stay above it. A target that is out of reach for a short
/// time, as in an impact, is no fault.
const EXCESS_SHARE: f64 = 0.1;

/// Decrease of the energy over these rows, relative to the excess, below which nothing is removed: bodies in flight have
/// no motion that an integrator damps. In `scenes/splash.ron` it is 1e-7 then.
const MIN_REMOVED: f64 = 1e-3;

impl EnergyExtrema {
    /// The extrema over all rows of a history with potentials of these `terms`. Energies that are not finite count as
    /// missing.
    ///
    /// # Errors
    /// If the history cannot be read.
    pub(super) fn read<'n>(
        history: &Path,
        terms: impl Iterator<Item = &'n str>,
    ) -> Result<Self, OutputError> {
        let columns = Columns::read(history)?;
        let energies = ["kinetic", "total", "dissipated", "rest_loss", "external_work"];
        let extrema = Self::of_rows(columns.select(energies)?);
        let summed = ["kinetic"].into_iter().chain(terms);
        let summed: Vec<_> = summed.filter_map(|name| columns.column(name)).collect();
        Ok(Self {
            excess: smallest_last_excess(columns.select(["total", "target"])?),
            magnitude: largest_magnitude(&summed),
            ..extrema
        })
    }

    /// The energy (J) below which differences are not determined: the rounding of the energies that are summed, and the
    /// kinetic energy of all bodies of this `mass` (kg) at the `tolerance` (m/s) of the solver.
    pub(super) fn resolution(&self, mass: f64, tolerance: f64) -> f64 {
        RELATIVE_RESOLUTION * self.magnitude + 0.5 * mass * tolerance * tolerance
    }

    /// The extrema over rows of kinetic and total energy, and of heat, rest loss and work of the step. The first row is
    /// the start.
    fn of_rows(rows: impl Iterator<Item = [Option<f64>; 5]>) -> Self {
        let mut extrema = Self::default();
        let mut expected: Option<f64> = None;
        for row in rows {
            let [kinetic, total, heat, rest_loss, work] = row.map(|cell| cell.unwrap_or(f64::NAN));
            let supplied = work - heat - rest_loss;
            let expected_total = expected.map_or(total, |expected| expected + supplied);
            expected = Some(expected_total);
            // The maximum ignores NaN.
            extrema.gained = extrema.gained.max(total - expected_total);
            extrema.kinetic = extrema.kinetic.max(kinetic);
        }
        extrema
    }
}

/// The largest sum of the magnitudes of columns (J) in a row, without cells that are missing or not finite.
fn largest_magnitude(columns: &[Vec<Option<f64>>]) -> f64 {
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let magnitude = |row: usize| -> f64 {
        let cells = columns.iter().filter_map(|column| column.get(row).copied().flatten());
        cells.map(f64::abs).filter(|cell| cell.is_finite()).sum()
    };
    (0..rows).map(magnitude).fold(0.0, f64::max)
}

/// The [excess](EnergyExtrema::excess) of rows of total energy and target, of which those with both count.
fn smallest_last_excess(rows: impl Iterator<Item = [Option<f64>; 2]>) -> Option<f64> {
    let rows: Vec<[f64; 2]> = rows.filter_map(|[total, target]| Some([total?, target?])).collect();
    let count = (EXCESS_SHARE * rows.len() as f64).ceil() as usize;
    let last_rows = &rows[rows.len() - count..];
    let smallest = last_rows.iter().map(|[total, target]| total - target).reduce(f64::min)?;
    let total_before = rows[(rows.len() - count).saturating_sub(1)][0];
    let removed = total_before - last_rows[count - 1][0];
    Some(if removed < MIN_REMOVED * smallest { 0.0 } else { smallest.max(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extrema(rows: &[[f64; 5]]) -> EnergyExtrema {
        EnergyExtrema::of_rows(rows.iter().map(|row| row.map(|x| x.is_finite().then_some(x))))
    }

    #[test]
    fn gain_is_the_largest_excess_over_what_was_supplied() {
        // Work of 2 J, then heat of 0.5 J and a loss of 0.25 J: 3.25 J are expected of 3.5 and 4 J.
        let rows = [
            [1.0, 2.0, 0.0, 0.0, 0.0],
            [3.0, 3.75, 0.0, 0.0, 2.0],
            [2.5, 4.0, 0.5, 0.25, 0.0],
            [2.0, 3.5, 0.0, 0.0, 0.0],
        ];
        let expected = EnergyExtrema { gained: 0.75, kinetic: 3.0, ..EnergyExtrema::default() };
        assert_eq!(extrema(&rows), expected);
    }

    #[test]
    fn excess_is_the_smallest_one_of_the_last_tenth() {
        let excess = |totals: &[f64]| {
            let rows = totals.iter().map(|total| [Some(*total), Some(1.0)]);
            smallest_last_excess(rows.chain([[Some(9.0), None]]))
        };
        assert_eq!(excess(&[]), None);
        assert_eq!(excess(&[3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 2.5, 1.5]), Some(0.5));
        assert_eq!(excess(&[3.0, 0.5]), Some(0.0));
        assert_eq!(excess(&[3.0, 3.0, 3.0]), Some(0.0), "nothing is removed");
    }

    #[test]
    fn resolution_follows_the_energies_that_cancel_each_other() {
        let columns =
            [vec![Some(0.0), Some(1.0)], vec![Some(-4.0), Some(f64::NAN)], vec![Some(4.0), None]];
        assert_eq!(largest_magnitude(&columns), 8.0);
        let extrema = EnergyExtrema { magnitude: 8.0, ..EnergyExtrema::default() };
        assert_eq!(extrema.resolution(2.0, 0.0), 8e-9);
        assert_eq!(extrema.resolution(2.0, 1e-3), 8e-9 + 1e-6);
    }

    #[test]
    fn losses_and_energies_that_are_not_finite_are_no_gain() {
        let lossy = [[0.0, 5.0, 0.0, 0.0, 0.0], [1.0, 4.0, 0.0, 0.0, 0.0]];
        let expected = EnergyExtrema { kinetic: 1.0, ..EnergyExtrema::default() };
        assert_eq!(extrema(&lossy), expected);
        let exploded = [[0.0, 1.0, 0.0, 0.0, 0.0], [f64::INFINITY, f64::INFINITY, 0.0, 0.0, 0.0]];
        assert_eq!(extrema(&exploded), EnergyExtrema::default());
    }
}
