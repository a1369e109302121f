//! Lists of near pairs, valid while bodies stay within a skin.
//!
//! While displacements since the listing stay within a *skin* (Verlet 1967), no pair becomes near whose distance
//! exceeded both skins at the listing. In a heap of many bodies few leave their skins in most iterations of a
//! minimisation; only these are searched again.
//!
//! # Reproducibility
//! Lists have their pairs in the order in which a search finds them. A search omits pairs beyond an impact, and a
//! list may be from another state, so inactive pairs may be listed or not. Lists are therefore cleared before each
//! step, since a resumed run has none.

use crate::geometry::ROUNDING_FACTOR;
use crate::geometry::shape::Shape;
use crate::search::candidates::ColliderPair;
use crate::search::narrow_phase::{PairDistance, PointPaths};
use crate::search::path_search::PathSearch;
use crate::search::task::Task;
use rayon::prelude::*;
use resile_math::Vec3;
use std::collections::BTreeMap;

/// Skin relative to `d_hat`; with 0.5 and 0.1 the large net of chains takes the same time.
const RELATIVE_SKIN: f64 = 0.25;

/// Largest displacement on a path, relative to the skin, for which pairs are listed again.
const MAX_LISTED_DISPLACEMENT: f64 = 0.5;

/// Smallest number of colliders for which pairs are listed; most of fewer colliders leave their skins.
const MIN_COLLIDERS: usize = 16;

/// Identifier of the listed position of fixed colliders.
const FIXED_POSITION: u64 = u64::MAX;

/// Pairs of primitives of a task, each with its distance at the listing.
type ListedPairs = Vec<PairDistance>;

/// Lists of pairs, and the positions of colliders at the listing.
#[derive(Debug, Default)]
pub(crate) struct PairLists {
    /// Positions of nodes and points.
    positions: Vec<Vec3>,
    /// Identifier of the listed position of each collider; `None` outside its skin.
    position_ids: Vec<Option<u64>>,
    /// Number of identifiers assigned so far.
    position_count: u64,
    /// Lists by pair of shapes.
    lists: BTreeMap<[usize; 2], List>,
}

/// Near pairs of two shapes at listed positions.
#[derive(Debug)]
struct List {
    /// Identifiers of the positions of both shapes at the listing.
    position_ids: [Option<u64>; 2],
    /// Pairs of each task between them.
    tasks: Vec<ListedPairs>,
}

/// Displacement of a collider on a path.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Displacement {
    /// Within the skin, with this largest distance (m) from the listed position.
    Near(f64),
    /// Short, but outside the skin.
    Short,
    Long,
}

/// Lists that are valid on a path.
pub(crate) struct ValidLists<'a> {
    lists: &'a PairLists,
    /// Largest displacement (m) of each collider from its listed position; `None` if it has no valid list.
    deviations: Vec<Option<f64>>,
}

impl PairLists {
    /// Removes all lists.
    fn clear(&mut self) {
        self.lists.clear();
        self.position_ids.clear();
    }

    /// Updates the lists of these pairs of colliders for the path of a search. `None` for fewer than [`MIN_COLLIDERS`]
    /// colliders, and if the search exceeds its budget.
    pub(crate) fn update(
        &mut self,
        search: &PathSearch<'_>,
        pairs: &[ColliderPair],
    ) -> Option<ValidLists<'_>> {
        let count = search.scene.colliders.len();
        if count < MIN_COLLIDERS {
            return None;
        }
        if self.position_ids.len() != count || self.positions.len() != search.path[0].len() {
            self.clear();
            self.position_ids = vec![None; count];
            self.positions = search.path[0].to_vec();
        }
        let deviations = self.update_positions(search, pairs);
        let has_listed_position = |k: usize| k >= count || deviations[k].is_some();
        let unlisted: Vec<&ColliderPair> = pairs
            .iter()
            .filter(|pair| {
                search.is_between_bodies(pair) && pair.shapes.into_iter().all(has_listed_position)
            })
            .filter(|pair| !self.has_current_list(pair))
            .collect();
        let lists = self.list_pairs(search, &unlisted);
        if search.budget.is_exceeded() {
            // Some lists are incomplete.
            self.clear();
            return None;
        }
        for (pair, tasks) in unlisted.iter().zip(lists) {
            let position_ids = pair.shapes.map(|k| self.position_id(k));
            self.lists.insert(pair.shapes, List { position_ids, tasks });
        }
        Some(ValidLists { lists: self, deviations })
    }

    /// Renews the listed positions of the colliders in `pairs` that are outside their skins on short paths, and
    /// discards those of colliders on long paths. Returns the largest distance (m) of each collider from its listed
    /// position on the path; `None` for colliders on long paths and for those in no pair of two meshes.
    fn update_positions(
        &mut self,
        search: &PathSearch<'_>,
        pairs: &[ColliderPair],
    ) -> Vec<Option<f64>> {
        let mut in_use = vec![false; self.position_ids.len()];
        let pairs_between_bodies = pairs.iter().filter(|pair| search.is_between_bodies(pair));
        for k in pairs_between_bodies
            .flat_map(|pair| pair.shapes)
            .filter(|k| *k < self.position_ids.len())
        {
            in_use[k] = true;
        }
        let displacement = |k: usize| in_use[k].then(|| self.classify(search, k));
        let displacements: Vec<Option<Displacement>> =
            (0..in_use.len()).into_par_iter().map(displacement).collect();
        let mut deviations = vec![None; in_use.len()];
        for (k, displacement) in displacements.into_iter().enumerate() {
            let [from, to] = search.path;
            match displacement {
                None => {}
                Some(Displacement::Near(deviation)) => deviations[k] = Some(deviation),
                Some(Displacement::Long) => self.position_ids[k] = None,
                Some(Displacement::Short) => {
                    self.position_count += 1;
                    self.position_ids[k] = Some(self.position_count);
                    deviations[k] = Some(search.max_distance(k, [from, to]));
                    for range in search.scene.ranges(k) {
                        self.positions[range.clone()].copy_from_slice(&from[range]);
                    }
                }
            }
        }
        deviations
    }

    /// Classifies the displacement of collider `k` on the path of a search.
    fn classify(&self, search: &PathSearch<'_>, k: usize) -> Displacement {
        let [from, to] = search.path;
        let skin = search.skin();
        if self.position_ids[k].is_some() {
            let deviation = search
                .max_distance(k, [from, &self.positions])
                .max(search.max_distance(k, [to, &self.positions]));
            if deviation <= skin {
                return Displacement::Near(deviation);
            }
        }
        if search.max_distance(k, [from, to]) <= MAX_LISTED_DISPLACEMENT * skin {
            Displacement::Short
        } else {
            Displacement::Long
        }
    }

    /// Identifier of the listed position of a shape.
    fn position_id(&self, shape: usize) -> Option<u64> {
        self.position_ids.get(shape).copied().unwrap_or(Some(FIXED_POSITION))
    }

    /// Whether the list of a pair was made at the listed positions of both shapes.
    fn has_current_list(&self, pair: &ColliderPair) -> bool {
        let list = self.lists.get(&pair.shapes);
        list.is_some_and(|list| list.position_ids == pair.shapes.map(|k| self.position_id(k)))
    }

    /// For each of `pairs` and each task between its colliders, the pairs of primitives that can become near while both
    /// colliders stay within their skins.
    fn list_pairs(
        &self,
        search: &PathSearch<'_>,
        pairs: &[&ColliderPair],
    ) -> Vec<Vec<ListedPairs>> {
        let scene = search.scene;
        let mut in_use = vec![false; scene.colliders.len() + scene.obstacles.meshes.len()];
        pairs.iter().flat_map(|pair| pair.shapes).for_each(|k| in_use[k] = true);
        let shape_of = |k: usize| in_use[k].then(|| scene.shape_at(k, &self.positions));
        let shapes: Vec<Option<Shape<'_>>> =
            (0..in_use.len()).into_par_iter().map(shape_of).collect();
        shapes.par_iter().flatten().for_each(Shape::prepare);
        let positions = &self.positions[..];
        let path = PointPaths { from: positions, to: positions, fixed: &scene.obstacles.points };
        let list_pair = |pair: &&ColliderPair| {
            let [Some(a), Some(b)] = pair.shapes.map(|k| shapes[k].as_ref()) else {
                return Vec::new();
            };
            let moving_count = pair.shapes.iter().filter(|k| **k < scene.colliders.len()).count();
            let distance = search.d_hat
                + pair.min_separation
                + moving_count as f64 * search.skin() * ROUNDING_FACTOR;
            let mut tasks = Vec::new();
            Task::between(a, b, distance).push_all_kinds(&mut tasks);
            let list = |task: &Task<'_>| {
                let mut overlaps = Vec::new();
                task.list_overlaps(search.budget, &mut overlaps);
                task.near_at_rest(&overlaps, &path)
            };
            tasks.iter().map(list).collect()
        };
        pairs.par_iter().map(list_pair).collect()
    }
}

impl ValidLists<'_> {
    /// Whether these shapes have a list that is valid on the path.
    pub(crate) fn has_list(&self, shapes: [usize; 2]) -> bool {
        let is_near = |k: usize| self.deviations.get(k).is_none_or(Option::is_some);
        shapes.into_iter().all(is_near) && self.lists.lists.contains_key(&shapes)
    }

    /// Writes the pairs of the `index`-th task between shapes that can be closer than `distance` (m).
    pub(crate) fn write_pairs_of_task(
        &self,
        shapes: [usize; 2],
        index: usize,
        distance: f64,
        out: &mut Vec<[u32; 2]>,
    ) {
        out.clear();
        let deviation = |k: usize| self.deviations.get(k).copied().flatten().unwrap_or(0.0);
        let reach = (distance + deviation(shapes[0]) + deviation(shapes[1])) * ROUNDING_FACTOR;
        let listed = self.lists.lists[&shapes].tasks[index].iter();
        out.extend(listed.filter(|near| near.distance <= reach).map(|near| near.pair));
    }
}

impl PathSearch<'_> {
    /// Skin (m).
    fn skin(&self) -> f64 {
        RELATIVE_SKIN * self.d_hat
    }

    /// Whether a pair of colliders consists of two different meshes; only such pairs are listed.
    fn is_between_bodies(&self, pair: &ColliderPair) -> bool {
        let [i, j] = pair.shapes;
        i != j && j < self.scene.colliders.len() + self.scene.obstacles.meshes.len()
    }

    /// Largest displacement (m) of a node or point of collider `k` between two states, rounded up; infinite if one is
    /// NaN.
    fn max_distance(&self, k: usize, [a, b]: [&[Vec3]; 2]) -> f64 {
        let mut max: f64 = 0.0;
        for range in self.scene.ranges(k) {
            for (a, b) in a[range.clone()].iter().zip(&b[range]) {
                let square = a.distance_squared(*b);
                max = if square <= max { max } else { square };
                if max.is_nan() {
                    return f64::INFINITY;
                }
            }
        }
        max.sqrt() * ROUNDING_FACTOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::budget::Budget;
    use crate::{CollisionMesh, CollisionScene};
    use resile_watch::Interrupt;

    const D_HAT: f64 = 0.1;

    /// Stacked triangles 8 cm apart, with an activation distance of 10 cm.
    fn pile(count: usize) -> (CollisionScene, Vec<Vec3>) {
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let mesh = |_| CollisionMesh::new(&rest, &[[0, 1, 2]]).expect("it is a triangle");
        let at = |k: usize| rest.map(|p| p + Vec3::Z * (0.08 * k as f64));
        (CollisionScene::of_meshes((0..count).map(mesh)), (0..count).flat_map(at).collect())
    }

    /// Updates the lists for a path on which triangle `moved` moves by `shift` (m), with a budget of `max_pairs` pairs
    /// of boxes. Returns the number of valid lists and that of pairs of triangles.
    fn listed(
        lists: &mut PairLists,
        (scene, x): (&CollisionScene, &[Vec3]),
        (moved, shift): (usize, f64),
        max_pairs: usize,
    ) -> Option<(usize, usize)> {
        let mut to = x.to_vec();
        to[3 * moved..3 * moved + 3].iter_mut().for_each(|p| *p += Vec3::X * shift);
        let pair = |k: usize| ColliderPair {
            shapes: [k, k + 1],
            body: k,
            other: Some(k + 1),
            friction: 0.0,
            static_friction: 0.0,
            restitution: None,
            damping: 0.0,
            rolling: 0.0,
            min_separation: 0.0,
            support: crate::search::candidates::Support::Nodes,
        };
        let pairs: Vec<ColliderPair> = (0..scene.colliders.len() - 1).map(pair).collect();
        let interrupt = Interrupt::new();
        let budget = &Budget::new(max_pairs, &interrupt);
        let search = PathSearch { scene, path: [x, &to], d_hat: D_HAT, budget };
        let listed = lists.update(&search, &pairs)?;
        Some((pairs.iter().filter(|pair| listed.has_list(pair.shapes)).count(), pairs.len()))
    }

    #[test]
    fn pair_lists_stay_valid_for_bodies_within_their_skin() {
        let (scene, x) = pile(MIN_COLLIDERS);
        let mut lists = PairLists::default();
        let mut after = |shift: f64| {
            listed(&mut lists, (&scene, &x), (5, shift), usize::MAX).expect("many bodies")
        };
        let all = MIN_COLLIDERS - 1;
        assert_eq!(after(0.4 * RELATIVE_SKIN * D_HAT), (all, all));
        assert_eq!(after(0.9 * RELATIVE_SKIN * D_HAT), (all, all));
        assert_eq!(after(1.1 * RELATIVE_SKIN * D_HAT), (all - 2, all));
        assert_eq!(after(0.4 * RELATIVE_SKIN * D_HAT), (all, all));
        let (scene, x) = pile(MIN_COLLIDERS - 1);
        let few = listed(&mut PairLists::default(), (&scene, &x), (5, 0.0), usize::MAX);
        assert_eq!(few, None);
    }

    #[test]
    fn incomplete_pair_lists_are_not_kept() {
        let (scene, x) = pile(MIN_COLLIDERS);
        let mut lists = PairLists::default();
        assert_eq!(listed(&mut lists, (&scene, &x), (5, 1e-3), 10), None);
        assert!(lists.lists.is_empty());
        assert!(listed(&mut lists, (&scene, &x), (5, 1e-3), usize::MAX).is_some());
        assert_eq!(lists.lists.len(), MIN_COLLIDERS - 1);
    }
}
