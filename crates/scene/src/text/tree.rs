//! The syntax tree of RON text with the place of every value.
//!
//! serde discards positions. Later findings (a negative density, an unknown name) need them, and so do
//! overrides that preserve surrounding comments. This parser is more lenient than RON and not
//! authoritative: text that it cannot parse has no tree, and RON then reports the error.

use std::ops::Range;

/// Maximum depth, as in RON.
const MAX_DEPTH: usize = 128;

/// Fields that are maps with user-defined keys.
const MAP_FIELDS: [&str; 2] = ["materials", "group_materials"];

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// The whole value, its tag included.
    pub(super) span: Range<usize>,
    /// The name before the bracket, or the whole of a bare word.
    pub(super) tag: Option<String>,
    /// The value of the field `name`, if any.
    pub(super) name: Option<String>,
    pub(super) kind: NodeKind,
    /// Between the brackets; empty for scalars.
    pub(super) inner: Range<usize>,
    pub(super) children: Vec<Child>,
}

/// The kind of brackets of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Scalar,
    /// `(field: value)`, or `()`.
    Struct,
    /// `[...]`, or `(value, value)`.
    Sequence,
    Map,
}

/// A value inside another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Child {
    /// Field name or map key without its quotes.
    pub(super) key: Option<(String, Range<usize>)>,
    pub(super) node: Node,
}

impl Node {
    /// The value of a variant of RON with one value without a name, such as the list of `Prony([..])`.
    pub(super) fn only_value(&self) -> Option<&Self> {
        // In JSON the span of the content of a variant begins with its bracket.
        let has_name = self.tag.is_some() && self.inner.start > self.span.start + 1;
        match &self.children[..] {
            [only] if has_name && self.kind == NodeKind::Sequence && only.key.is_none() => {
                Some(&only.node)
            }
            _ => None,
        }
    }

    /// The tree of a whole text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut scanner = Scanner { text, at: 0 };
        scanner.skip_attributes()?;
        let node = scanner.value(0)?;
        scanner.skip_space()?;
        (scanner.at == text.len()).then_some(node)
    }

    /// The tree of a whole text in JSON: objects are structs, except for maps of materials.
    pub(super) fn parse_json(text: &str) -> Option<Self> {
        let mut node = Self::parse(text)?;
        node.label_objects(None);
        Some(node)
    }

    /// Assigns the kinds of JSON objects; the content of an alternative gets its name.
    fn label_objects(&mut self, key: Option<&str>) {
        if self.kind == NodeKind::Map && !key.is_some_and(|key| MAP_FIELDS.contains(&key)) {
            self.kind = NodeKind::Struct;
        }
        // Scalars have no separate tag.
        self.tag = None;
        let is_alternative = self.is_alternative();
        for child in &mut self.children {
            let key = child.key.as_ref().map(|(key, _)| key.as_str());
            child.node.label_objects(key);
            let name = key.filter(|_| is_alternative && child.node.kind == NodeKind::Struct);
            child.node.tag = name.map(str::to_owned);
        }
    }

    /// Whether a JSON object is an alternative, whose key begins with a capital letter.
    pub(super) fn is_alternative(&self) -> bool {
        match &self.children[..] {
            [Child { key: Some((key, _)), .. }] => {
                self.kind == NodeKind::Struct && key.starts_with(|c: char| c.is_ascii_uppercase())
            }
            _ => false,
        }
    }

    /// The content of an alternative of JSON, as in `{"Box": {"size": [1, 1, 1]}}`.
    pub(super) fn alternative_content(&self) -> Option<&Self> {
        match &self.children[..] {
            [Child { key: Some((key, _)), node }] if node.kind == NodeKind::Struct => {
                (node.tag.as_ref() == Some(key) && self.kind == NodeKind::Struct).then_some(node)
            }
            _ => None,
        }
    }

    /// The last word, string or bracket that begins before an offset, ignoring comments.
    pub(super) fn last_token(text: &str, before: usize) -> Option<Range<usize>> {
        let (mut scanner, mut last) = (Scanner { text, at: 0 }, None);
        while let Some(token) = scanner.token().filter(|token| token.start < before) {
            last = Some(token);
        }
        last
    }

    /// The first word, string or bracket after an offset outside of tokens.
    pub(super) fn next_token(text: &str, from: usize) -> Option<Range<usize>> {
        Scanner { text, at: from }.token()
    }

    pub(super) fn child(&self, key: &str) -> Option<&Child> {
        self.children.iter().find(|child| child.key.as_ref().is_some_and(|(k, _)| k == key))
    }

    /// Skips `Some(...)` and alternatives of JSON.
    pub(super) fn unwrapped(&self) -> &Self {
        match (self.tag.as_deref(), &self.children[..]) {
            (Some("Some"), [only]) if only.key.is_none() => only.node.unwrapped(),
            _ => self.alternative_content().map_or(self, Self::unwrapped),
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn consume(&mut self, token: &str) -> bool {
        let matches = self.rest().starts_with(token);
        self.at += if matches { token.len() } else { 0 };
        matches
    }

    /// Past the next occurrence of `end`.
    fn skip_past(&mut self, end: &str) -> Option<()> {
        self.at += self.rest().find(end)? + end.len();
        Some(())
    }

    /// Skips white space and comments; `None` if a comment does not end.
    fn skip_space(&mut self) -> Option<()> {
        loop {
            let space = self.rest().len() - self.rest().trim_start().len();
            self.at += space;
            if self.consume("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.consume("/*") {
                self.skip_block_comment()?;
            } else {
                return Some(());
            }
        }
    }

    /// Skips the remainder of a block comment, which may be nested.
    fn skip_block_comment(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            if self.consume("*/") {
                depth -= 1;
            } else if self.consume("/*") {
                depth += 1;
            } else {
                self.at += self.peek()?.len_utf8();
            }
        }
        Some(())
    }

    /// The next word, string or bracket.
    fn token(&mut self) -> Option<Range<usize>> {
        self.skip_space()?;
        let start = self.at;
        if !self.string()? && self.word().is_empty() {
            self.at += self.peek()?.len_utf8();
        }
        Some(start..self.at)
    }

    fn skip_attributes(&mut self) -> Option<()> {
        self.skip_space()?;
        while self.consume("#!") {
            self.skip_past("]")?;
            self.skip_space()?;
        }
        Some(())
    }

    /// Parses a value with its tag; `None` for broken syntax or more than [`MAX_DEPTH`] levels. Tuples have no keys
    /// and count as sequences.
    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space()?;
        let start = self.at;
        if self.string()? {
            return Some(self.scalar(start, None));
        }
        let word = self.word();
        let tag = (self.at > start).then_some(word);
        let end_of_word = self.at;
        self.skip_space()?;
        let (kind, close) = match self.peek() {
            Some('(') => (NodeKind::Struct, ")"),
            Some('[') if tag.is_none() => (NodeKind::Sequence, "]"),
            Some('{') if tag.is_none() => (NodeKind::Map, "}"),
            _ => {
                self.at = end_of_word;
                tag.as_ref()?;
                return Some(self.scalar(start, tag));
            }
        };
        self.at += 1;
        let inner = self.at;
        let children = self.children(kind, close, depth)?;
        let keyless = children.first().is_some_and(|child: &Child| child.key.is_none());
        let name = children.iter().find_map(|child: &Child| {
            let (key, _) = child.key.as_ref()?;
            (key == "name").then(|| self.text[child.node.span.clone()].trim_matches('"').to_owned())
        });
        Some(Node {
            span: start..self.at,
            tag,
            name,
            kind: if keyless { NodeKind::Sequence } else { kind },
            inner: inner..self.at - 1,
            children,
        })
    }

    fn scalar(&self, start: usize, tag: Option<String>) -> Node {
        Node {
            span: start..self.at,
            tag,
            name: None,
            kind: NodeKind::Scalar,
            inner: self.at..self.at,
            children: Vec::new(),
        }
    }

    fn children(&mut self, kind: NodeKind, close: &str, depth: usize) -> Option<Vec<Child>> {
        let mut children = Vec::new();
        loop {
            self.skip_space()?;
            if self.consume(close) {
                return Some(children);
            }
            let first = self.value(depth + 1)?;
            self.skip_space()?;
            let keyed = kind != NodeKind::Sequence && self.consume(":");
            children.push(if keyed {
                let key = self.text[first.span.clone()].trim_matches('"').to_owned();
                Child { key: Some((key, first.span)), node: self.value(depth + 1)? }
            } else {
                Child { key: None, node: first }
            });
            self.skip_space()?;
            if !self.consume(",") && !self.rest().starts_with(close) {
                return None;
            }
        }
    }

    /// A string, raw string, byte string or character, if one starts here.
    fn string(&mut self) -> Option<bool> {
        let start = self.at;
        let prefix = self.rest().len() - self.rest().trim_start_matches(['b', 'r']).len();
        let raw = self.rest()[..prefix].ends_with('r');
        self.at += prefix;
        let hashes = self.rest().len() - self.rest().trim_start_matches('#').len();
        if raw && self.rest()[hashes..].starts_with('"') {
            self.at += hashes + 1;
            self.skip_past(&format!("\"{}", "#".repeat(hashes)))?;
            return Some(true);
        }
        let Some(quote) = self.peek().filter(|&c| c == '"' || c == '\'') else {
            self.at = start;
            return Some(false);
        };
        self.at += 1;
        loop {
            let c = self.peek()?;
            self.at += c.len_utf8();
            if c == '\\' {
                self.at += self.peek()?.len_utf8();
            } else if c == quote {
                return Some(true);
            }
        }
    }

    /// A number, a name, or anything else without brackets.
    fn word(&mut self) -> String {
        let start = self.at;
        while let Some(c) = self.peek() {
            let comment = self.rest().starts_with("//") || self.rest().starts_with("/*");
            if c.is_whitespace() || ",:()[]{}\"".contains(c) || comment {
                break;
            }
            self.at += c.len_utf8();
        }
        self.text[start..self.at].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_tags_are_parsed() {
        let text = r##"#![enable(implicit_some)] // ( [
            ( /* { /* nested */ */ name: "a ) \" b", raw: r#"x " ("#, shape: Box ( size: (1, 2) ),
              list: [Off, Some((a: 1)),], map: {"key, one": 2, 'c': 3}, unit: (), )"##;
        let tree = Node::parse(text).expect("the text is well formed");
        let at = |key: &str| &text[tree.child(key).expect("the key is there").node.span.clone()];
        assert_eq!(tree.kind, NodeKind::Struct);
        assert_eq!(at("name"), r#""a ) \" b""#);
        assert_eq!(at("raw"), r##"r#"x " ("#"##);
        assert_eq!(at("shape"), "Box ( size: (1, 2) )");
        let list = &tree.child("list").expect("the key is there").node;
        assert_eq!(list.children.len(), 2);
        assert!(list.children[1].node.unwrapped().child("a").is_some());
        let map = &tree.child("map").expect("the key is there").node;
        assert!(map.child("key, one").is_some());
        assert_eq!(tree.child("unit").expect("the key is there").node.kind, NodeKind::Struct);
    }

    #[test]
    fn invalid_text_has_no_tree_and_nesting_is_limited() {
        for text in ["", "(", "(a: )", "(a: 1", "(a 1)", "\"", "(a: \"x)", "/* (", "(a: 1) b"] {
            assert_eq!(Node::parse(text), None, "{text}");
        }
        assert_eq!(Node::parse(&"(".repeat(100_000)), None);
    }
}
