//! Summary statistics of numbers.

/// Minimum, median and maximum of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Minimum.
    pub smallest: f64,
    /// Median; the upper one of an even number of values.
    pub median: f64,
    /// Maximum.
    pub largest: f64,
}

impl Spread {
    /// Measures `values`; `None` if there are none. Costs a selection.
    pub fn new(mut values: Vec<f64>) -> Option<Self> {
        let smallest = values.iter().copied().min_by(f64::total_cmp)?;
        let largest = values.iter().copied().max_by(f64::total_cmp)?;
        let middle = values.len() / 2;
        let (_, &mut median, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
        Some(Self { smallest, median, largest })
    }
}

/// A histogram with bins of equal width, from zero up.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Width of each bin.
    pub width: f64,
    /// Number of values per bin; bin `k` begins at `k * width`. Negative values are in the first bin and
    /// values beyond the end in the last.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Counts `values` in `bin_count` bins (at least one) of this width. NaN is in the first bin.
    pub fn new(values: &[f64], width: f64, bin_count: usize) -> Self {
        let mut counts = vec![0; bin_count.max(1)];
        let last = counts.len() - 1;
        for value in values {
            // A negative number or NaN becomes 0; a huge number saturates.
            counts[((value / width) as usize).min(last)] += 1;
        }
        Self { width, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_puts_every_value_into_one_bin() {
        let values = [-1.0, 0.0, 4.999, 5.0, 9.0, 14.0, 1e300, f64::NAN];
        assert_eq!(Histogram::new(&values, 5.0, 3).counts, [4, 2, 2]);
        assert_eq!(Histogram::new(&[], 5.0, 2).counts, [0, 0]);
    }

    #[test]
    fn spread_reports_minimum_median_and_maximum() {
        let spread = Spread::new(vec![3.0, -1.0, 7.0, 2.0, 2.5]).unwrap();
        assert_eq!((spread.smallest, spread.median, spread.largest), (-1.0, 2.5, 7.0));
        assert_eq!(Spread::new(Vec::new()), None);
    }
}
