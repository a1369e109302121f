//! Which pairs of colliders meet, and how rough they are to each other.

/// Whether a pair of colliders is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// The pair is kept apart by the barrier.
    Collides,
    /// The pair passes through each other.
    Ignored,
}

/// What holds for each unordered pair of colliders, a collider with itself included.
/// Colliders (bodies and obstacles) are numbered by the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    colliders: usize,
    entries: Vec<(Meeting, f64)>,
}

impl PairTable {
    /// A table for `colliders` colliders that all collide, without friction.
    pub fn new(colliders: usize) -> Self {
        Self { colliders, entries: vec![(Meeting::Collides, 0.0); colliders * colliders] }
    }

    /// Number of colliders.
    pub fn colliders(&self) -> usize {
        self.colliders
    }

    /// Says whether `a` and `b` collide. Panics if there is no such collider.
    pub fn set_meeting(&mut self, a: usize, b: usize, meeting: Meeting) {
        for at in self.places(a, b) {
            self.entries[at].0 = meeting;
        }
    }

    /// Sets the Coulomb coefficient (dimensionless, at least 0) between `a` and `b`.
    /// Panics if there is no such collider.
    pub fn set_friction(&mut self, a: usize, b: usize, mu: f64) {
        for at in self.places(a, b) {
            self.entries[at].1 = mu;
        }
    }

    /// Whether `a` and `b` collide.
    pub fn collide(&self, a: usize, b: usize) -> bool {
        self.entries[self.places(a, b)[0]].0 == Meeting::Collides
    }

    /// The Coulomb coefficient between `a` and `b`.
    pub fn friction(&self, a: usize, b: usize) -> f64 {
        self.entries[self.places(a, b)[0]].1
    }

    fn places(&self, a: usize, b: usize) -> [usize; 2] {
        assert!(
            a < self.colliders && b < self.colliders,
            "colliders {a} and {b} of {}",
            self.colliders
        );
        [a * self.colliders + b, b * self.colliders + a]
    }
}
