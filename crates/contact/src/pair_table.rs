//! The collision filter: which pairs of colliders collide, and how rough they are to each other.
//!
//! A scene may hold thousands of bodies and names few of them in its rules, so rules are
//! kept between *classes* of colliders that behave alike: the copies of a repeated body are
//! one class. A table with an entry for each pair of bodies grows with their square.

/// Whether a pair of colliders is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollisionFilter {
    /// The pair is kept apart by the barrier.
    Collides,
    /// The pair passes through each other.
    Ignored,
}

/// What holds for each unordered pair of colliders, a collider with itself included.
/// Colliders (bodies and obstacles) are numbered by the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// The class of each collider.
    classes: Vec<u32>,
    count: usize,
    /// For each two classes, `count` to a row.
    entries: Vec<(CollisionFilter, f64)>,
    /// Whether a collider of each class collides with itself.
    own: Vec<CollisionFilter>,
}

impl PairTable {
    /// A table for `colliders` colliders that all collide, without friction, each in a
    /// class of its own, which has its number.
    pub fn new(colliders: usize) -> Self {
        Self::of_classes((0..colliders as u32).collect())
    }

    /// A table for colliders of these classes that all collide, without friction. Takes
    /// 16 bytes for each two classes, so these should be few, and numbered without gaps.
    pub fn of_classes(classes: Vec<u32>) -> Self {
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        let entries = vec![(CollisionFilter::Collides, 0.0); count * count];
        Self { classes, count, entries, own: vec![CollisionFilter::Collides; count] }
    }

    /// Number of colliders.
    pub fn colliders(&self) -> usize {
        self.classes.len()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.count
    }

    /// Says whether colliders of the classes `a` and `b` collide; if both are the same
    /// class, its colliders with each other and with themselves. Panics if there is no such
    /// class.
    pub fn set_filter(&mut self, a: usize, b: usize, filter: CollisionFilter) {
        for at in self.places(a, b) {
            self.entries[at].0 = filter;
        }
    }

    /// Says whether each collider of `class` collides with itself, if its class does not
    /// ignore itself altogether. Panics if there is no such class.
    pub fn set_self_filter(&mut self, class: usize, filter: CollisionFilter) {
        self.own[class] = filter;
    }

    /// Sets the Coulomb coefficient (dimensionless, at least 0) between colliders of the
    /// classes `a` and `b`. Panics if there is no such class.
    pub fn set_friction(&mut self, a: usize, b: usize, mu: f64) {
        for at in self.places(a, b) {
            self.entries[at].1 = mu;
        }
    }

    /// Whether the colliders `a` and `b` collide. Panics if there is no such collider.
    pub fn collide(&self, a: usize, b: usize) -> bool {
        let [class, other] = self.classes_of(a, b);
        let own = a != b || self.own[class] == CollisionFilter::Collides;
        own && self.entries[self.places(class, other)[0]].0 == CollisionFilter::Collides
    }

    /// The Coulomb coefficient between the colliders `a` and `b`.
    pub fn friction(&self, a: usize, b: usize) -> f64 {
        let [class, other] = self.classes_of(a, b);
        self.entries[self.places(class, other)[0]].1
    }

    /// Whether no pair has friction. O(classes^2).
    pub fn is_frictionless(&self) -> bool {
        self.entries.iter().all(|entry| entry.1 == 0.0)
    }

    fn classes_of(&self, a: usize, b: usize) -> [usize; 2] {
        [a, b].map(|collider| self.classes[collider] as usize)
    }

    fn places(&self, a: usize, b: usize) -> [usize; 2] {
        assert!(a < self.count && b < self.count, "classes {a} and {b} of {}", self.count);
        [a * self.count + b, b * self.count + a]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_classes_holds_for_their_colliders() {
        let mut table = PairTable::of_classes(vec![0, 1, 0, 2, 1]);
        assert_eq!((table.colliders(), table.classes()), (5, 3));
        table.set_filter(2, 0, CollisionFilter::Ignored);
        table.set_friction(0, 1, 0.5);
        table.set_self_filter(1, CollisionFilter::Ignored);
        let ignored = |a: usize, b: usize| match [a, b].map(|c| [0, 1, 0, 2, 1][c]) {
            [0, 2] | [2, 0] => true,
            _ => a == b && (a == 1 || a == 4),
        };
        for a in 0..5 {
            for b in 0..5 {
                assert_eq!(table.collide(a, b), !ignored(a, b), "{a} {b}");
                let rough = [a, b].iter().filter(|&&c| c == 0 || c == 2).count() == 1
                    && [a, b].iter().any(|&c| c == 1 || c == 4);
                assert_eq!(table.friction(a, b), if rough { 0.5 } else { 0.0 }, "{a} {b}");
            }
        }
        table.set_filter(1, 1, CollisionFilter::Ignored);
        assert!(!table.collide(1, 4) && !table.collide(4, 4));
        assert!(!table.is_frictionless());
        table.set_friction(1, 0, 0.0);
        assert!(table.is_frictionless());
    }
}
