//! How numbers are spread.

/// Smallest, middle and largest of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest.
    pub smallest: f64,
    /// As many are below as above.
    pub median: f64,
    /// The largest.
    pub largest: f64,
}

impl Spread {
    /// `None` of no numbers. Costs a selection.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        let smallest = values.iter().copied().min_by(f64::total_cmp)?;
        let largest = values.iter().copied().max_by(f64::total_cmp)?;
        let middle = values.len() / 2;
        let (_, &mut median, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
        Some(Self { smallest, median, largest })
    }
}

/// How many of some numbers lie in each of several ranges of one width, from zero up.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The width of each range.
    pub width: f64,
    /// How many numbers are in each; range `k` begins at `k * width`. What is below
    /// zero is in the first, and what is beyond the end in the last.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Sorts `values` into `ranges` ranges, of which there is at least one.
    pub fn new(values: &[f64], width: f64, ranges: usize) -> Self {
        let mut counts = vec![0; ranges.max(1)];
        let last = counts.len() - 1;
        for value in values {
            // A negative number or NaN becomes 0, a huge one the largest number.
            counts[((value / width) as usize).min(last)] += 1;
        }
        Self { width, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_one_range() {
        let values = [-1.0, 0.0, 4.999, 5.0, 9.0, 14.0, 1e300, f64::NAN];
        assert_eq!(Histogram::new(&values, 5.0, 3).counts, [4, 2, 2]);
        assert_eq!(Histogram::new(&[], 5.0, 2).counts, [0, 0]);
    }

    #[test]
    fn a_spread_is_smallest_middle_and_largest() {
        let spread = Spread::of(vec![3.0, -1.0, 7.0, 2.0, 2.5]).unwrap();
        assert_eq!((spread.smallest, spread.median, spread.largest), (-1.0, 2.5, 7.0));
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
