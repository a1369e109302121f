//! Places along a rod where its material frames may wind by another whole turn.

use std::f64::consts::TAU;
use std::ops::Range;

/// Largest modulus at a weak place, relative to the largest ones on both sides. On random paths of shapes 0.7 misses no
/// lowest minimum among those of 60 random windings; 0.5 saves a tenth of the iterations.
const MAX_WEAKNESS: f64 = 0.7;

/// Edges around a minimum of the modulus of the linear problem, where fields hardly hold the frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WeakPlace {
    /// The edges between the two neighbouring maxima of the modulus, inclusive of both.
    first: usize,
    last: usize,
}

impl WeakPlace {
    /// Angles (rad) that wind at this place by a whole turn less, in the sense in which they wind now relative to
    /// `untwisted` ones. The edges of the place share the turn; all later edges are rotated by it.
    pub(super) fn rewound(&self, angles: &[f64], untwisted: &[f64]) -> Vec<f64> {
        let relative = |edge: usize| angles[edge] - untwisted[edge];
        let (start, wound) = (relative(self.first), relative(self.last) - relative(self.first));
        let turn = if wound > 0.0 { -TAU } else { TAU };
        let edges = (self.last - self.first) as f64;
        let rewound = |edge: usize| {
            if edge < self.first {
                angles[edge]
            } else if edge > self.last {
                angles[edge] + turn
            } else {
                let fraction = (edge - self.first) as f64 / edges;
                untwisted[edge] + start + fraction * (wound + turn)
            }
        };
        (0..angles.len()).map(rewound).collect()
    }
}

/// The weak places of a rod, given the modulus of the linear problem at each edge. O(edges) plus their lengths.
pub(super) fn weak_places(modulus: &[f64]) -> Vec<WeakPlace> {
    let largest = |edges: Range<usize>| modulus[edges].iter().copied().fold(0.0, f64::max);
    let is_minimum = |j: &usize| modulus[*j] <= modulus[j - 1] && modulus[*j] < modulus[j + 1];
    let inner = 1..modulus.len().saturating_sub(1);
    let minima = inner
        .filter(is_minimum)
        .filter(|&j| modulus[j] < MAX_WEAKNESS * largest(0..j).min(largest(j + 1..modulus.len())));
    let place = |minimum: usize| {
        let rises_before = |j: &usize| modulus[j - 1] >= modulus[*j];
        let rises_after = |j: &usize| j + 1 < modulus.len() && modulus[j + 1] >= modulus[*j];
        let first = (1..=minimum).rev().take_while(rises_before).last().map_or(minimum, |j| j - 1);
        let last = (minimum..).take_while(rises_after).last().map_or(minimum, |j| j + 1);
        WeakPlace { first, last }
    };
    minima.map(place).collect()
}
