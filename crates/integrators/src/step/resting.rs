//! Criteria by which bodies rest.

/// The criterion by which a body rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// The speed of the body is below the one that its own forces produce in one step.
    Slow,
    /// The velocities of the body were unresolved vibrations for a whole period.
    Unresolved,
}

impl Rest {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Unresolved => "unresolved",
        }
    }
}
