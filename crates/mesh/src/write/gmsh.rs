//! Gmsh `.msh`, version 4.1, binary.
//!
//! An element belongs to one geometric entity, and an entity to physical groups. The writer therefore makes one
//! entity for each distinct set of groups of elements.

use super::group_sets::GroupSets;
use crate::read::Groups;
use crate::{QuadraticMesh, TetMesh};
use resile_math::{Aabb, Vec3};
use std::io::{self, BufWriter, Write};

/// Element type: dimension of its entities, and Gmsh's type number.
#[derive(Debug, Clone, Copy)]
struct ElementKind {
    dimension: i32,
    number: i32,
}

const POINT: ElementKind = ElementKind { dimension: 0, number: 15 };
const TRIANGLE: ElementKind = ElementKind { dimension: 2, number: 2 };
const TETRAHEDRON: ElementKind = ElementKind { dimension: 3, number: 4 };
const SECOND_ORDER_TETRAHEDRON: ElementKind = ElementKind { dimension: 3, number: 11 };
/// Our nodes in the order of Gmsh, whose midside nodes are those of the edges 01, 12, 02, 03, 23, 13.
const SECOND_ORDER_NODES: [usize; 10] = [0, 1, 2, 3, 4, 7, 5, 6, 9, 8];

/// Largest number of groups of an entity that our reader accepts.
const MAX_GROUPS: usize = 16;

/// Consecutive elements of one type and one set of groups.
#[derive(Debug)]
struct ElementBlock<'a> {
    kind: ElementKind,
    set: usize,
    /// Nodes of each element, from 0.
    nodes: Vec<&'a [u32]>,
}

/// Writes a solid in little-endian binary. `groups` become physical groups: their tetrahedra, their faces as
/// triangles, and their other nodes as points.
///
/// # Errors
/// If writing fails, or an element is in more than 16 groups.
pub fn write_gmsh(mesh: &TetMesh, groups: &Groups, writer: impl Write) -> io::Result<()> {
    write_solid(&Solid::new(&mesh.positions, &mesh.tets, TETRAHEDRON), groups, writer)
}

/// Writes second-order tetrahedra in the same format. `groups` are those of the linear mesh of their corners, so faces
/// are written by corners.
///
/// # Errors
/// If writing fails, or an element is in more than 16 groups.
pub fn write_gmsh_quadratic(
    mesh: &QuadraticMesh,
    groups: &Groups,
    writer: impl Write,
) -> io::Result<()> {
    let ordered = |nodes: &[u32; 10]| SECOND_ORDER_NODES.map(|k| nodes[k]);
    let elements: Vec<[u32; 10]> = mesh.elements.iter().map(ordered).collect();
    write_solid(&Solid::new(&mesh.positions, &elements, SECOND_ORDER_TETRAHEDRON), groups, writer)
}

/// A solid for writing: positions (m) and elements of one kind with `N` nodes.
struct Solid<'a, const N: usize> {
    positions: &'a [Vec3],
    elements: &'a [[u32; N]],
    kind: ElementKind,
}

impl<'a, const N: usize> Solid<'a, N> {
    fn new(positions: &'a [Vec3], elements: &'a [[u32; N]], kind: ElementKind) -> Self {
        Self { positions, elements, kind }
    }
}

/// Writes all sections of a file, and flushes it.
///
/// # Errors
/// If writing fails, or an element is in more than [`MAX_GROUPS`] groups.
fn write_solid<const N: usize>(
    solid: &Solid<'_, N>,
    groups: &Groups,
    writer: impl Write,
) -> io::Result<()> {
    let sets = GroupSets::new(solid.elements, groups);
    if sets.sets.iter().any(|set| set.len() > MAX_GROUPS) {
        let message = "an element is in more than 16 groups, which this format does not hold";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let blocks = element_blocks(solid, &sets);
    let mut out = BufWriter::new(writer);
    out.write_all(b"$MeshFormat\n4.1 1 8\n")?;
    write_ints(&mut out, [1])?;
    out.write_all(b"\n$EndMeshFormat\n")?;
    write_names(&sets, &blocks, &mut out)?;
    write_entities(solid.positions, &sets, &blocks, &mut out)?;
    out.write_all(b"$Nodes\n")?;
    let node_count = solid.positions.len() as u64;
    // One block with the numbers from 1 to the count, on an entity without groups, and not parametric.
    write_sizes(&mut out, [1, node_count, 1, node_count])?;
    write_ints(&mut out, [solid.kind.dimension, entity_tag(0)])?;
    write_ints(&mut out, [0])?;
    write_sizes(&mut out, [node_count])?;
    write_sizes(&mut out, 1..=node_count)?;
    write_reals(&mut out, solid.positions.iter().flat_map(|p| p.to_array()))?;
    out.write_all(b"\n$EndNodes\n")?;
    write_elements(&blocks, &mut out)?;
    out.flush()
}

/// Entity number of a set of groups.
fn entity_tag(set: usize) -> i32 {
    set as i32 + 1
}

/// Groups consecutive tetrahedra, faces and points with equal sets of groups into blocks.
fn element_blocks<'a, const N: usize>(
    solid: &Solid<'a, N>,
    sets: &'a GroupSets<'_>,
) -> Vec<ElementBlock<'a>> {
    let tets = solid.elements.iter().zip(&sets.elements);
    let tets = tets.map(|(nodes, &set)| (solid.kind, set, &nodes[..]));
    let faces = sets.faces.iter().map(|(corners, set)| (TRIANGLE, *set, &corners[..]));
    let points = sets.nodes.iter().map(|(node, set)| (POINT, *set, std::slice::from_ref(node)));
    let mut blocks: Vec<ElementBlock<'a>> = Vec::new();
    for (kind, set, nodes) in tets.chain(faces).chain(points) {
        match blocks.last_mut() {
            Some(last) if last.kind.dimension == kind.dimension && last.set == set => {
                last.nodes.push(nodes);
            }
            _ => blocks.push(ElementBlock { kind, set, nodes: vec![nodes] }),
        }
    }
    blocks
}

/// Indices of the sets of groups of all elements with the dimension of `kind`, ascending.
fn sets_of_dimension(kind: ElementKind, blocks: &[ElementBlock<'_>]) -> Vec<usize> {
    let blocks_of_kind = blocks.iter().filter(|block| block.kind.dimension == kind.dimension);
    let mut sets: Vec<usize> = blocks_of_kind.map(|block| block.set).collect();
    if kind.dimension == TETRAHEDRON.dimension {
        // All nodes belong to the volume without groups.
        sets.push(0);
    }
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// Writes `$PhysicalNames`: one name per dimension and group; nothing without groups.
fn write_names(
    sets: &GroupSets<'_>,
    blocks: &[ElementBlock<'_>],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut names = Vec::new();
    for kind in [POINT, TRIANGLE, TETRAHEDRON] {
        let mut groups: Vec<usize> = sets_of_dimension(kind, blocks)
            .iter()
            .flat_map(|&set| sets.sets[set].iter().copied())
            .collect();
        groups.sort_unstable();
        groups.dedup();
        names.extend(groups.into_iter().map(|group| (kind.dimension, group)));
    }
    if names.is_empty() {
        return Ok(());
    }
    writeln!(out, "$PhysicalNames\n{}", names.len())?;
    for (dimension, group) in names {
        // A quotation mark would end the name.
        let name = sets.names[group].replace('"', "'");
        writeln!(out, "{dimension} {} \"{name}\"", group + 1)?;
    }
    writeln!(out, "$EndPhysicalNames")
}

/// Writes `$Entities`: one entity per dimension and set of groups. A point is at the first node of its set, and the
/// others have the bounding box of the mesh.
fn write_entities(
    positions: &[Vec3],
    sets: &GroupSets<'_>,
    blocks: &[ElementBlock<'_>],
    out: &mut impl Write,
) -> io::Result<()> {
    let [points, surfaces, volumes] =
        [POINT, TRIANGLE, TETRAHEDRON].map(|kind| sets_of_dimension(kind, blocks));
    out.write_all(b"$Entities\n")?;
    write_sizes(out, [points.len(), 0, surfaces.len(), volumes.len()].map(|count| count as u64))?;
    let write_groups = |set: usize, out: &mut _| {
        let groups = &sets.sets[set];
        write_sizes(out, [groups.len() as u64])?;
        write_ints(out, groups.iter().map(|&group| group as i32 + 1))
    };
    for set in points {
        let first_node = sets.nodes.iter().find(|(_, set_of_node)| *set_of_node == set);
        let position =
            first_node.map_or([0.0; 3], |(node, _)| positions[*node as usize].to_array());
        write_ints(out, [entity_tag(set)])?;
        write_reals(out, position)?;
        write_groups(set, out)?;
    }
    let bounds = Aabb::around(positions).map_or([0.0; 6], |bounds| {
        let ([min_x, min_y, min_z], [max_x, max_y, max_z]) =
            (bounds.min.to_array(), bounds.max.to_array());
        [min_x, min_y, min_z, max_x, max_y, max_z]
    });
    for set in surfaces.into_iter().chain(volumes) {
        write_ints(out, [entity_tag(set)])?;
        write_reals(out, bounds)?;
        write_groups(set, out)?;
        // The bounding entities are omitted.
        write_sizes(out, [0])?;
    }
    out.write_all(b"\n$EndEntities\n")
}

/// Writes `$Elements`, one block after another.
fn write_elements(blocks: &[ElementBlock<'_>], out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"$Elements\n")?;
    let count = blocks.iter().map(|block| block.nodes.len() as u64).sum();
    write_sizes(out, [blocks.len() as u64, count, 1, count])?;
    let mut element_tag = 0;
    for ElementBlock { kind, set, nodes } in blocks {
        write_ints(out, [kind.dimension, entity_tag(*set), kind.number])?;
        write_sizes(out, [nodes.len() as u64])?;
        for nodes in nodes {
            element_tag += 1;
            write_sizes(out, [element_tag])?;
            write_sizes(out, nodes.iter().map(|&node| u64::from(node) + 1))?;
        }
    }
    out.write_all(b"\n$EndElements\n")
}

/// Writes C `int`s.
fn write_ints(out: &mut impl Write, numbers: impl IntoIterator<Item = i32>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// Writes C `size_t`s.
fn write_sizes(out: &mut impl Write, numbers: impl IntoIterator<Item = u64>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// Writes C `double`s.
fn write_reals(out: &mut impl Write, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
