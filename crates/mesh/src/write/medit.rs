//! Medit `.mesh`, text.
//!
//! Medit has numeric references instead of named groups, one per element. Each distinct set of groups of
//! elements gets a reference, 0 for the empty set, and comments list the names.

use super::group_sets::GroupSets;
use crate::TetMesh;
use crate::read::Groups;
use std::io::{self, BufWriter, Write};

/// Writes a solid, and the faces and other nodes of its groups. Each set of groups has a reference number, which
/// comments name. A group named `ref=3` or `triangles ref=3`, as by our reader, has the reference 3 where it is the
/// only group.
///
/// # Errors
/// If writing fails.
pub fn write_medit(mesh: &TetMesh, groups: &Groups, writer: impl Write) -> io::Result<()> {
    let sets = GroupSets::new(&mesh.tets, groups);
    let references = references_of_sets(&sets);
    let mut out = BufWriter::new(writer);
    write!(out, "MeshVersionFormatted 2\nDimension 3\n")?;
    for (set, reference) in references.iter().enumerate().skip(1) {
        // A line break would end the comment.
        let names: Vec<&str> = sets.names_of(set).collect();
        let names = names.join(", ").replace(char::is_control, " ");
        writeln!(out, "# reference {reference}: {names}")?;
    }
    let mut node_references = vec![0; mesh.positions.len()];
    sets.nodes.iter().for_each(|&(node, set)| node_references[node as usize] = references[set]);
    write!(out, "Vertices\n{}\n", mesh.positions.len())?;
    for (p, reference) in mesh.positions.iter().zip(node_references) {
        writeln!(out, "{:?} {:?} {:?} {reference}", p.x, p.y, p.z)?;
    }
    if !sets.faces.is_empty() {
        write!(out, "Triangles\n{}\n", sets.faces.len())?;
        for (corners, set) in &sets.faces {
            let [a, b, c] = corners.map(|node| u64::from(node) + 1);
            writeln!(out, "{a} {b} {c} {}", references[*set])?;
        }
    }
    write!(out, "Tetrahedra\n{}\n", mesh.tets.len())?;
    for (tet, set) in mesh.tets.iter().zip(&sets.elements) {
        let [a, b, c, d] = tet.map(|node| u64::from(node) + 1);
        writeln!(out, "{a} {b} {c} {d} {}", references[*set])?;
    }
    writeln!(out, "End")?;
    out.flush()
}

/// Reference number of each set of groups. A set of one group takes the number in its name, such as `ref=3`; the others
/// take unused numbers.
fn references_of_sets(sets: &GroupSets<'_>) -> Vec<u32> {
    let reference_in_name = |set: &Vec<usize>| match set[..] {
        [] => Some(0),
        [group] => {
            sets.names[group].rsplit_once("ref=").and_then(|(_, number)| number.parse().ok())
        }
        _ => None,
    };
    let named: Vec<Option<u32>> = sets.sets.iter().map(reference_in_name).collect();
    let mut unused = (1..).filter(|number| !named.contains(&Some(*number)));
    let numbered = named.iter().map(|number| number.or_else(|| unused.next()));
    numbered.map(|number| number.expect("there are more numbers than sets")).collect()
}
