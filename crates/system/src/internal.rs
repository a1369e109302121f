//! History variables.

use std::sync::Arc;

/// The internal (history) variables of bodies, such as plastic deformation.
///
/// They are part of the [state](crate::State): one list per body, in the order of its terms. Terms are made
/// with them ([`Inelastic::with_internal`](crate::Inelastic::with_internal)). Unlike the memory of integrators they are
/// never discarded. An empty list is the virgin state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Internal {
    /// One list per body, without trailing empty lists.
    bodies: Vec<Arc<[f64]>>,
}

impl Internal {
    /// The variables of the bodies of a system, in their order.
    pub fn new(mut bodies: Vec<Arc<[f64]>>) -> Self {
        while bodies.last().is_some_and(|last| last.is_empty()) {
            bodies.pop();
        }
        Self { bodies }
    }

    /// The variables of body `body`, empty if it is virgin.
    pub fn of(&self, body: usize) -> &[f64] {
        self.bodies.get(body).map_or(&[], |values| values)
    }

    /// Concatenates the variables of bodies.
    pub(crate) fn join<'i>(internals: impl Iterator<Item = &'i Self>) -> Self {
        let first = |internal: &Self| internal.bodies.first().cloned().unwrap_or_default();
        Self::new(internals.map(first).collect())
    }

    /// The variables of body `body` alone.
    pub(crate) fn part(&self, body: usize) -> Self {
        Self {
            bodies: self
                .bodies
                .get(body)
                .filter(|variables| !variables.is_empty())
                .cloned()
                .into_iter()
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_data_split_unchanged() {
        let of = |numbers: &[f64]| Internal::new(vec![Arc::from(numbers)]);
        let all = [of(&[]), of(&[1.0, 2.0]), Internal::default(), of(&[3.0]), of(&[])];
        let joined = Internal::join(all.iter());
        for (body, own) in all.iter().enumerate() {
            assert_eq!(joined.part(body), *own);
            assert_eq!(joined.of(body), own.of(0));
        }
        assert_eq!(Internal::join([of(&[]), of(&[])].iter()), Internal::default());
    }
}
