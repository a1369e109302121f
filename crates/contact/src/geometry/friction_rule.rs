//! The rule that combines the coefficients of two colliders.

/// Combination rule for the coefficients of two colliders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FrictionRule {
    /// The smaller one.
    #[default]
    Min,
    /// The larger one.
    Max,
    /// Their arithmetic mean.
    Mean,
    /// The square root of their product.
    GeometricMean,
    /// Their product.
    Product,
}

impl FrictionRule {
    /// Coefficient of a pair whose colliders have the coefficients `a` and `b`.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Mean => 0.5 * (a + b),
            Self::GeometricMean => (a * b).sqrt(),
            Self::Product => a * b,
        }
    }

    /// Whether the combination of two coefficients, neither of which is negative, is positive; products may be rounded
    /// to zero.
    pub fn is_positive(self, a: f64, b: f64) -> bool {
        match self {
            Self::Min | Self::GeometricMean | Self::Product => a > 0.0 && b > 0.0,
            Self::Max | Self::Mean => a > 0.0 || b > 0.0,
        }
    }
}
