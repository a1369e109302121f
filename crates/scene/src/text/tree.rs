//! The syntax tree of RON text with the range of every value in the text.
//!
//! serde discards positions. Later findings (a negative density, an unknown name) need them, and so do
//! overrides that preserve surrounding comments. This parser is more lenient than RON and not
//! authoritative: text that it cannot parse has no tree, and RON then reports the error.

use std::ops::Range;

/// Maximum depth of nesting, equal to that of the RON reader.
const MAX_DEPTH: usize = 128;

/// Fields that are maps with user-defined keys.
const MAP_FIELDS: [&str; 2] = ["materials", "group_materials"];

/// A value and its range in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// The whole value, its tag included.
    pub(super) span: Range<usize>,
    /// The name before the bracket of a struct or variant; a bare word as a whole.
    pub(super) tag: Option<String>,
    /// The text of the field `name`, by which paths select items of lists.
    pub(super) name: Option<String>,
    pub(super) kind: NodeKind,
    /// The range between the brackets; for scalars it is empty.
    pub(super) inner: Range<usize>,
    pub(super) children: Vec<Child>,
}

/// The kind of brackets of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Scalar,
    /// `(field: value)` or `()`; in JSON `{"field": value}`.
    Struct,
    /// `[...]` or `(value, value)`.
    Sequence,
    /// `{key: value}` with keys that are not fields.
    Map,
}

/// A value inside another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Child {
    /// Field name or map key without its quotes.
    pub(super) key: Option<(String, Range<usize>)>,
    pub(super) node: Node,
}

impl Child {
    /// The range of the value with its key.
    pub(super) fn range(&self) -> Range<usize> {
        let start = self.key.as_ref().map_or(self.node.span.start, |(_, key)| key.start);
        start..self.node.span.end
    }
}

impl Node {
    /// The child whose range, with its key, contains an offset.
    pub(super) fn child_at(&self, offset: usize) -> Option<&Child> {
        self.children.iter().find(|child| child.range().contains(&offset))
    }

    /// The content of a variant of RON with a single value, such as the list of `Prony([..])`.
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

    /// Parses a whole text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut scanner = Scanner { text, offset: 0 };
        scanner.skip_attributes()?;
        let node = scanner.parse_value(0)?;
        scanner.skip_space()?;
        (scanner.offset == text.len()).then_some(node)
    }

    /// Parses a whole text in JSON, where objects are structs, except for maps of materials.
    pub(super) fn parse_json(text: &str) -> Option<Self> {
        let mut node = Self::parse(text)?;
        node.label_objects(None);
        Some(node)
    }

    /// Turns maps into structs, except for those under a key of [`MAP_FIELDS`]. Moves the name of a variant to the tag
    /// of its content, as in RON.
    fn label_objects(&mut self, key: Option<&str>) {
        if self.kind == NodeKind::Map && !key.is_some_and(|key| MAP_FIELDS.contains(&key)) {
            self.kind = NodeKind::Struct;
        }
        // Scalars have no separate tag.
        self.tag = None;
        let selects_variant = self.selects_variant();
        for child in &mut self.children {
            let key = child.key.as_ref().map(|(key, _)| key.as_str());
            child.node.label_objects(key);
            let name = key.filter(|_| selects_variant && child.node.kind == NodeKind::Struct);
            child.node.tag = name.map(str::to_owned);
        }
    }

    /// Whether a JSON object selects a variant: its only key begins with a capital letter.
    pub(super) fn selects_variant(&self) -> bool {
        match &self.children[..] {
            [Child { key: Some((key, _)), .. }] => {
                self.kind == NodeKind::Struct && key.starts_with(|c: char| c.is_ascii_uppercase())
            }
            _ => false,
        }
    }

    /// The content of a variant with fields in JSON, as in `{"Box": {"size": [1, 1, 1]}}`.
    pub(super) fn variant_content(&self) -> Option<&Self> {
        match &self.children[..] {
            [Child { key: Some((key, _)), node }] if node.kind == NodeKind::Struct => {
                (node.tag.as_ref() == Some(key) && self.kind == NodeKind::Struct).then_some(node)
            }
            _ => None,
        }
    }

    /// The range of the last token (word, string or bracket) that begins before an offset. Comments are skipped.
    pub(super) fn last_token(text: &str, end: usize) -> Option<Range<usize>> {
        let (mut scanner, mut last) = (Scanner { text, offset: 0 }, None);
        while let Some(token) = scanner.token().filter(|token| token.start < end) {
            last = Some(token);
        }
        last
    }

    /// The range of the first token after an offset, which must not be inside a token.
    pub(super) fn next_token(text: &str, from: usize) -> Option<Range<usize>> {
        Scanner { text, offset: from }.token()
    }

    /// The child with a key.
    pub(super) fn child(&self, key: &str) -> Option<&Child> {
        self.children.iter().find(|child| child.key.as_ref().is_some_and(|(k, _)| k == key))
    }

    /// The value inside `Some(...)` of RON, or the content of a variant of JSON; otherwise the value itself.
    pub(super) fn unwrapped(&self) -> &Self {
        match (self.tag.as_deref(), &self.children[..]) {
            (Some("Some"), [only]) if only.key.is_none() => only.node.unwrapped(),
            _ => self.variant_content().map_or(self, Self::unwrapped),
        }
    }
}

/// A recursive descent parser. `None` from its methods means broken syntax.
struct Scanner<'a> {
    text: &'a str,
    /// The position of the next byte.
    offset: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips a token if the remaining text begins with it, and returns whether it does.
    fn consume(&mut self, token: &str) -> bool {
        let matches = self.rest().starts_with(token);
        self.offset += if matches { token.len() } else { 0 };
        matches
    }

    /// Skips the text up to and including the next occurrence of `end`.
    fn skip_past(&mut self, end: &str) -> Option<()> {
        self.offset += self.rest().find(end)? + end.len();
        Some(())
    }

    /// Skips white space and comments; `None` if a comment does not end.
    fn skip_space(&mut self) -> Option<()> {
        loop {
            let space = self.rest().len() - self.rest().trim_start().len();
            self.offset += space;
            if self.consume("//") {
                self.offset += self.rest().find('\n').unwrap_or(self.rest().len());
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
                self.offset += self.peek()?.len_utf8();
            }
        }
        Some(())
    }

    /// Skips the next token and returns its range.
    fn token(&mut self) -> Option<Range<usize>> {
        self.skip_space()?;
        let start = self.offset;
        if !self.skip_string()? && self.read_word().is_empty() {
            self.offset += self.peek()?.len_utf8();
        }
        Some(start..self.offset)
    }

    /// Skips attributes of RON such as `#![enable(implicit_some)]`.
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
    fn parse_value(&mut self, depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space()?;
        let start = self.offset;
        if self.skip_string()? {
            return Some(self.scalar(start, None));
        }
        let word = self.read_word();
        let tag = (self.offset > start).then_some(word);
        let word_end = self.offset;
        self.skip_space()?;
        let (kind, close) = match self.peek() {
            Some('(') => (NodeKind::Struct, ")"),
            Some('[') if tag.is_none() => (NodeKind::Sequence, "]"),
            Some('{') if tag.is_none() => (NodeKind::Map, "}"),
            _ => {
                self.offset = word_end;
                tag.as_ref()?;
                return Some(self.scalar(start, tag));
            }
        };
        self.offset += 1;
        let inner_start = self.offset;
        let children = self.parse_children(kind, close, depth)?;
        let is_keyless = children.first().is_some_and(|child: &Child| child.key.is_none());
        let name = children.iter().find_map(|child: &Child| {
            let (key, _) = child.key.as_ref()?;
            (key == "name").then(|| self.text[child.node.span.clone()].trim_matches('"').to_owned())
        });
        Some(Node {
            span: start..self.offset,
            tag,
            name,
            kind: if is_keyless { NodeKind::Sequence } else { kind },
            inner: inner_start..self.offset - 1,
            children,
        })
    }

    /// A scalar from `start` to the current position.
    fn scalar(&self, start: usize, tag: Option<String>) -> Node {
        Node {
            span: start..self.offset,
            tag,
            name: None,
            kind: NodeKind::Scalar,
            inner: self.offset..self.offset,
            children: Vec::new(),
        }
    }

    /// Parses values, with keys unless `kind` is a sequence, up to and including the closing bracket.
    fn parse_children(&mut self, kind: NodeKind, close: &str, depth: usize) -> Option<Vec<Child>> {
        let mut children = Vec::new();
        loop {
            self.skip_space()?;
            if self.consume(close) {
                return Some(children);
            }
            let first = self.parse_value(depth + 1)?;
            self.skip_space()?;
            let has_key = kind != NodeKind::Sequence && self.consume(":");
            children.push(if has_key {
                let key = self.text[first.span.clone()].trim_matches('"').to_owned();
                Child { key: Some((key, first.span)), node: self.parse_value(depth + 1)? }
            } else {
                Child { key: None, node: first }
            });
            self.skip_space()?;
            if !self.consume(",") && !self.rest().starts_with(close) {
                return None;
            }
        }
    }

    /// Skips a string, raw string, byte string or character; false if none begins here, `None` if it does not end.
    fn skip_string(&mut self) -> Option<bool> {
        let start = self.offset;
        let prefix = self.rest().len() - self.rest().trim_start_matches(['b', 'r']).len();
        let is_raw = self.rest()[..prefix].ends_with('r');
        self.offset += prefix;
        let hashes = self.rest().len() - self.rest().trim_start_matches('#').len();
        if is_raw && self.rest()[hashes..].starts_with('"') {
            self.offset += hashes + 1;
            self.skip_past(&format!("\"{}", "#".repeat(hashes)))?;
            return Some(true);
        }
        let Some(quote) = self.peek().filter(|&c| c == '"' || c == '\'') else {
            self.offset = start;
            return Some(false);
        };
        self.offset += 1;
        loop {
            let c = self.peek()?;
            self.offset += c.len_utf8();
            if c == '\\' {
                self.offset += self.peek()?.len_utf8();
            } else if c == quote {
                return Some(true);
            }
        }
    }

    /// Reads up to white space, a bracket, a double quote, a comma, a colon or a comment. The word may be empty.
    fn read_word(&mut self) -> String {
        let start = self.offset;
        while let Some(c) = self.peek() {
            let is_comment = self.rest().starts_with("//") || self.rest().starts_with("/*");
            if c.is_whitespace() || ",:()[]{}\"".contains(c) || is_comment {
                break;
            }
            self.offset += c.len_utf8();
        }
        self.text[start..self.offset].to_owned()
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
