//! Unique names of bodies and obstacles.

use std::collections::BTreeMap;
use std::path::Path;

/// Assigned names, all of them different.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Number of times that each name was proposed or assigned.
    use_counts: BTreeMap<String, usize>,
}

impl Names {
    /// Assigns a unique name derived from a file name.
    pub(crate) fn of_file(&mut self, path: &Path) -> String {
        let stem = path.file_stem().map_or_else(|| "body".into(), |stem| stem.to_string_lossy());
        self.unique(&stem)
    }

    /// Assigns `proposed` with `_` for brackets, quotes and backslashes, and with a number appended if it is taken.
    pub(crate) fn unique(&mut self, proposed: &str) -> String {
        let proposed: String =
            proposed.chars().map(|c| if "[]\"\\".contains(c) { '_' } else { c }).collect();
        let count = self.use_counts.entry(proposed.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { proposed.clone() } else { format!("{proposed}-{count}") };
        if name == proposed || !self.use_counts.contains_key(&name) {
            self.use_counts.entry(name.clone()).or_insert(1);
            return name;
        }
        self.unique(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = Names::default();
        let given = ["cube", "cube", "cube-2", "cube", "a[0]"].map(|name| names.unique(name));
        assert_eq!(given, ["cube", "cube-2", "cube-2-2", "cube-3", "a_0_"]);
        assert_eq!(names.of_file(Path::new("x/ball.msh")), "ball");
    }
}
