//! Every mesh in the shared data folder, good, odd and hostile, and what becomes of it.

use crate::good_files::BETWEEN_FILES;
use crate::good_files::read::{Mesh, read};
use crate::support::{shared_data, shared_files};
use resile_mesh::read::OtherSolidPolicy;
use resile_mesh::{TetMesh, TriMesh};

fn solid(mesh: &TetMesh) -> String {
    let (nodes, tets) = (mesh.positions.len(), mesh.tets.len());
    let (faces, inverted) = (mesh.surface().triangles.len(), mesh.inverted().len());
    format!("{nodes} nodes, {tets} tets, {faces} boundary faces, {inverted} inverted")
}

fn surface(mesh: &TriMesh) -> String {
    let (vertices, faces) = (mesh.positions.len(), mesh.triangles.len());
    let d = mesh.defects();
    format!(
        "{vertices} V, {faces} F; open {}, non-manifold {}, mis-oriented {}, dup F {}",
        d.open_edges, d.non_manifold_edges, d.misoriented_edges, d.duplicate_triangles
    )
}

/// What becomes of a file, in a line; `None` for the second of a pair.
fn outcome(file: &str, mut bytes: Vec<u8>) -> Option<String> {
    let (_, ending) = file.rsplit_once('.')?;
    if ending == "ele" {
        return None;
    }
    if ending == "node" {
        bytes.push(BETWEEN_FILES as u8);
        bytes.extend(shared_data(&file.replace(".node", ".ele"))?);
    }
    Some(match read(ending, &bytes, OtherSolidPolicy::Refuse) {
        Ok(Mesh::Solid(mesh)) => solid(&mesh),
        Ok(Mesh::Surface(mesh)) => surface(&mesh),
        Ok(Mesh::Cache(cache)) => format!("{} samples", cache.samples.len()),
        Err(error) => format!("refused: {error}"),
    })
}

#[test]
fn shared_files_give_the_tabled_outcomes() {
    let files = shared_files(&["surface", "tet", "format", "bad"]);
    let mut wrong = Vec::new();
    for file in &files {
        let Some(bytes) = shared_data(file) else { continue };
        let Some(found) = outcome(file, bytes) else { continue };
        match TABLE.iter().find(|(name, _)| name == file) {
            Some((_, expected)) if found.starts_with(expected) => {}
            _ => wrong.push(format!("    (\"{file}\", \"{found}\"),")),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let lost = TABLE.iter().filter(|(name, _)| !files.iter().any(|file| file == name));
    assert!(files.is_empty() || lost.count() == 0, "the table names files that are not there");
}

/// `cargo test -p resile-mesh --test mesh -- --ignored --nocapture print_outcome_table`
#[test]
#[ignore = "prints; the test above looks"]
#[allow(clippy::print_stdout, reason = "a table for people")]
fn print_outcome_table() {
    println!("| file | command | result |\n|---|---|---|");
    for file in shared_files(&["surface", "tet", "format", "bad"]) {
        let Some(bytes) = shared_data(&file) else { continue };
        let Some(found) = outcome(&file, bytes) else { continue };
        println!("| {file} | `sim info {file}` | {found} |");
    }
}

/// What the folder's own table says, or the beginning of the reason for refusing it.
#[rustfmt::skip]
const TABLE: &[(&str, &str)] = &[
    ("bad/OutOfMemory.off", "refused: line 3: 353535235358 vertices are announced"),
    ("bad/bad_microstructure_P1.msh", "1585 nodes, 6414 tets, 1762 boundary faces, 8 inverted"),
    ("bad/blobby-shuffled.off", "2027 V, 4050 F; open 0, non-manifold 0, mis-oriented 3069, dup F 0"),
    ("bad/chair_model.obj", "3186 V, 12756 F; open 0, non-manifold 9545, mis-oriented 19090, dup F 6382"),
    ("bad/cube_with_fold.ply", "26 V, 48 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/degenerated.obj", "7 V, 24 F; open 0, non-manifold 6, mis-oriented 12, dup F 12"),
    ("bad/degtri_sliding.off", "8 V, 8 F; open 6, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/elephant-with-holes.off", "2733 V, 4463 F; open 1353, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/empty.obj", "refused: the file has no faces"),
    ("bad/empty.stl", "refused: the file has no faces"),
    ("bad/invalid.off", "refused: line 6: 4 faces are announced, but the rest of the file can hold"),
    ("bad/joined_tetrahedra.obj", "5 V, 8 F; open 0, non-manifold 3, mis-oriented 6, dup F 1"),
    ("bad/malformed.obj", "refused: line 28: the face refers to vertex 0, but there are 8 vertices"),
    // The NaN is in a colour.
    ("bad/nancolor.obj", "8 V, 12 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/negative_indices.obj", "8 V, 12 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/notenoughindices.obj", "3 V, 1 F; open 3, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/soup.stl", "300 V, 100 F; open 300, non-manifold 0, mis-oriented 0, dup F 0"),
    ("bad/spider.obj", "750 V, 1368 F; open 72, non-manifold 0, mis-oriented 10, dup F 0"),
    ("bad/two-boxes-bad-self-union.ply", "384 V, 708 F; open 80, non-manifold 0, mis-oriented 0, dup F 0"),
    ("format/bunny_3295.node", "3295 nodes, 11586 tets, 4736 boundary faces, 0 inverted"),
    ("format/cube-hex.msh", "refused: the file has 1 hexahedron and no linear tetrahedra"),
    ("format/hybrid_block.msh", "refused: the file has 8 prisms, 16 pyramids beside 16 tetrahedra"),
    ("format/square1K_2d.msh", "refused: the file has no tetrahedra (found: 2592 triangles)"),
    ("format/tets5_22_ascii.msh", "8 nodes, 5 tets, 12 boundary faces, 0 inverted"),
    ("format/tets5_22_binary.msh", "8 nodes, 5 tets, 12 boundary faces, 0 inverted"),
    ("format/tets5_41_ascii.msh", "8 nodes, 5 tets, 12 boundary faces, 0 inverted"),
    ("format/tets5_41_binary.msh", "8 nodes, 5 tets, 12 boundary faces, 0 inverted"),
    ("surface/bunny_npm.obj", "1839 V, 3674 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("surface/hand_1197.off", "1197 V, 2390 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("surface/sphere_642.obj", "642 V, 1280 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("surface/spot_2930.obj", "2930 V, 5856 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("surface/spot_829.obj", "829 V, 1654 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("surface/torus_2304.obj", "2304 V, 4608 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("surface/wingnut_3047.obj", "3047 V, 6090 F; open 0, non-manifold 0, mis-oriented 0, dup F 0"),
    ("tet/bar-2523.msh", "886 nodes, 2523 tets, 1618 boundary faces, 0 inverted"),
    ("tet/bunny_4670.msh", "4670 nodes, 19379 tets, 6266 boundary faces, 0 inverted"),
    ("tet/bunny_891.vtk", "891 nodes, 2601 tets, 1580 boundary faces, 0 inverted"),
    ("tet/cube-denser.msh", "335 nodes, 1101 tets, 540 boundary faces, 0 inverted"),
    ("tet/cube.msh", "8 nodes, 6 tets, 12 boundary faces, 0 inverted"),
    ("tet/link_233.msh", "233 nodes, 673 tets, 440 boundary faces, 0 inverted"),
    ("tet/octopus-low.mesh", "452 nodes, 1140 tets, 898 boundary faces, 0 inverted"),
    ("tet/sphere1K.msh", "1760 nodes, 6851 tets, 2474 boundary faces, 0 inverted"),
    ("tet/torus4K.vtk", "4621 nodes, 17514 tets, 6730 boundary faces, 0 inverted"),
];
