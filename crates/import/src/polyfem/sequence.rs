//! `mesh_sequence`: the files of a sequence, and their names in a scene.

use super::reader::Reader;
use super::writer::ProblemWriter;
use crate::GeneratedMesh;
use crate::meshes::relative_path;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest length of the file of a frame in bytes.
const MAX_FRAME_BYTES: u64 = 1 << 30;

/// Files of the sequence at `path`: a list of names, the files of a folder, or those that a pattern with `*` and `?`
/// matches. A text without these is the beginning of a name that ends with a number, with `.obj` as default extension.
/// The files of a folder or pattern are in the order of their names and of the numbers in these. Refuses sequences
/// without files, and files that do not exist.
pub(super) fn files(reader: &mut Reader<'_>, path: &str) -> Option<Vec<PathBuf>> {
    let files = match reader.get(path) {
        Some(Value::Array(_)) => reader
            .items(path)
            .iter()
            .map(|item| listed_file(reader, item))
            .collect::<Option<_>>()?,
        Some(Value::String(name)) => match reader.document.folder(name) {
            Some(folder) => files_in(&folder, |_| true),
            None => matching_files(reader, name),
        },
        _ => {
            reader.refuse(path, "this must be a list of files, a folder or a pattern");
            return None;
        }
    };
    if files.is_empty() {
        reader.refuse(path, "there are no such files");
        return None;
    }
    Some(files)
}

/// File of a list; refused if it does not exist.
fn listed_file(reader: &mut Reader<'_>, path: &str) -> Option<PathBuf> {
    let name = reader.text(path).unwrap_or_default();
    let file = reader.document.file(name);
    if file.is_none() {
        reader.refuse(path, format!("there is no file {name}"));
    }
    file
}

/// Files whose names match a pattern.
fn matching_files(reader: &Reader<'_>, pattern: &str) -> Vec<PathBuf> {
    let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let Some(folder) = reader.document.folder(folder) else { return Vec::new() };
    if name.contains(['*', '?']) {
        return files_in(&folder, |file| matches(name.as_bytes(), file.as_bytes()));
    }
    let (prefix, extension) = name.rsplit_once('.').unwrap_or((name, "obj"));
    let suffix = format!(".{extension}");
    files_in(&folder, |file| {
        let number = file.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(&suffix));
        number.is_some_and(is_number)
    })
}

/// Files in a folder whose names are accepted, in natural order.
fn files_in(folder: &Path, accepts: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| accepts(name)).collect();
    names.sort_by_cached_key(|name| (natural_key(name), name.clone()));
    names.into_iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
}

/// Whether a text is a number without a sign.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a pattern matches a name, where `*` stands for any characters and `?` for one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|start| matches(rest, &name[start..])),
        ([b'?', rest @ ..], [_, name @ ..]) => matches(rest, name),
        ([first, rest @ ..], [byte, name @ ..]) => first == byte && matches(rest, name),
        _ => false,
    }
}

/// Key that sorts names by their texts and by the values of the numbers between these: digits by their count without
/// leading zeros, then by themselves.
fn natural_key(name: &str) -> Vec<(usize, String)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut key = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_digit(c) != is_digit(first)).unwrap_or(rest.len());
        let (run, remaining) = rest.split_at(end);
        key.push(match is_digit(first) {
            true => {
                let digits = run.trim_start_matches('0');
                (digits.len(), digits.to_owned())
            }
            false => (usize::MAX, run.to_owned()),
        });
        rest = remaining;
    }
    key
}

/// Path of files with `#` in place of the digits of their number, if a scene selects these files by it in this order:
/// their numbers are consecutive, and no other file of the folder has such a name.
fn numbered_pattern(files: &[PathBuf]) -> Option<PathBuf> {
    let first = files.first()?;
    let name = first.file_name()?.to_str()?;
    let stem = name.len() - first.extension().map_or(0, |extension| extension.len() + 1);
    let end = name[..stem].rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |last| last + 1);
    let (prefix, suffix, digits) = (&name[..start], &name[end..], end - start);
    let first_number: u64 = name[start..end].parse().ok()?;
    let expected = (first_number..)
        .map(|number| first.with_file_name(format!("{prefix}{number:0digits$}{suffix}")));
    let is_selected = |file: &str| {
        let number = file.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        number.is_some_and(|number| is_number(number) && number.len() >= digits)
    };
    let are_consecutive = files.iter().cloned().eq(expected.take(files.len()));
    let folder = first.parent().filter(|folder| !folder.as_os_str().is_empty());
    let same_names = files_in(folder.unwrap_or(Path::new(".")), is_selected);
    let are_alone = same_names.len() == files.len();
    (are_consecutive && are_alone)
        .then(|| first.with_file_name(format!("{prefix}{}{suffix}", "#".repeat(digits))))
}

impl ProblemWriter<'_> {
    /// Names of the first of these files and of all of them in the scene. Files that no pattern of a scene selects are
    /// copied beside it with consecutive numbers and the name of the obstacle, which is noted. Refuses files that cannot
    /// be read, or that have different formats.
    pub(super) fn frames_of(&mut self, obstacle: &str, files: &[PathBuf]) -> (String, String) {
        if let Some(pattern) = numbered_pattern(files) {
            return (relative_path(self.base, &files[0]), relative_path(self.base, &pattern));
        }
        let extension = files[0].extension().unwrap_or_default();
        let ending = extension.to_string_lossy();
        let digits = files.len().to_string().len();
        for (index, file) in files.iter().enumerate() {
            let contents = match file.extension() == Some(extension) {
                true => resile_files::read(file, MAX_FRAME_BYTES)
                    .map_err(|error| format!("{}: {error}", file.display())),
                false => Err("frames of different formats cannot be expressed".to_owned()),
            };
            let name = format!("{obstacle}-{:0digits$}.{ending}", index + 1);
            match contents {
                Ok(contents) => self.files.push(GeneratedMesh { name, contents }),
                Err(reason) => return self.refuse_frames(reason),
            }
        }
        let hashes = "#".repeat(digits);
        let frames = format!("{obstacle}-{hashes}.{ending}");
        self.reader.findings.note(format!(
            "the frames of {obstacle} are copied to {frames}, because a scene names frames by consecutive numbers"
        ));
        (format!("{obstacle}-{:0digits$}.{ending}", 1), frames)
    }

    /// Refuses the frames of a sequence.
    fn refuse_frames(&mut self, reason: String) -> (String, String) {
        self.reader.refuse("geometry", reason);
        Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_by_the_numbers_in_them() {
        let mut names = ["a10.obj", "a9.obj", "a.obj", "a010b.obj", "a1.obj", "b0.obj"];
        names.sort_by_cached_key(|name| natural_key(name));
        assert_eq!(names, ["a1.obj", "a9.obj", "a10.obj", "a010b.obj", "a.obj", "b0.obj"]);
    }

    #[test]
    fn stars_stand_for_any_text_and_question_marks_for_one_character() {
        for (pattern, name, is_match) in [
            ("o*.obj", "o12.obj", true),
            ("o*.obj", "o.obj", true),
            ("o*.obj", "p1.obj", false),
            ("?*_?.ply", "ab_1.ply", true),
            ("o?.obj", "o12.obj", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), is_match, "{pattern} {name}");
        }
    }
}
