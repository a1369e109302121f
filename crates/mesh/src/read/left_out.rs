//! Skipped elements of a file of tetrahedra, or those for which the file is refused.

/// Number of elements of one kind that are not part of the solid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Kind of element, such as `triangle` or `second-order line`.
    pub kind: String,
    /// Number of elements.
    pub count: usize,
}

/// Formats a list such as `2 lines, 1 hexahedron`.
pub(super) fn list(kinds: &[LeftOut]) -> String {
    if kinds.is_empty() {
        return "no elements".to_owned();
    }
    let words = kinds.iter().map(|LeftOut { kind, count }| match count {
        1 => format!("1 {kind}"),
        _ => format!("{count} {}", plural(kind)),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Plural of a kind of element.
fn plural(kind: &str) -> String {
    if let Some(stem) = kind.strip_suffix("hedron") {
        return format!("{stem}hedra");
    }
    match kind.strip_suffix("vertex") {
        Some(stem) => format!("{stem}vertices"),
        None => format!("{kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_kinds_are_listed_with_correct_plurals() {
        let kinds = [("second-order tetrahedron", 2), ("poly-vertex", 3), ("line", 1)];
        let kinds = kinds.map(|(kind, count)| LeftOut { kind: kind.to_owned(), count });
        assert_eq!(list(&kinds), "2 second-order tetrahedra, 3 poly-vertices, 1 line");
        assert_eq!(list(&[]), "no elements");
    }
}
