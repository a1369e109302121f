//! Notes of conditions without effect: their ids select nothing, or an earlier condition has the same ids.

use super::boundary::applies_to;
use super::geometry::Geometry;
use super::reader::Reader;
use super::selection::NONE;
use serde_json::Value;
use std::collections::BTreeSet;

/// Lists of loads on surfaces.
const LOAD_LISTS: [&str; 3] =
    ["neumann_boundary", "normal_aligned_neumann_boundary", "pressure_boundary"];
/// Lists of conditions on volumes.
const VOLUME_LISTS: [&str; 4] = [
    "boundary_conditions/rhs",
    "initial_conditions/solution",
    "initial_conditions/velocity",
    "initial_conditions/acceleration",
];

/// Ids that conditions can name.
struct Ids {
    /// Ids of which there is a face, a node or a volume.
    present: BTreeSet<i64>,
    /// Ids that a selection can assign.
    declared: BTreeSet<i64>,
    /// What has the ids, in the plural.
    elements: &'static str,
}

impl Ids {
    /// Ids that are all present.
    fn declared(ids: impl IntoIterator<Item = i64>, elements: &'static str) -> Self {
        let present: BTreeSet<i64> = ids.into_iter().collect();
        Self { declared: present.clone(), present, elements }
    }
}

/// Notes conditions without effect.
pub(super) fn note_ineffective(reader: &mut Reader<'_>, geometry: &Geometry) {
    let obstacles = geometry.obstacles.iter().filter_map(|obstacle| obstacle.surface);
    let of_obstacles = Ids::declared(obstacles, "obstacles");
    note_list(reader, "boundary_conditions/obstacle_displacements", &of_obstacles);
    let mut of_faces = Ids::declared([], "faces");
    for part in &geometry.parts {
        let face_ids = part.faces.iter().map(|(_, id)| *id);
        let ids = face_ids.chain(part.node_ids.iter().copied());
        of_faces.present.extend(ids.filter(|id| *id != NONE));
        of_faces.declared.extend(&part.declared_ids);
    }
    for list in LOAD_LISTS {
        note_list(reader, &format!("boundary_conditions/{list}"), &of_faces);
    }
    // These also move obstacles.
    of_faces.present.extend(&of_obstacles.present);
    note_list(reader, "boundary_conditions/dirichlet_boundary", &of_faces);
    let volumes = geometry.parts.iter().flat_map(|part| part.volumes.ids());
    let of_volumes = Ids::declared(volumes, "volumes");
    for list in VOLUME_LISTS {
        note_absent(reader, list, &of_volumes);
    }
}

/// Notes conditions of a list whose ids are absent, or those of an earlier condition.
fn note_list(reader: &mut Reader<'_>, list: &str, ids: &Ids) {
    note_absent(reader, list, ids);
    let conditions = reader.items(list);
    for (index, condition) in conditions.iter().enumerate() {
        let named = reader.ids(&format!("{condition}/id")).unwrap_or_default();
        for id in named.into_iter().filter(|id| ids.present.contains(id)) {
            let earlier =
                conditions[..index].iter().find(|earlier| applies_to(reader, earlier, id));
            if let Some(earlier) = earlier {
                let earlier = earlier.replace('/', ".");
                let message = format!(
                    "without effect for the id {id}, which has the earlier condition `{earlier}`: one condition applies to \
                     an id, also if its `dimension` leaves components free"
                );
                reader.note(condition, message);
            }
        }
    }
}

/// Notes conditions of a list whose ids select nothing.
fn note_absent(reader: &mut Reader<'_>, list: &str, ids: &Ids) {
    for condition in reader.items(list) {
        let path = format!("{condition}/id");
        if let Some(Value::String(name)) = reader.get(&path).filter(|id| *id != "all") {
            reader.refuse(&path, format!("`{name}` is no id: ids are integers, or `all`"));
        }
        for id in reader.ids(&path).unwrap_or_default() {
            if ids.present.contains(&id) {
                continue;
            }
            let reason = match ids.declared.contains(&id) {
                true => "the selection with this id contains none",
                false => "no selection has this id",
            };
            let message = format!("without effect for {} of the id {id}: {reason}", ids.elements);
            reader.note(&condition, message);
        }
    }
}
