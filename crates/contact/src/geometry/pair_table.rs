//! Collision filter and contact parameters of pairs of colliders.
//!
//! A scene holds many colliders and few exceptions. The table therefore stores one rule for all pairs, one value
//! per collider, and an ordered list of exceptions. Its size is linear in the numbers of colliders and exceptions,
//! not in the number of pairs.

use super::friction_rule::FrictionRule;
use super::pair_exceptions::Exceptions;
pub use super::pair_exceptions::Side;

/// Whether a pair of colliders can collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollisionFilter {
    /// The barrier keeps the pair apart.
    Collides,
    /// The colliders pass through each other.
    Ignored,
}

/// Parameters of each unordered pair of colliders, including pairs of a collider with itself. Colliders (bodies and
/// obstacles) are numbered by the scene.
///
/// If several exceptions apply to a pair, the last one set takes precedence.
///
/// ```
/// use resile_contact::{CollisionFilter, FrictionRule, PairTable, Side};
///
/// // Three dice of one group on a floor.
/// let mut pairs = PairTable::of_groups(vec![0, 0, 0, 1])
///     .with_friction(FrictionRule::Min, vec![0.5, 0.5, 0.5, 0.3]);
/// pairs.set_friction(0, 0, 0.1);
/// pairs.set_filter(Side::Collider(2), 1, CollisionFilter::Ignored);
/// assert_eq!((pairs.friction(0, 1), pairs.friction(0, 3)), (0.1, 0.3));
/// assert!(pairs.collide(1, 3) && !pairs.collide(2, 3));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// Group of each collider.
    groups: Vec<u32>,
    /// Coefficient of friction of each collider.
    coefficients: Vec<f64>,
    rule: FrictionRule,
    /// Whether colliders collide with themselves.
    self_filter: CollisionFilter,
    filters: Exceptions<CollisionFilter>,
    frictions: Exceptions<f64>,
    /// Number of positive coefficients of friction, of colliders and of exceptions.
    positive_coefficients: usize,
    /// Coefficient of static friction of each collider that has its own; empty if none has.
    static_coefficients: Vec<Option<f64>>,
    static_frictions: Exceptions<f64>,
    /// Coefficient of restitution of each collider; empty if none has one.
    restitution: Vec<Option<f64>>,
    restitution_rule: FrictionRule,
    restitutions: Exceptions<f64>,
    /// Contact damping of each collider (s); empty if none has one.
    damping: Vec<Option<f64>>,
    dampings: Exceptions<f64>,
    /// Coefficient of rolling friction (m) of each collider with an angular velocity or at rest; empty if no pair
    /// has one.
    rolling: Vec<Option<f64>>,
    rollings: Exceptions<f64>,
}

impl PairTable {
    /// A table for `colliders` colliders that all collide, without friction. Each collider is a group of its own,
    /// with the same number.
    pub fn new(colliders: usize) -> Self {
        Self::of_groups((0..colliders as u32).collect())
    }

    /// A table for colliders in these groups that all collide, without friction.
    pub fn of_groups(groups: Vec<u32>) -> Self {
        Self {
            coefficients: vec![0.0; groups.len()],
            groups,
            rule: FrictionRule::default(),
            self_filter: CollisionFilter::Collides,
            filters: Exceptions::default(),
            frictions: Exceptions::default(),
            positive_coefficients: 0,
            static_coefficients: Vec::new(),
            static_frictions: Exceptions::default(),
            restitution: Vec::new(),
            restitution_rule: FrictionRule::Min,
            restitutions: Exceptions::default(),
            damping: Vec::new(),
            dampings: Exceptions::default(),
            rolling: Vec::new(),
            rollings: Exceptions::default(),
        }
    }

    /// Sets the Coulomb coefficients (dimensionless, at least 0) of the colliders and the `rule` that combines them
    /// for pairs.
    ///
    /// # Panics
    /// If there is not one coefficient for each collider.
    #[must_use]
    pub fn with_friction(self, rule: FrictionRule, coefficients: Vec<f64>) -> Self {
        assert_eq!(coefficients.len(), self.groups.len(), "a coefficient for each collider");
        let positive = |all: &[f64]| all.iter().filter(|&&mu| mu > 0.0).count();
        let positive_coefficients =
            self.positive_coefficients - positive(&self.coefficients) + positive(&coefficients);
        Self { rule, coefficients, positive_coefficients, ..self }
    }

    /// Sets the coefficients of static friction (dimensionless) of the colliders, combined by the rule of friction.
    /// Default: the collider's coefficient of friction.
    ///
    /// # Panics
    /// If there is not one entry for each collider.
    #[must_use]
    pub fn with_static_friction(self, coefficients: Vec<Option<f64>>) -> Self {
        assert_eq!(coefficients.len(), self.groups.len(), "an entry for each collider");
        let is_set = coefficients.iter().any(Option::is_some);
        Self { static_coefficients: if is_set { coefficients } else { Vec::new() }, ..self }
    }

    /// Sets the coefficient of static friction (dimensionless) between the colliders of both sides.
    pub fn set_static_friction(&mut self, a: impl Into<Side>, b: impl Into<Side>, mu: f64) {
        self.static_frictions.set([a.into(), b.into()], mu);
    }

    /// Coefficient of static friction between the colliders `a` and `b`, at least the coefficient of friction.
    /// O(log n) for n exceptions. Panics if there is no such collider. An exception for friction alone also applies
    /// to static friction.
    pub fn static_friction(&self, a: usize, b: usize) -> f64 {
        let kinetic = self.friction(a, b);
        if !self.has_static_friction() {
            return kinetic;
        }
        let sides = [self.sides(a), self.sides(b)];
        let coefficient = |k: usize| {
            self.static_coefficients.get(k).copied().flatten().unwrap_or(self.coefficients[k])
        };
        let by_rule = || match self.frictions.last_value(sides[0], sides[1]) {
            Some(_) => kinetic,
            None => self.rule.combine(coefficient(a), coefficient(b)),
        };
        self.static_frictions.last_value(sides[0], sides[1]).unwrap_or_else(by_rule).max(kinetic)
    }

    /// Whether the static and kinetic coefficients of any pair may differ. O(1).
    pub fn has_static_friction(&self) -> bool {
        !self.static_coefficients.is_empty() || !self.static_frictions.is_empty()
    }

    /// Sets the coefficients of restitution (dimensionless, from 0 to 1) of the colliders and the `rule` that
    /// combines them. If only one collider of a pair has a coefficient, it applies to the pair.
    ///
    /// # Panics
    /// If there is not one entry for each collider.
    #[must_use]
    pub fn with_restitution(self, rule: FrictionRule, coefficients: Vec<Option<f64>>) -> Self {
        assert_eq!(coefficients.len(), self.groups.len(), "an entry for each collider");
        let is_set = coefficients.iter().any(Option::is_some);
        let restitution = if is_set { coefficients } else { Vec::new() };
        Self { restitution, restitution_rule: rule, ..self }
    }

    /// Sets the coefficient of restitution (dimensionless, from 0 to 1) between the colliders of both sides.
    pub fn set_restitution(&mut self, a: impl Into<Side>, b: impl Into<Side>, e: f64) {
        self.restitutions.set([a.into(), b.into()], e);
    }

    /// Coefficient of restitution between the colliders `a` and `b`, if they have one. O(log n) for n exceptions.
    /// Panics if there is no such collider.
    pub fn restitution(&self, a: usize, b: usize) -> Option<f64> {
        let by_rule = || {
            let coefficient = |k: usize| self.restitution.get(k).copied().flatten();
            match (coefficient(a), coefficient(b)) {
                (Some(a), Some(b)) => Some(self.restitution_rule.combine(a, b)),
                (a, b) => a.or(b),
            }
        };
        self.restitutions.last_value(self.sides(a), self.sides(b)).or_else(by_rule)
    }

    /// Whether any pair may have a coefficient of restitution. O(1).
    pub fn has_restitution(&self) -> bool {
        !self.restitution.is_empty() || !self.restitutions.is_empty()
    }

    /// Sets the contact damping (s, at least 0) of the colliders; a pair has the larger of both.
    /// [`ContactDamping`](crate::ContactDamping) documents the law.
    ///
    /// # Panics
    /// If there is not one entry for each collider.
    #[must_use]
    pub fn with_contact_damping(self, times: Vec<Option<f64>>) -> Self {
        assert_eq!(times.len(), self.groups.len(), "an entry for each collider");
        let is_set = times.iter().any(Option::is_some);
        Self { damping: if is_set { times } else { Vec::new() }, ..self }
    }

    /// Sets the contact damping (s, at least 0) between the colliders of both sides.
    pub fn set_contact_damping(&mut self, a: impl Into<Side>, b: impl Into<Side>, time: f64) {
        self.dampings.set([a.into(), b.into()], time);
    }

    /// Contact damping (s) between the colliders `a` and `b`. O(log n) for n exceptions. Panics if there is no such
    /// collider.
    pub fn contact_damping(&self, a: usize, b: usize) -> f64 {
        let damping_time = |k: usize| self.damping.get(k).copied().flatten().unwrap_or(0.0);
        let larger = || damping_time(a).max(damping_time(b));
        self.dampings.last_value(self.sides(a), self.sides(b)).unwrap_or_else(larger)
    }

    /// Whether any pair may have contact damping. O(1).
    pub fn has_contact_damping(&self) -> bool {
        !self.damping.is_empty() || !self.dampings.is_empty()
    }

    /// Sets the coefficients of rolling friction (m, at least 0) of the colliders; a pair has the larger of both. A
    /// deformable collider has no angular velocity, so neither it nor its pairs have rolling friction.
    /// [`RollingFriction`](crate::RollingFriction) documents the law.
    ///
    /// # Panics
    /// If there is not one entry for each collider.
    #[must_use]
    pub fn with_rolling_friction(self, coefficients: Vec<Option<f64>>) -> Self {
        assert_eq!(coefficients.len(), self.groups.len(), "an entry for each collider");
        Self { rolling: coefficients, ..self }
    }

    /// Sets the coefficient of rolling friction (m, at least 0) between the colliders of both sides.
    pub fn set_rolling_friction(&mut self, a: impl Into<Side>, b: impl Into<Side>, rho: f64) {
        self.rollings.set([a.into(), b.into()], rho);
    }

    /// Coefficient of rolling friction (m) between the colliders `a` and `b`. O(log n) for n exceptions. Panics if
    /// there is no such collider.
    pub fn rolling_friction(&self, a: usize, b: usize) -> f64 {
        let coefficient = |k: usize| self.rolling.get(k).copied().flatten();
        let (Some(first), Some(second)) = (coefficient(a), coefficient(b)) else { return 0.0 };
        let exception = self.rollings.last_value(self.sides(a), self.sides(b));
        exception.unwrap_or(first.max(second))
    }

    /// Whether any pair may have rolling friction. O(colliders).
    pub fn has_rolling_friction(&self) -> bool {
        let is_set = self.rolling.iter().flatten().any(|rho| *rho > 0.0);
        is_set || !self.rollings.is_empty()
    }

    /// Number of colliders.
    pub fn colliders(&self) -> usize {
        self.groups.len()
    }

    /// Sets whether the colliders of one side collide with those of the other. If both sides are the same group,
    /// this applies to its colliders with each other and with themselves.
    pub fn set_filter(&mut self, a: impl Into<Side>, b: impl Into<Side>, filter: CollisionFilter) {
        self.filters.set([a.into(), b.into()], filter);
    }

    /// Sets whether colliders collide with themselves; other filters can only disable this.
    pub fn set_self_filter(&mut self, filter: CollisionFilter) {
        self.self_filter = filter;
    }

    /// Sets the Coulomb coefficient (dimensionless, at least 0) between the colliders of both sides.
    pub fn set_friction(&mut self, a: impl Into<Side>, b: impl Into<Side>, mu: f64) {
        let before = self.frictions.set([a.into(), b.into()], mu);
        self.positive_coefficients += usize::from(mu > 0.0);
        self.positive_coefficients -= usize::from(before.is_some_and(|before| before > 0.0));
    }

    /// Whether the colliders `a` and `b` collide. O(log n) for n exceptions. Panics if there is no such collider.
    pub fn collide(&self, a: usize, b: usize) -> bool {
        let self_collides = a != b || self.self_filter == CollisionFilter::Collides;
        let filter = self.filters.last_value(self.sides(a), self.sides(b));
        self_collides && filter != Some(CollisionFilter::Ignored)
    }

    /// Coulomb coefficient between the colliders `a` and `b`. O(log n) for n exceptions. Panics if there is no such
    /// collider.
    pub fn friction(&self, a: usize, b: usize) -> f64 {
        let by_rule = || self.rule.combine(self.coefficients[a], self.coefficients[b]);
        self.frictions.last_value(self.sides(a), self.sides(b)).unwrap_or_else(by_rule)
    }

    /// Number of colliders.
    pub fn collider_count(&self) -> usize {
        self.groups.len()
    }

    /// Whether no collider and no exception has a positive coefficient of friction or a static one, so that no pair
    /// has friction. O(1).
    pub fn is_frictionless(&self) -> bool {
        self.positive_coefficients == 0 && !self.has_static_friction()
    }

    /// Sides of exceptions that contain a collider.
    fn sides(&self, collider: usize) -> [Side; 2] {
        [Side::Collider(collider), Side::Group(self.groups[collider] as usize)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GROUPS: u32 = 4;
    const RULES: [FrictionRule; 5] = [
        FrictionRule::Min,
        FrictionRule::Max,
        FrictionRule::Mean,
        FrictionRule::GeometricMean,
        FrictionRule::Product,
    ];

    #[derive(Debug, Clone, Copy)]
    enum Exception {
        Filter(CollisionFilter),
        Friction(f64),
    }

    /// Dense tables of all pairs of colliders; each exception overwrites the pairs to which it applies.
    struct Dense {
        collide: Vec<Vec<bool>>,
        friction: Vec<Vec<f64>>,
    }

    impl Dense {
        fn new(
            groups: &[u32],
            (rule, coefficients): (FrictionRule, &[f64]),
            own: CollisionFilter,
            exceptions: &[([Side; 2], Exception)],
        ) -> Self {
            let n = groups.len();
            let row =
                |a: usize| (0..n).map(move |b| rule.combine(coefficients[a], coefficients[b]));
            let mut friction: Vec<Vec<f64>> = (0..n).map(|a| row(a).collect()).collect();
            let mut collide = vec![vec![true; n]; n];
            let is = |side: Side, k: usize| match side {
                Side::Collider(collider) => collider == k,
                Side::Group(group) => group == groups[k] as usize,
            };
            for &([x, y], exception) in exceptions {
                for a in 0..n {
                    for b in 0..n {
                        let matches = (is(x, a) && is(y, b)) || (is(y, a) && is(x, b));
                        match exception {
                            Exception::Filter(filter) if matches => {
                                collide[a][b] = filter == CollisionFilter::Collides;
                            }
                            Exception::Friction(mu) if matches => friction[a][b] = mu,
                            _ => {}
                        }
                    }
                }
            }
            if own == CollisionFilter::Ignored {
                (0..n).for_each(|k| collide[k][k] = false);
            }
            Self { collide, friction }
        }
    }

    fn filter() -> impl Strategy<Value = CollisionFilter> {
        prop_oneof![Just(CollisionFilter::Collides), Just(CollisionFilter::Ignored)]
    }

    fn mu() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), 0.0..1.5]
    }

    fn side(colliders: usize) -> impl Strategy<Value = Side> {
        let group = (0..GROUPS as usize).prop_map(Side::Group);
        prop_oneof![(0..colliders).prop_map(Side::Collider), group]
    }

    fn exception() -> impl Strategy<Value = Exception> {
        prop_oneof![filter().prop_map(Exception::Filter), mu().prop_map(Exception::Friction)]
    }

    #[test]
    fn combined_coefficients_are_positive_where_the_rule_says() {
        for rule in RULES {
            for (a, b) in [(0.0, 0.0), (0.0, 0.3), (0.3, 0.0), (0.3, 0.2)] {
                let combined = rule.combine(a, b);
                assert_eq!(rule.is_positive(a, b), combined > 0.0, "{rule:?} of {a} and {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn pair_table_equals_a_dense_table(
            (groups, coefficients, exceptions) in (1usize..9).prop_flat_map(|n| (
                prop::collection::vec(0..GROUPS, n),
                prop::collection::vec(mu(), n),
                prop::collection::vec(([side(n), side(n)], exception()), 0..12),
            )),
            rule in prop::sample::select(&RULES[..]),
            own in filter(),
        ) {
            let dense = Dense::new(&groups, (rule, &coefficients), own, &exceptions);
            let n = groups.len();
            let mut table = PairTable::of_groups(groups).with_friction(rule, coefficients);
            table.set_self_filter(own);
            for ([a, b], exception) in exceptions {
                match exception {
                    Exception::Filter(filter) => table.set_filter(a, b, filter),
                    Exception::Friction(mu) => table.set_friction(a, b, mu),
                }
            }
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                prop_assert_eq!(table.collide(a, b), dense.collide[a][b], "{} {}", a, b);
                let [own, oracle] = [table.friction(a, b), dense.friction[a][b]].map(f64::to_bits);
                prop_assert_eq!(own, oracle, "{} {}", a, b);
            }
            let rubs = dense.friction.iter().flatten().any(|&mu| mu > 0.0);
            prop_assert!(!(rubs && table.is_frictionless()));
        }
    }

    #[test]
    fn static_friction_is_at_least_kinetic_and_follows_the_rule_or_an_exception() {
        let coefficients = vec![0.2, 0.4, 0.4];
        let table = PairTable::new(3).with_friction(FrictionRule::Mean, coefficients);
        assert!(!table.has_static_friction());
        assert_eq!(table.static_friction(0, 1).to_bits(), table.friction(0, 1).to_bits());
        let mut table = table.with_static_friction(vec![Some(0.6), None, Some(0.1)]);
        assert!(table.has_static_friction());
        assert_eq!((table.friction(0, 1), table.static_friction(0, 1)), (0.5 * (0.2 + 0.4), 0.5));
        assert_eq!(table.static_friction(2, 2), 0.4);
        table.set_friction(0, 1, 0.7);
        assert_eq!(table.static_friction(0, 1), 0.7);
        table.set_static_friction(1, 0, 0.9);
        assert_eq!(table.static_friction(0, 1), 0.9);
    }

    #[test]
    fn restitution_follows_the_rule_one_side_alone_or_an_exception() {
        let table = PairTable::new(3);
        assert!(!table.has_restitution() && table.restitution(0, 1).is_none());
        let mut table =
            table.with_restitution(FrictionRule::Mean, vec![Some(0.2), Some(0.6), None]);
        assert!(table.has_restitution());
        assert_eq!(table.restitution(0, 1), Some(0.4));
        assert_eq!((table.restitution(2, 1), table.restitution(2, 2)), (Some(0.6), None));
        table.set_restitution(2, 1, 0.9);
        assert_eq!(table.restitution(1, 2), Some(0.9));
    }

    #[test]
    fn table_without_positive_coefficients_is_frictionless() {
        let mut table = PairTable::new(2);
        assert!(table.is_frictionless());
        table.set_friction(0, 1, 0.5);
        assert!(!table.is_frictionless());
        table.set_friction(1, 0, 0.0);
        assert!(table.is_frictionless());
        let table = table.with_friction(FrictionRule::Product, vec![0.5, 0.0]);
        assert!(!table.is_frictionless(), "the first is rough to itself");
        assert!(table.with_friction(FrictionRule::Max, vec![0.0; 2]).is_frictionless());
    }
}
