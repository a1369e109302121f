//! Runge-Kutta methods as data.
//!
//! All of them are *partitioned*: positions and velocities may be advanced by different
//! coefficients. With stages `X_i`, `V_i` and accelerations `K_i = a(X_i, V_i)`,
//!
//! ```text
//! V_i = v_n + h sum_j a_ij K_j        v_n+1 = v_n + h sum_i b_i K_i
//! X_i = x_n + h sum_j p_ij V_j        x_n+1 = x_n + h sum_i q_i V_i
//! ```
//!
//! Rows end at the diagonal. A stage with `a_ii = 0` is explicit, even if `p_ii` is not: its velocity is known before
//! its position, which is what makes symplectic Euler, leapfrog and Forest-Ruth explicit. All other stages are solved.
//! Alternating kicks and drifts form such a tableau: stage `i` has the velocity after the first `i - 1` kicks.

use resile_math::parameters::INPUT_ERROR;

/// Difference of two coefficients, or of sums of coefficients, that counts as rounding. These are of the order of one and
/// have few terms, so it is at most a few epsilons; coefficients that differ by more than 1e-12 differ on purpose.
pub(crate) const COEFFICIENT_ROUNDING: f64 = 1e-12;

/// Argument of the stability function at which it is nearly its limit at minus infinity.
const STIFF_ARGUMENT: f64 = -1e6;

/// The velocity at which explicit stages evaluate friction and damping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damping {
    /// The velocity `V_i` of the stage.
    AtStage,
    /// The velocity at the middle of the kick of the stage. This preserves the order of leapfrog methods and is stable;
    /// it requires the solution of a small system without potentials.
    Centred,
}

/// Coefficients of a partitioned Runge-Kutta method.
#[derive(Debug, Clone, PartialEq)]
pub struct Tableau {
    /// `a`: row `i` holds its entries up to the diagonal.
    pub velocity_rows: Vec<Vec<f64>>,
    /// `b`.
    pub velocity_weights: Vec<f64>,
    /// `p`.
    pub position_rows: Vec<Vec<f64>>,
    /// `q`.
    pub position_weights: Vec<f64>,
    /// Point at which explicit stages evaluate friction and damping.
    pub damping: Damping,
}

/// Invalid coefficients.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableauError {
    /// The tableau is empty.
    #[error("the tableau has no stage")]
    Empty,
    /// The table of coefficients is not triangular.
    #[error(
        "row {row} of `a` has {found} entries, and needs {expected} or as many as there are rows"
    )]
    RowLength {
        /// The row, from one.
        row: usize,
        /// Its entries.
        found: usize,
        /// Entries up to the diagonal.
        expected: usize,
    },
    /// A stage depends on later stages.
    #[error("row {row} of `a` has an entry above the diagonal: stages must be solvable in turn")]
    NotTriangular {
        /// The row, from one.
        row: usize,
    },
    /// The number of weights differs from the number of stages.
    #[error("`b` has {found} weights for {stages} stages")]
    WeightCount {
        /// Weights given.
        found: usize,
        /// Rows given.
        stages: usize,
    },
    /// The method does not reproduce uniform motion.
    #[error("the weights `b` sum up to {sum}, not to one: the method is not consistent")]
    Inconsistent {
        /// Their sum.
        sum: f64,
    },
    /// The stage has no solution for large steps.
    #[error("the diagonal entry {entry} of row {row} of `a` is negative")]
    Diagonal {
        /// The row, from one.
        row: usize,
        /// The entry.
        entry: f64,
    },
    /// An entry is infinite or not a number.
    #[error("row {row} of `a`, or `b`, has an entry that is not a finite number")]
    NotFinite {
        /// The row, from one; for `b` the number of rows plus one.
        row: usize,
    },
    /// A stage of the adjoint would have a negative step.
    #[error(
        "the adjoint has the diagonal entry {entry}: a decoupled method needs \
         a[{row}][{row}] <= b[{row}]"
    )]
    NegativeAdjoint {
        /// The row, from one.
        row: usize,
        /// The entry.
        entry: f64,
    },
    /// The stages of the adjoint cannot be solved one after the other.
    #[error(
        "the adjoint couples the stages {row} and {column}: a decoupled method needs \
         a[{row}][{column}] = b[{column}] below the diagonal"
    )]
    CoupledAdjoint {
        /// The row, from one.
        row: usize,
        /// The column, from one.
        column: usize,
    },
}

/// Checks that each row of coefficients ends at the diagonal, that all entries and weights are finite, and that the
/// weights sum to one. Rows in errors are counted from one.
fn check_entries(rows: &[Vec<f64>], weights: &[f64]) -> Result<(), TableauError> {
    for (row, entries) in (1..).zip(rows) {
        if entries.len() != row {
            return Err(TableauError::RowLength { row, found: entries.len(), expected: row });
        }
    }
    let rows_and_weights = rows.iter().map(Vec::as_slice).chain([weights]);
    if let Some(row) =
        rows_and_weights.clone().position(|list| !list.iter().all(|entry| entry.is_finite()))
    {
        return Err(TableauError::NotFinite { row: row + 1 });
    }
    let sum: f64 = weights.iter().sum();
    match (sum - 1.0).abs() > INPUT_ERROR {
        true => Err(TableauError::Inconsistent { sum }),
        false => Ok(()),
    }
}

impl Tableau {
    /// A Butcher tableau, explicit or diagonally implicit, whose coefficients apply to positions and velocities. Rows
    /// may end at the diagonal or be complete.
    ///
    /// # Errors
    /// If the coefficients do not define a consistent method of that kind.
    pub fn butcher(a: &[Vec<f64>], b: &[f64]) -> Result<Self, TableauError> {
        let stages = a.len();
        if stages == 0 {
            return Err(TableauError::Empty);
        }
        if b.len() != stages {
            return Err(TableauError::WeightCount { found: b.len(), stages });
        }
        let is_finite = |list: &[f64]| list.iter().all(|entry| entry.is_finite());
        if let Some(row) = a.iter().map(Vec::as_slice).chain([b]).position(|list| !is_finite(list))
        {
            return Err(TableauError::NotFinite { row: row + 1 });
        }
        let mut rows = Vec::new();
        for (i, row) in a.iter().enumerate() {
            let (row_number, expected) = (i + 1, i + 1);
            // An explicit tableau is often written without its zero diagonal.
            if row.len() != i && row.len() != expected && row.len() != stages {
                return Err(TableauError::RowLength {
                    row: row_number,
                    found: row.len(),
                    expected,
                });
            }
            if row.iter().skip(expected).any(|entry| *entry != 0.0) {
                return Err(TableauError::NotTriangular { row: row_number });
            }
            let entry = row.get(i).copied().unwrap_or(0.0);
            if entry < 0.0 {
                return Err(TableauError::Diagonal { row: row_number, entry });
            }
            rows.push((0..expected).map(|j| row.get(j).copied().unwrap_or(0.0)).collect());
        }
        let sum: f64 = b.iter().sum();
        if (sum - 1.0).abs() > INPUT_ERROR {
            return Err(TableauError::Inconsistent { sum });
        }
        Ok(Self::new(rows, b))
    }

    /// Checks that the tableau defines a method: finite rows up to the diagonal, stages that can be solved in order,
    /// and weights that sum to one.
    ///
    /// # Errors
    /// The first error found; rows are counted from one, for positions and velocities alike.
    pub fn check(&self) -> Result<(), TableauError> {
        let stages = self.stages();
        if stages == 0 {
            return Err(TableauError::Empty);
        }
        let tables = [
            (&self.velocity_rows, &self.velocity_weights),
            (&self.position_rows, &self.position_weights),
        ];
        for (rows, weights) in tables {
            if rows.len() != stages || weights.len() != stages {
                let found = if weights.len() == stages { rows.len() } else { weights.len() };
                return Err(TableauError::WeightCount { found, stages });
            }
            check_entries(rows, weights)?;
        }
        let diagonal = |i: usize| self.velocity_rows[i][i];
        if let Some(i) = (0..stages).find(|&i| diagonal(i) < 0.0) {
            return Err(TableauError::Diagonal { row: i + 1, entry: diagonal(i) });
        }
        let is_implicit = |i: &usize| diagonal(*i) != 0.0;
        let is_negative = |i: &usize| self.position_rows[*i][*i] < 0.0;
        match (0..stages).filter(is_implicit).find(is_negative) {
            Some(i) => Err(TableauError::Diagonal { row: i + 1, entry: self.position_rows[i][i] }),
            None => Ok(()),
        }
    }

    /// A tableau with the same coefficients for positions and velocities. Rows end at the diagonal; nothing is checked.
    fn new(rows: Vec<Vec<f64>>, b: &[f64]) -> Self {
        Self {
            position_rows: rows.clone(),
            position_weights: b.to_vec(),
            velocity_rows: rows,
            velocity_weights: b.to_vec(),
            damping: Damping::AtStage,
        }
    }

    /// A built-in tableau with the same coefficients for positions and velocities, which is known to be valid.
    pub(crate) fn known(a: &[&[f64]], b: &[f64]) -> Self {
        Self::new(a.iter().map(|row| row.to_vec()).collect(), b)
    }

    /// A built-in tableau with the coefficients `a`, `b` for velocities and `p`, `q` for positions.
    pub(crate) fn partitioned(a: &[&[f64]], b: &[f64], p: &[&[f64]], q: &[f64]) -> Self {
        let positions = Self::known(p, q);
        Self {
            position_rows: positions.position_rows,
            position_weights: q.to_vec(),
            ..Self::known(a, b)
        }
    }

    /// Alternating drifts and kicks, with their lengths as fractions of the step: `drift[i]` precedes `kick[i]`. A
    /// `drift` with one entry more than `kick` ends the step with a drift.
    pub(crate) fn drift_kick(drift: &[f64], kick: &[f64]) -> Self {
        let stages = drift.len().max(kick.len());
        let coefficient =
            |coefficients: &[f64], i: usize| coefficients.get(i).copied().unwrap_or(0.0);
        let row = |coefficients: &[f64], i: usize, has_diagonal: bool| -> Vec<f64> {
            (0..=i)
                .map(|j| if j < i || has_diagonal { coefficient(coefficients, j) } else { 0.0 })
                .collect()
        };
        Self {
            velocity_rows: (0..stages).map(|i| row(kick, i, false)).collect(),
            velocity_weights: (0..stages).map(|i| coefficient(kick, i)).collect(),
            position_rows: (0..stages).map(|i| row(drift, i, true)).collect(),
            position_weights: (0..stages).map(|i| coefficient(drift, i)).collect(),
            damping: Damping::Centred,
        }
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.velocity_weights.len()
    }

    /// Whether no stage has to be solved for.
    pub fn is_explicit(&self) -> bool {
        (0..self.stages()).all(|i| self.velocity_rows[i][i] == 0.0)
    }

    /// The order, up to four, of a method with the same coefficients for positions and velocities, by the conditions of
    /// Butcher's trees (Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations I*, section II.2).
    pub fn order(&self) -> u32 {
        let (a, b, stages) = (&self.velocity_rows, &self.velocity_weights, self.stages());
        let times_a = |y: &[f64]| -> Vec<f64> {
            a.iter().map(|row| row.iter().zip(y).map(|(a, y)| a * y).sum()).collect()
        };
        let product =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x * y).collect() };
        let satisfies = |y: &[f64], value: f64| {
            let sum: f64 = b.iter().zip(y).map(|(b, y)| b * y).sum();
            (sum - value).abs() < INPUT_ERROR
        };
        // In the notation of the conditions: c = a e with e = (1, ..., 1), and products by component.
        let c = times_a(&vec![1.0; stages]);
        let (c2, ac) = (product(&c, &c), times_a(&c));
        let has_order_2 = satisfies(&c, 1.0 / 2.0);
        let has_order_3 = satisfies(&c2, 1.0 / 3.0) && satisfies(&ac, 1.0 / 6.0);
        let has_order_4 = satisfies(&product(&c2, &c), 1.0 / 4.0)
            && satisfies(&product(&c, &ac), 1.0 / 8.0)
            && satisfies(&times_a(&c2), 1.0 / 12.0)
            && satisfies(&times_a(&ac), 1.0 / 24.0);
        match [has_order_2, has_order_3, has_order_4] {
            [false, ..] => 1,
            [_, false, _] => 2,
            [.., false] => 3,
            [.., true] => 4,
        }
    }

    /// Abscissa of stage `i`: its time as a fraction of the step.
    pub fn abscissa(&self, i: usize) -> f64 {
        self.position_rows[i].iter().sum()
    }

    /// The stability function `R(z)` at [`STIFF_ARGUMENT`] (Hairer and Wanner II, eq. IV.3.2).
    pub(crate) fn growth_when_stiff(&self) -> f64 {
        let z = STIFF_ARGUMENT;
        let mut stage_values: Vec<f64> = Vec::new();
        for (i, row) in self.velocity_rows.iter().enumerate() {
            let explicit_sum: f64 =
                row[..i].iter().zip(&stage_values).map(|(a, value)| a * value).sum();
            stage_values.push((1.0 + z * explicit_sum) / (1.0 - z * row[i]));
        }
        let weighted_sum: f64 =
            self.velocity_weights.iter().zip(&stage_values).map(|(b, value)| b * value).sum();
        1.0 + z * weighted_sum
    }

    /// Whether the end of the step has the position of the last stage, and a force is evaluated there.
    pub(crate) fn ends_at_its_last_stage(&self) -> bool {
        self.position_rows.last() == Some(&self.position_weights)
            && self.needs_acceleration(self.stages() - 1)
    }

    /// Whether the acceleration of stage `i` is used.
    pub(crate) fn needs_acceleration(&self, i: usize) -> bool {
        self.velocity_weights[i] != 0.0
            || self.velocity_rows[i + 1..].iter().any(|row| row[i] != 0.0)
    }

    /// The adjoint method `(e b^T - a, b)` (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, II.3), with its
    /// stages in reverse order.
    ///
    /// # Errors
    /// If its stages cannot be solved one after the other.
    pub fn adjoint(&self) -> Result<Self, TableauError> {
        let (stages, b) = (self.stages(), &self.velocity_weights);
        for (i, row) in self.velocity_rows.iter().enumerate() {
            if let Some(j) = (0..i).find(|&j| (row[j] - b[j]).abs() > COEFFICIENT_ROUNDING) {
                return Err(TableauError::CoupledAdjoint { row: i + 1, column: j + 1 });
            }
        }
        // The entries of `e b^T - a`, with the stages in the order of this tableau.
        let coefficient =
            |i: usize, j: usize| if j > i { b[j] } else { b[j] - self.velocity_rows[i][j] };
        let rows: Vec<Vec<f64>> = (0..stages)
            .map(|i| (0..=i).map(|j| coefficient(stages - 1 - i, stages - 1 - j)).collect())
            .collect();
        if let Some(i) = (0..stages).find(|&i| rows[i][i] < 0.0) {
            return Err(TableauError::NegativeAdjoint { row: stages - i, entry: rows[i][i] });
        }
        let weights: Vec<f64> = b.iter().rev().copied().collect();
        Ok(Self::new(rows, &weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_tableaux_are_rejected() {
        let make = |a: &[&[f64]], b: &[f64]| {
            Tableau::butcher(&a.iter().map(|r| r.to_vec()).collect::<Vec<_>>(), b).unwrap_err()
        };
        assert_eq!(make(&[], &[]), TableauError::Empty);
        assert_eq!(
            make(&[&[0.5, 0.5], &[0.5, 0.5]], &[0.5, 0.5]),
            TableauError::NotTriangular { row: 1 }
        );
        assert_eq!(make(&[&[1.0]], &[0.5]), TableauError::Inconsistent { sum: 0.5 });
        assert_eq!(make(&[&[1.0]], &[0.5, 0.5]), TableauError::WeightCount { found: 2, stages: 1 });
        assert_eq!(make(&[&[-1.0]], &[1.0]), TableauError::Diagonal { row: 1, entry: -1.0 });
        let expected = TableauError::RowLength { row: 3, found: 1, expected: 3 };
        assert_eq!(make(&[&[0.0], &[0.5], &[1.0]], &[0.0, 0.5, 0.5]), expected);
    }

    #[test]
    fn adjoint_tableaux_equal_the_literature() {
        let gamma = 1.0 - 0.5f64.sqrt();
        let sdirk = Tableau::known(&[&[gamma], &[1.0 - gamma, gamma]], &[1.0 - gamma, gamma]);
        let adjoint = sdirk.adjoint().unwrap();
        assert_eq!(adjoint.velocity_rows[0], [0.0]);
        assert!((adjoint.velocity_rows[1][0] - gamma).abs() < 1e-15);
        assert!((adjoint.velocity_rows[1][1] - (1.0 - 2.0 * gamma)).abs() < 1e-15);
        assert_eq!(adjoint.adjoint().unwrap().velocity_weights, sdirk.velocity_weights);
        let implicit_euler = Tableau::known(&[&[1.0]], &[1.0]);
        assert_eq!(implicit_euler.adjoint().unwrap(), Tableau::known(&[&[0.0]], &[1.0]));
        let bathe = Tableau::known(
            &[&[0.0], &[0.25, 0.25], &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]],
            &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
        );
        assert_eq!(
            bathe.adjoint().unwrap_err(),
            TableauError::CoupledAdjoint { row: 2, column: 1 }
        );
    }
}
