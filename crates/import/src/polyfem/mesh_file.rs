//! Mesh files that a scene needs beside those of the problem: refined meshes, groups of held nodes, and segments.

use super::part::Part;
use super::writer::ProblemWriter;
use crate::GeneratedMesh;
use crate::draft::{Hold, Region};
use crate::meshes::relative_path;
use crate::wireframe;
use resile_mesh::Wireframe;
use resile_mesh::read::{Group, Groups};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl ProblemWriter<'_> {
    /// Path of a part's mesh, relative to the scene. A mesh that is refined or gets `groups` is added to the
    /// generated files, and noted.
    pub(super) fn mesh_name(&mut self, part: &Part, groups: &Groups) -> String {
        let changed = part.refinements > 0 || !groups.is_empty();
        let Some(mesh) = part.mesh.solid().filter(|_| changed) else {
            return relative_path(self.base, &part.file);
        };
        let stem =
            part.file.file_stem().map_or_else(Default::default, |stem| stem.to_string_lossy());
        let refined = match part.refinements {
            0 => String::new(),
            count => format!("-refined{count}"),
        };
        let grouped = match groups.is_empty() {
            true => String::new(),
            false => format!("-{}", self.names.unique("groups")),
        };
        let name = format!("{stem}{refined}{grouped}.msh");
        if !self.files.iter().any(|file| file.name == name) {
            let mut contents = Vec::new();
            let written = resile_mesh::write::write_gmsh(mesh, groups, &mut contents);
            if let Err(error) = written {
                self.reader.refuse(&part.path, error);
            }
            if part.refinements > 0 {
                self.reader.findings.note(format!(
                    "{name} is the mesh with each tetrahedron divided into eight, {} times, because no scene \
                     refines a mesh",
                    part.refinements
                ));
            }
            if !groups.is_empty() {
                self.reader.findings.note(format!(
                    "{name} is the mesh with groups of held nodes that no plane or box selects, or of volumes"
                ));
            }
            self.files.push(GeneratedMesh { name: name.clone(), contents });
        }
        name
    }

    /// Name of a file with the segments and points that the problem takes from the mesh `source`. It is added to the
    /// generated files.
    pub(super) fn wireframe_name(&mut self, source: &Path, wireframe: &Wireframe) -> String {
        let stem = source.file_stem().map_or_else(Default::default, |stem| stem.to_string_lossy());
        let name = match wireframe.segments.is_empty() {
            true => format!("{stem}.pt"),
            false => format!("{stem}.seg"),
        };
        if !self.files.iter().any(|file| file.name == name) {
            let contents = wireframe::file_text(wireframe).into_bytes();
            self.files.push(GeneratedMesh { name: name.clone(), contents });
        }
        name
    }
}

/// Replaces lists of nodes in holds of a part with quadratic elements by groups of its mesh, which are added to `groups`.
/// A group selects the midpoint of an edge between two of its nodes; a list has vertices of the file alone.
pub(super) fn group_listed_nodes(part: &Part, holds: &mut [Hold], groups: &mut Groups) {
    let node_of_vertex: BTreeMap<u32, u32> =
        (0..).zip(&part.mesh.vertex_indices).map(|(node, vertex)| (*vertex, node)).collect();
    for hold in holds {
        let Region::Nodes(vertices) = &hold.region else { continue };
        let nodes: BTreeSet<u32> =
            vertices.iter().filter_map(|vertex| node_of_vertex.get(vertex).copied()).collect();
        let name = format!("held-{}", groups.len() + 1);
        groups
            .insert(name.clone(), Group { nodes: nodes.into_iter().collect(), ..Group::default() });
        hold.region = Region::Group(name);
    }
}
