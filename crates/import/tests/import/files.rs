//! A folder with small meshes.

use resile_import::{ForeignFormat, ImportError, Imported, import};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A cube of edge 1 from the origin, of six tetrahedra.
const CUBE: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n3 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n\
0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n$EndNodes\n$Elements\n1 6 1 6\n3 1 4 6\n\
1 1 2 3 7\n2 1 3 4 7\n3 1 4 8 7\n4 1 8 5 7\n5 1 5 6 7\n6 1 6 2 7\n$EndElements\n";
/// A square of edge 1 in the plane of x and z.
const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n";

/// A folder with the meshes and files of a test.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        for (name, text) in [("meshes/cube.msh", CUBE), ("meshes/square.obj", SQUARE)] {
            files.write(name, text);
        }
        files
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// A file of this name and text, imported beside itself.
    pub(crate) fn import(&self, name: &str, text: &str) -> Result<Imported, ImportError> {
        let path = self.write(name, text);
        let format = ForeignFormat::of(&path).expect("a known format");
        import(&path, format, self.folder())
    }

    /// The scene of a file that can be expressed.
    pub(crate) fn scene(&self, name: &str, text: &str) -> String {
        self.import(name, text).unwrap_or_else(|error| panic!("{error}")).scene
    }

    /// What is refused of a file, each with its line.
    pub(crate) fn refused(&self, name: &str, text: &str) -> Vec<(Option<usize>, String)> {
        match self.import(name, text) {
            Err(ImportError::Refused(refusals)) => {
                refusals.into_iter().map(|refusal| (refusal.line, refusal.what)).collect()
            }
            other => panic!("{other:?}"),
        }
    }
}
