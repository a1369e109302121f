//! The energy that an integrator adds.

use resile_record::{Columns, OutputError};
use std::path::Path;

/// Extrema of the energies (J) of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct EnergyExtrema {
    /// The largest error `total - start - work + heat + rest loss` at the end of any step; at least zero.
    pub(super) gained: f64,
    /// The largest kinetic energy.
    pub(super) kinetic: f64,
}

impl EnergyExtrema {
    /// The extrema over all rows of a history. Energies that are not finite count as missing.
    ///
    /// # Errors
    /// If the history cannot be read.
    pub(super) fn read(history: &Path) -> Result<Self, OutputError> {
        let columns = ["kinetic", "total", "dissipated", "rest_loss", "external_work"];
        Ok(Self::of_rows(Columns::read(history)?.select(columns)?))
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
        assert_eq!(extrema(&rows), EnergyExtrema { gained: 0.75, kinetic: 3.0 });
    }

    #[test]
    fn losses_and_energies_that_are_not_finite_are_no_gain() {
        let lossy = [[0.0, 5.0, 0.0, 0.0, 0.0], [1.0, 4.0, 0.0, 0.0, 0.0]];
        assert_eq!(extrema(&lossy), EnergyExtrema { gained: 0.0, kinetic: 1.0 });
        let exploded = [[0.0, 1.0, 0.0, 0.0, 0.0], [f64::INFINITY, f64::INFINITY, 0.0, 0.0, 0.0]];
        assert_eq!(extrema(&exploded), EnergyExtrema::default());
    }
}
