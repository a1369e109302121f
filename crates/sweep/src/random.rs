//! Reproducible random numbers.

/// The generator `SplitMix64` (Steele, Lea, Flood 2014): it gives the same numbers on every machine and in
/// every version of the program.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniformly distributed number in [0, 1), a multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniformly distributed permutation of 0..n (Fisher and Yates).
    pub(crate) fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, (self.unit() * (last + 1) as f64) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_equal_the_reference_implementation() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [(); 5].map(|()| random.next());
        let reference = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(numbers, reference);
    }

    #[test]
    fn all_permutations_occur_equally_often() {
        let (mut random, mut counts) = (SplitMix64::new(7), [0u32; 6]);
        for _ in 0..6000 {
            let order = random.permutation(3);
            counts[2 * order[0] + usize::from(order[1] > order[2])] += 1;
        }
        // Five standard deviations of a binomial distribution.
        let far = 5.0 * f64::sqrt(6000.0 * (1.0 / 6.0) * (5.0 / 6.0));
        assert!(counts.iter().all(|&count| (f64::from(count) - 1000.0).abs() < far), "{counts:?}");
    }
}
