//! Reads the text of one field: the text that `--set` would replace.

use super::{SceneText, path};

impl SceneText {
    /// The text of the value at a path such as `bodies.die.friction`; `None` if the text does not contain the field,
    /// which may have a default.
    pub fn get(&self, path: &str) -> Option<&str> {
        let segments = path::parse(path)?;
        let resolved = path::resolve(self.tree()?, &segments);
        (resolved.depth == segments.len()).then(|| &self.text[resolved.span.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_field_reads_back() {
        let mut text =
            SceneText::new("a.ron", "(version: 1, bodies: [(name: \"a\", friction: 1e-1)])");
        assert_eq!(text.get("bodies.a.friction"), Some("1e-1"));
        text.set("bodies.a.friction=0.25").expect("the path is there");
        assert_eq!(text.get("bodies[0].friction"), Some("0.25"));
        assert_eq!(text.get("bodies.b.friction"), None);
        assert_eq!(text.get(""), None);
    }
}
