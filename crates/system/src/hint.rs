//! Memory of searches.

use std::any::Any;
use std::fmt;

/// Data that a [coupling](crate::Coupling) stores in one search to speed up the next ones, such as lists of near pairs.
/// It never changes which pairs act, only the cost of a search and the number of inactive pairs. A new step begins
/// without it, so that a resumed run finds the same pairs.
#[derive(Default)]
pub struct SearchHint(Option<Box<dyn Any + Send + Sync>>);

impl SearchHint {
    /// The stored data if they are of this type. Otherwise they are replaced by the default.
    pub fn get_or_default<T: Any + Default + Send + Sync>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|data| data.is::<T>()) {
            self.0 = Some(Box::<T>::default());
        }
        let data = self.0.as_mut().and_then(|data| data.downcast_mut());
        data.expect("it was just made")
    }
}

impl fmt::Debug for SearchHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SearchHint").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_by_type() {
        let mut hint = SearchHint::default();
        hint.get_or_default::<Vec<u32>>().push(7);
        assert_eq!(hint.get_or_default::<Vec<u32>>(), &[7]);
        assert_eq!(hint.get_or_default::<String>(), "");
        assert!(hint.get_or_default::<Vec<u32>>().is_empty());
    }
}
