//! Smooth minimum of several numbers.

/// The solution `m` of `sum max(0, m + radius - a_i)^2 = radius^2`; infinity for an empty list.
///
/// With `b_i = a_i - radius` and the `n` smallest of them active this is a quadratic equation. Its root above
/// all active `b_i` is `mean + sqrt((radius^2 - sum (b_i - mean)^2) / n)`. Numbers are activated in ascending
/// order while they lie below the current root; each lowers the root.
pub(super) fn smooth_minimum(radius: f64, values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let Some(&first) = values.first() else { return f64::INFINITY };
    // Values are relative to the smallest, so that nothing cancels far from the shape.
    let (mut root, mut sum, mut squares) = (radius, 0.0, 0.0);
    for (active, value) in values.iter().enumerate().skip(1) {
        let excess = value - first;
        // NaN sorts last.
        if excess.is_nan() || excess >= root {
            break;
        }
        let count = (active + 1) as f64;
        sum += excess;
        squares += excess * excess;
        let mean = sum / count;
        let spread = (squares - sum * mean).max(0.0);
        root = mean + ((radius * radius - spread).max(0.0) / count).sqrt();
    }
    first + (root - radius)
}
