//! Readers of meshes and of point caches. The first byte says which.

use crate::engine::sound::sound;
use crate::good_files::read::read;
use resile_mesh::read::OtherSolidPolicy;

/// Readers of meshes by their first byte.
pub const MESHES: [(u8, &str); 9] = [
    (b'o', "obj"),
    (b's', "stl"),
    (b'p', "ply"),
    (b'f', "off"),
    (b'g', "msh"),
    (b'v', "vtk"),
    (b'x', "vtu"),
    (b'm', "mesh"),
    (b't', "node"),
];
/// Readers of point caches by their first byte.
pub const CACHES: [(u8, &str); 2] = [(b'2', "pc2"), (b'd', "mdd")];

/// A mesh of any format.
pub fn mesh(data: &[u8]) {
    looked_at(&MESHES, data);
}

/// A point cache of either format.
pub fn cache(data: &[u8]) {
    looked_at(&CACHES, data);
}

fn looked_at(readers: &[(u8, &str)], data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else { return };
    let Some((_, ending)) = readers.iter().find(|(byte, _)| byte == first) else { return };
    match read(ending, bytes, OtherSolidPolicy::LeaveOut) {
        Ok(mesh) => assert_eq!(sound(&mesh, bytes.len()), Ok(()), ".{ending}"),
        Err(reason) => assert!(!reason.is_empty()),
    }
}
