//! Good files of every format, written straight from the descriptions of the formats,
//! independently of the readers. The readers' tests compare what comes out of them, and
//! `examples/fuzz_readers` damages them.

pub(crate) mod caches;
pub(crate) mod gmsh;
pub(crate) mod mixed;
pub(crate) mod read;
mod solids;
mod surfaces;
mod vtu;

use gmsh::{Content, FORMATS};
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::generate::Ball;
use vtu::Numbers;

/// A file, and what it is.
#[derive(Debug)]
pub(crate) struct GoodFile {
    /// The ending of its name; of `TetGen` the first of two.
    pub(crate) ending: &'static str,
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Between the two files of `TetGen`, which are kept as one.
pub(crate) const BETWEEN_FILES: char = '@';

/// What all the files hold, or its boundary. Its coordinates are not short in decimal,
/// and are exact in single precision, which is all that STL has.
pub(crate) fn ball() -> TetMesh {
    let mut mesh = Ball { radius: 0.7, layers: 1 }.build().unwrap();
    for p in &mut mesh.positions {
        *p = Vec3::from_array(p.to_array().map(|c| f64::from((c + 0.1) as f32)));
    }
    mesh
}

/// One in each dialect of each format.
pub(crate) fn all() -> Vec<GoodFile> {
    let (solid, surface) = (ball(), ball().boundary());
    let mut files = Vec::new();
    let mut add = |ending, name: &str, bytes: Vec<u8>| {
        files.push(GoodFile { ending, name: name.to_owned(), bytes });
    };
    add("obj", "obj", surfaces::obj(&surface).into());
    add("pc2", "pc2", caches::pc2(&caches::samples()));
    add("mdd", "mdd", caches::mdd(&caches::samples()));
    add("off", "off", surfaces::off(&surface).into());
    add("off", "off of points with normals", surfaces::normal_off(&surface).into());
    add("stl", "ascii stl", surfaces::ascii_stl(&surface).into());
    add("stl", "binary stl", surfaces::binary_stl(&surface));
    add("ply", "ascii ply", surfaces::ascii_ply(&surface).into());
    add("ply", "little ply", surfaces::binary_ply(&surface, false));
    add("ply", "big ply", surfaces::binary_ply(&surface, true));
    for format in FORMATS {
        add("msh", &format!("{format:?}"), Content::of(&solid).encode(format));
    }
    add("mesh", "medit", solids::medit(&solid).into());
    add("node", "tetgen from 0", solids::tetgen(&solid, 0).into());
    add("node", "tetgen from 1", solids::tetgen(&solid, 1).into());
    add("vtk", "ascii vtk", solids::vtk(&solid, false));
    add("vtk", "binary vtk", solids::vtk(&solid, true));
    add("vtk", "vtk 5", solids::vtk_5(&solid));
    let plain =
        [Numbers::Text, Numbers::Base64, Numbers::Base64Padded, Numbers::Raw, Numbers::RawBig];
    for numbers in plain.into_iter().chain([Numbers::Zlib, Numbers::RawZlib]) {
        add("vtu", &format!("vtu {numbers:?}"), vtu::vtu(&solid, numbers));
    }
    files
}

fn words<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().map(|n| n.to_string() + " ").collect()
}

/// Numbers of either byte order.
fn real(big: bool, x: f64) -> [u8; 8] {
    if big { x.to_be_bytes() } else { x.to_le_bytes() }
}

fn int(big: bool, i: u32) -> [u8; 4] {
    if big { i.to_be_bytes() } else { i.to_le_bytes() }
}
