//! A JSON document merged with its `common` files, with the location of each value.

use crate::refusal::{ImportError, ImportRefusal};
use json_patch::PatchOperation;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest depth of `common` references.
const MAX_REFERENCE_DEPTH: usize = 16;
/// Largest length of a file in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A source file of the document.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    text: String,
    value: Value,
}

impl Source {
    /// Index of the last operation of the `patch` that changed the value at a pointer or one that contains it.
    fn last_operation_on(&self, pointer: &str) -> Option<String> {
        let operations = self.value.get("patch")?.as_array()?;
        let changes = |operation: &Value| {
            let changed = operation.get("path").and_then(Value::as_str);
            changed
                .and_then(|changed| pointer.strip_prefix(changed))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        operations.iter().rposition(changes).map(|index| index.to_string())
    }

    /// Applies the operations of the field `patch` to the merged document.
    ///
    /// # Errors
    /// With the line of the first operation that is invalid or fails.
    fn apply_patch(&self, patch: &Value, target: &mut Value) -> Result<(), ImportError> {
        if patch.is_null() {
            return Ok(());
        }
        let refused = |keys: &[&str], reason: String| {
            let what = format!("`{}`: {reason}", keys.join("."));
            let line = line_of(&self.text, keys);
            ImportError::Refused(vec![ImportRefusal { file: self.path.clone(), line, what }])
        };
        let Some(operations) = patch.as_array() else {
            return Err(refused(&["patch"], "this must be a list of operations".to_owned()));
        };
        for (index, operation) in operations.iter().enumerate() {
            let index = index.to_string();
            let refused = |reason: String| refused(&["patch", &index], reason);
            let operation: PatchOperation =
                serde_json::from_value(operation.clone()).map_err(|e| refused(e.to_string()))?;
            let path = operation.path().to_string();
            json_patch::patch(target, &[operation])
                .map_err(|error| refused(format!("{} (`{path}`)", error.kind)))?;
        }
        Ok(())
    }
}

/// The merged document.
#[derive(Debug)]
pub(super) struct Document {
    /// Source files: the file itself first, its most distant common file last.
    sources: Vec<Source>,
    pub(super) value: Value,
}

impl Document {
    /// Parses the `text` of a file, and reads its chain of common files. A file overrides its common file as a merge
    /// patch (RFC 7386): objects are merged, null removes a field, everything else is replaced. The operations of its
    /// `patch` (RFC 6902) then change the result.
    ///
    /// # Errors
    /// If a file cannot be read or is not valid JSON, if the chain is longer than [`MAX_REFERENCE_DEPTH`], or if an
    /// operation of a `patch` is invalid or fails.
    pub(super) fn read(file: &Path, text: String) -> Result<Self, ImportError> {
        let sources = Self::read_sources(file, text)?;
        let value = merged(&sources)?;
        Ok(Self { sources, value })
    }

    /// The file and its chain of common files.
    fn read_sources(file: &Path, text: String) -> Result<Vec<Source>, ImportError> {
        let mut sources = Vec::new();
        let (mut path, mut text) = (file.to_owned(), text);
        loop {
            let unreadable = |reason: String| ImportError::Open { file: path.clone(), reason };
            let value: Value =
                serde_json::from_str(&text).map_err(|e| unreadable(e.to_string()))?;
            let common = value.get("common").and_then(Value::as_str).unwrap_or_default().to_owned();
            sources.push(Source { path: path.clone(), text, value });
            if common.is_empty() {
                break;
            }
            if sources.len() == MAX_REFERENCE_DEPTH {
                return Err(unreadable("`common` names files without end".to_owned()));
            }
            path = path.with_file_name("").join(common);
            text = resile_files::read_text(&path, MAX_BYTES)
                .map_err(|e| ImportError::Open { file: path.clone(), reason: e.to_string() })?;
        }
        Ok(sources)
    }

    /// File and line of the value at `path`, or of the operation of a `patch` that changed it. A value that no file has
    /// takes the location of its innermost ancestor that is in a file, or the first file without a line.
    pub(super) fn location(&self, path: &str) -> (&Path, Option<usize>) {
        let mut keys: Vec<&str> = path.split('/').filter(|key| !key.is_empty()).collect();
        while !keys.is_empty() {
            let pointer = format!("/{}", keys.join("/"));
            for source in &self.sources {
                if let Some(operation) = source.last_operation_on(&pointer) {
                    return (&source.path, line_of(&source.text, &["patch", &operation]));
                }
                if source.value.pointer(&pointer).is_some() {
                    return (&source.path, line_of(&source.text, &keys));
                }
            }
            keys.pop();
        }
        (&self.sources[0].path, None)
    }

    /// Resolves a file name of the document, relative to `root_path` in the folder of a source file or to that folder.
    /// `None` if no such file exists.
    pub(super) fn file(&self, name: &str) -> Option<PathBuf> {
        self.places(name).find(|path| path.is_file())
    }

    /// Resolves the name of a folder in the same way.
    pub(super) fn folder(&self, name: &str) -> Option<PathBuf> {
        let non_empty = |path: PathBuf| match path.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => path,
        };
        self.places(name).map(non_empty).find(|path| path.is_dir())
    }

    /// Paths that a name can mean.
    fn places(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let root = self.value.get("root_path").and_then(Value::as_str).unwrap_or_default();
        let folders = self.sources.iter().map(|source| source.path.with_file_name(""));
        folders.flat_map(move |folder| [folder.join(root).join(name), folder.join(name)])
    }
}

/// Merges sources, the file itself first and its most distant common file last. The `patch` of a file without a common
/// file has no effect and remains in the document.
fn merged(sources: &[Source]) -> Result<Value, ImportError> {
    let mut merged = Value::Null;
    for (distance, source) in sources.iter().enumerate().rev() {
        let mut overrides = source.value.clone();
        let has_common = distance + 1 < sources.len();
        let patch = overrides
            .as_object_mut()
            .filter(|_| has_common)
            .and_then(|fields| fields.remove("patch"));
        merge(&mut merged, &overrides);
        source.apply_patch(&patch.unwrap_or_default(), &mut merged)?;
    }
    if let Some(fields) = merged.as_object_mut() {
        fields.remove("common");
    }
    Ok(merged)
}

/// Applies a JSON merge patch to `target` (RFC 7386).
fn merge(target: &mut Value, patch: &Value) {
    match (target.as_object_mut(), patch.as_object()) {
        (Some(fields), Some(changes)) => {
            for (key, change) in changes {
                match change {
                    Value::Null => drop(fields.remove(key)),
                    change => merge(fields.entry(key).or_insert(Value::Null), change),
                }
            }
        }
        _ => *target = patch.clone(),
    }
}

/// Line (from 1) of the value at a path of field names and indices. A scan of brackets and commas locates it, because
/// parsed JSON has no positions.
fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut scanner = Scanner { bytes, offset: 0 };
    for key in path {
        scanner.enter(key)?;
    }
    scanner.skip_whitespace();
    Some(1 + bytes[..scanner.offset].iter().filter(|byte| **byte == b'\n').count())
}

/// A scanner of text that is known to be valid JSON.
struct Scanner<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Scanner<'_> {
    /// Advances to the next byte that is not white space.
    fn skip_whitespace(&mut self) {
        while self.bytes.get(self.offset).is_some_and(u8::is_ascii_whitespace) {
            self.offset += 1;
        }
    }

    /// Skips white space, and returns the next byte without consuming it.
    fn peek(&mut self) -> Option<u8> {
        self.skip_whitespace();
        self.bytes.get(self.offset).copied()
    }

    /// Reads a quoted string at the offset and returns its raw content, without decoding escapes.
    fn read_string(&mut self) -> Option<&str> {
        let begin = self.offset + 1;
        let mut end = begin;
        while *self.bytes.get(end)? != b'"' {
            end += if self.bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.offset = end + 1;
        std::str::from_utf8(&self.bytes[begin..end]).ok()
    }

    /// Skips a complete value.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.read_string()?),
                b'{' | b'[' => {
                    depth += 1;
                    self.offset += 1;
                }
                b'}' | b']' => {
                    depth -= 1;
                    self.offset += 1;
                }
                b',' | b':' => self.offset += 1,
                _ => {
                    while self.bytes.get(self.offset).is_some_and(|b| !b",]} \n\r\t".contains(b)) {
                        self.offset += 1;
                    }
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Moves to the value of a field of the current object, or to an item of the current list by its index. `None` if
    /// the value has no such field or item.
    fn enter(&mut self, key: &str) -> Option<()> {
        match self.peek()? {
            b'{' => {
                self.offset += 1;
                loop {
                    self.skip_whitespace();
                    let matches = self.read_string()? == key;
                    self.consume(b':')?;
                    if matches {
                        return Some(());
                    }
                    self.skip_value()?;
                    self.consume(b',')?;
                }
            }
            b'[' => {
                self.offset += 1;
                for _ in 0..key.parse::<usize>().ok()? {
                    self.skip_value()?;
                    self.consume(b',')?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Consumes the next byte after white space; `None` if it is another one than `expected`.
    fn consume(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then_some(())?;
        self.offset += 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_points_to_the_line_of_a_json_value() {
        let text = "{\n \"a\": [1, {\"x\": \"}\"},\n  {\"b\":\n   7}],\n \"c\": {\"d\": [[1, 2],\n [3]]}\n}";
        assert_eq!(line_of(text, &["a"]), Some(2));
        assert_eq!(line_of(text, &["a", "2", "b"]), Some(4));
        assert_eq!(line_of(text, &["c", "d", "1"]), Some(6));
        assert_eq!(line_of(text, &["e"]), None);
    }

    #[test]
    fn json_merge_patch_merges_objects_replaces_lists_and_removes_nulls() {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let mut value = parse(r#"{"a": {"b": 1, "c": 2}, "l": [1, 2], "n": 3}"#);
        merge(&mut value, &parse(r#"{"a": {"c": 4}, "l": [5], "n": null}"#));
        assert_eq!(value, parse(r#"{"a": {"b": 1, "c": 4}, "l": [5]}"#));
    }
}
