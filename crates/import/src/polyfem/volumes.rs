//! `volume_selection`: ids of the elements of a mesh.

use super::material::{self, Law};
use super::part::Part;
use super::reader::Reader;
use super::selection;
use crate::meshes::ForeignMesh;
use resile_math::{Aabb, Vec3};
use resile_mesh::read::{Group, Groups};
use std::collections::{BTreeMap, BTreeSet};

/// Ids of the elements of a mesh.
#[derive(Debug, Clone, Default)]
pub(super) struct Volumes {
    /// Id of the first element.
    pub(super) first: i64,
    /// Other ids, each with the indices of its elements in ascending order.
    pub(super) others: Vec<(i64, Vec<u32>)>,
}

impl Volumes {
    /// All ids.
    pub(super) fn ids(&self) -> impl Iterator<Item = i64> + '_ {
        std::iter::once(self.first).chain(self.others.iter().map(|(id, _)| *id))
    }

    /// Reads the ids of a mesh with nodes at `points` (m) and these bounds (m) by the selection at `path`. Elements
    /// that no rule selects have their id in the file of the mesh, or else 0; `id_offset` alone is added to those ids.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        path: &str,
        mesh: &ForeignMesh,
        points: &[Vec3],
        bounds: Aabb,
    ) -> Self {
        let id_in_file = |element: usize| mesh.volume_ids.get(element).copied().unwrap_or(0);
        let tets = mesh.solid().map_or(&[][..], |mesh| &mesh.tets);
        let offset = reader.get(path).and_then(|value| value.get("id_offset"));
        let ids: Vec<i64> = if let Some(offset) = offset {
            reader.allow_only(path, &["id_offset"]);
            let offset = offset.as_i64().unwrap_or(0);
            (0..tets.len()).map(|element| id_in_file(element) + offset).collect()
        } else {
            let rules = selection::read(reader, path, bounds);
            let corners = |tet: &[u32; 4]| tet.map(|node| points[node as usize]);
            let tets = tets.iter().enumerate();
            tets.map(|(element, tet)| {
                selection::assigned_id(&rules, element, &corners(tet))
                    .unwrap_or_else(|| id_in_file(element))
            })
            .collect()
        };
        let first = ids.first().copied().unwrap_or(0);
        let mut others: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for (element, id) in (0..).zip(ids).filter(|(_, id)| *id != first) {
            others.entry(id).or_default().push(element);
        }
        Self { first, others: others.into_iter().collect() }
    }
}

/// Materials of the volumes of a part that have other laws than `law`, that of the first one: for each, the name of a
/// group, which is added to `groups`, and the law.
pub(super) fn other_materials(
    reader: &mut Reader<'_>,
    part: &Part,
    law: &Law,
    groups: &mut Groups,
) -> Vec<(String, Law)> {
    let tets = part.mesh.solid().map_or(&[][..], |mesh| &mesh.tets);
    let mut materials = Vec::new();
    for (id, elements) in &part.volumes.others {
        let other = material::law_of_volume(reader, *id).filter(|other| other != law);
        let Some(other) = other else { continue };
        let name = format!("volume-{id}");
        let nodes: BTreeSet<u32> =
            elements.iter().flat_map(|element| tets[*element as usize]).collect();
        let nodes = nodes.into_iter().collect();
        groups
            .insert(name.clone(), Group { nodes, elements: elements.clone(), ..Group::default() });
        materials.push((name, other));
    }
    materials
}
